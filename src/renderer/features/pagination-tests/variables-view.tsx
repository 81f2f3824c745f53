import { useMemo } from 'react'
import { parseJson } from '../../lib/json.ts'
import { JsonTree } from '../../components/values/json-tree.tsx'
import { t } from '../../lib/i18n.ts'
import type { EventOf, PageLine } from './state/test-progress.ts'

interface VariablesViewProps {
  readonly plan: EventOf<'plan'> | null
  readonly before: PageLine | undefined
}

/** What the templates of this page could read. */
export function VariablesView({ plan, before }: VariablesViewProps) {
  const last = before?.attempts.at(-1)
  const value = useMemo(() => {
    const body = last?.body ?? null
    return {
      ...plan?.variables,
      previous_request: body === null ? null : readBody(body),
      previous_request_headers: last?.response?.headers ?? null,
    }
  }, [plan, last])
  if (plan === null)
    return <p className="p-3 text-muted">{t('No configuration was asked about this page.')}</p>
  return <JsonTree value={value} label={t('Variables')} root="" openDepth={1} />
}

function readBody({ text, truncated }: EventOf<'body'>): unknown {
  if (truncated) return '(too long to be shown here)'
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
