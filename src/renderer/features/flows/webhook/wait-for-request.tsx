import { Radio } from '../../../lib/icons.tsx'
import { useEffect, useRef } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useEditor, useRunPanel } from '../state/editor-context.tsx'
import { hasUnsavedSteps } from '../state/editor-store.ts'

/** Waits for the next call of the webhook, whose input is then in the data and in the next test run. */
export function WaitForRequest({ refId }: { readonly refId: string }) {
  const waiting = useRunPanel((state) => state.waiting)
  const waitStarted = useRunPanel((state) => state.waitStarted)
  const waitEnded = useRunPanel((state) => state.waitEnded)
  const input = useRunPanel((state) => state.steps[refId]?.output)
  const unsaved = useEditor(hasUnsavedSteps)
  const waited = useRef(false)

  useEffect(() => {
    if (waited.current && !waiting) {
      const keys = typeof input === 'object' && input !== null ? Object.keys(input).length : 0
      announce(
        t('Request received with {{keys}}. Its values appear in the data', { keys: plural(keys, 'key') }),
      )
    }
    waited.current = waiting
    // Only the end of the wait is announced, not each change of the input.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [waiting])

  function stop() {
    waited.current = false
    waitEnded()
  }

  return waiting ? (
    <div role="status" className="flex items-center gap-3 rounded bg-running-soft px-3 py-1.5 text-sm">
      <Radio size={14} aria-hidden className="shrink-0 animate-pulse text-running" />
      <span className="min-w-0 flex-1">
        {t('Waiting for a request to the URL above…')}
        {unsaved ? ' ' : ''}
        {unsaved ? t('Runs the saved version, not your unsaved changes.') : ''}
      </span>
      <Button className="h-6" onClick={stop}>
        {t('Stop listening')}
      </Button>
    </div>
  ) : (
    <Button icon={Radio} className="self-start" onClick={waitStarted}>
      {t('Listen for test request')}
    </Button>
  )
}
