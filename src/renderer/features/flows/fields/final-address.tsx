import { useEffect, useState } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { t } from '../../../lib/i18n.ts'
import { useAssist, useEditor } from '../state/editor-context.tsx'
import { findStep } from '../model/step-tree.ts'

/** The final URL of a request whose query is set next to its URL. */
export function FinalAddress({ refId, field }: { readonly refId: string; readonly field: string }) {
  const preview = useAssist((state) => state.preview)
  const rendered = useAssist((state) => state.rendered)
  const steps = useEditor((state) => state.history?.present.steps)
  const template = wholeAddress(findStep(steps ?? [], refId)?.step, field)
  const [shown, setShown] = useState<{ template: string; text: string } | null>(null)

  // `preview` is a new object whenever the text or the values change; then the final URL is rendered again, too.
  useEffect(() => {
    let isGone = false
    async function show(whole: string): Promise<void> {
      const text = await rendered(whole, { refId, field: 'config.url', kind: 'text', bare: false })
      if (!isGone) setShown(text === null ? null : { template: whole, text })
    }
    if (template !== null) show(template).catch(() => undefined)
    return () => {
      isGone = true
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [rendered, template, refId, preview])

  if (shown === null || shown.template !== template) return null
  return (
    <p className="text-muted">
      {t('Goes to')} <code className="[overflow-wrap:anywhere] text-text">{shown.text}</code>
    </p>
  )
}

/** The URL followed by its query, as one template; null without a query, or if another field is focused. */
export function wholeAddress(step: Pick<Step, 'type' | 'config'> | undefined, field: string): string | null {
  const isAddress = field === 'config.url' || field.startsWith('config.query')
  if (step?.type !== 'rest' || !isAddress) return null
  const { url, query } = step.config
  if (typeof url !== 'string' || typeof query !== 'object' || query === null) return null
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}={% filter urlencode %}${String(value)}{% endfilter %}`,
  )
  return pairs.length === 0 ? null : `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
