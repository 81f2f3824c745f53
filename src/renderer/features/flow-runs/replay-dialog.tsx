import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { replayFlowRunsRoute } from '../../../shared/contract/run-debugging.ts'
import type { RouteResult } from '../../../shared/contract/base/route.ts'
import { asAppError } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { t, tn } from '../../lib/i18n.ts'

interface ReplayDialogProps {
  readonly runs: readonly FlowRun[]
  readonly onClose: () => void
}

type Results = RouteResult<typeof replayFlowRunsRoute>['results']

/** Replays several runs, and reports the result of each. */
export function ReplayDialog({ runs, onClose }: ReplayDialogProps) {
  const api = useApi()
  const [version, setVersion] = useState<'current' | 'recorded'>('current')
  const [busy, setBusy] = useState(false)
  const [results, setResults] = useState<Results | null>(null)
  const [failure, setFailure] = useState<unknown>(null)

  async function replay() {
    setBusy(true)
    setFailure(null)
    try {
      const body = { ids: runs.map(({ id }) => id), version }
      const { results: started } = await api.call(replayFlowRunsRoute, { body })
      setResults(started)
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      title={tn(runs.length, 'Replay {{count}} run', 'Replay {{count}} runs')}
      onClose={onClose}
      actions={
        results === null ? (
          <>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button look="primary" busy={busy} onClick={() => void replay()}>
              {tn(runs.length, 'Replay {{count}} run', 'Replay {{count}} runs')}
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        )
      }
    >
      {failure === null ? null : (
        <ErrorNotice error={asAppError(failure)} title={t('Couldn’t replay runs')} />
      )}
      {results === null ? (
        <div className="flex flex-col gap-4">
          <p className="text-muted">
            {t('Each run is repeated with its original input. External actions are repeated too.')}
          </p>
          <Field label={t('Version')}>
            <Select
              label={t('Version')}
              value={version}
              onChange={setVersion}
              options={[
                { value: 'current', label: t('Latest version of the flow') },
                { value: 'recorded', label: t('Original version') },
              ]}
            />
          </Field>
        </div>
      ) : (
        <ResultList runs={runs} results={results} />
      )}
    </Dialog>
  )
}

function ResultList({ runs, results }: { readonly runs: readonly FlowRun[]; readonly results: Results }) {
  const failed = results.filter(({ error }) => error !== null).length
  return (
    <div className="flex flex-col gap-2">
      <p role="status">
        {tn(results.length - failed, '{{count}} run started.', '{{count}} runs started.')}{' '}
        {failed === 0 ? '' : tn(failed, '{{count}} couldn’t be started:', '{{count}} couldn’t be started:')}
      </p>
      <ul className="flex flex-col">
        {results.map(({ id, flow_run_id: next, error }) => (
          <li key={id} className="flex items-start gap-2 border-b border-line py-1.5 last:border-0">
            {error === null ? (
              <CircleCheck size={15} aria-hidden className="mt-0.5 shrink-0 text-success" />
            ) : (
              <CircleX size={15} aria-hidden className="mt-0.5 shrink-0 text-error" />
            )}
            <span className="min-w-0 flex-1">
              {runs.find((run) => run.id === id)?.title ?? id.slice(0, 8)}
              {error === null ? null : <span className="block text-sm text-error">{error.message}</span>}
            </span>
            {next === null ? null : (
              <Link
                to="/runs/$runId"
                params={{ runId: next }}
                className="shrink-0 text-accent hover:underline"
              >
                {t('Open new run')}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
