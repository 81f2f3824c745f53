import { Radio } from '../../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import { useResource } from '../../../api/resource.ts'
import { Button, ButtonLink } from '../../../components/controls/button.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { useEditor, useRunPanel } from '../state/editor-context.tsx'
import { hasUnsavedSteps } from '../state/editor-store.ts'
import { latestRequestsOf } from './latest-requests.ts'

interface WaitForRequestProps {
  readonly flowId: string
  readonly refId: string
}

/** Waits for the next call of the webhook, whose input is then in the data and in the next test run. */
export function WaitForRequest({ flowId, refId }: WaitForRequestProps) {
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
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded bg-running-soft px-3 py-1.5 text-sm"
    >
      <Radio size={14} aria-hidden className="shrink-0 animate-pulse text-running" />
      <span className="min-w-0 flex-1">
        {t('Waiting for a request to the URL above…')}
        {unsaved ? ' ' : ''}
        {unsaved ? t('Runs the saved version, not your unsaved changes.') : ''}
      </span>
      <Button className="h-6" onClick={stop}>
        {t('Stop listening')}
      </Button>
      <WithoutRun flowId={flowId} />
    </div>
  ) : (
    <Button icon={Radio} className="self-start" onClick={waitStarted}>
      {t('Listen for test request')}
    </Button>
  )
}

/** The newest request since the wait began that started no run, and why; otherwise the user would wait in vain. */
function WithoutRun({ flowId }: { readonly flowId: string }) {
  const { data, reload } = useResource(latestRequestsOf(flowId))
  const [isRead, setIsRead] = useState(false)
  const [before, setBefore] = useState<ReadonlySet<string> | null>(null)
  useEffect(() => void reload().then(() => setIsRead(true)), [reload])
  if (isRead && before === null && data !== null) setBefore(new Set(data.map(({ id }) => id)))
  const request = before === null ? null : data?.find(({ id, reason }) => reason !== null && !before.has(id))
  if (!request?.reason) return null
  return (
    <div className="flex basis-full flex-wrap items-center gap-x-3 gap-y-1 border-t border-line pt-1.5">
      <p className={cx('min-w-0 flex-1 basis-48', request.status >= 400 && 'text-error')}>
        {request.status}: {translateMessage(request.reason, request)}
      </p>
      <ButtonLink look="quiet" className="h-6" to="/webhooks" search={{ flow: flowId, request: request.id }}>
        {t('Open request')}
      </ButtonLink>
    </div>
  )
}
