import { RotateCw } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { replayFlowRunRoute, type RunError } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookAnswer, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { versionsOf } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { LineDifference } from '../../components/values/line-difference.tsx'
import { Select } from '../../components/controls/select.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { ScrollRegion } from '../../components/screen/scroll-region.tsx'
import { attempt } from '../../components/screen/toast.tsx'
import { t, translateMessage } from '../../lib/i18n.ts'
import { diffAnswers } from './answer-text.ts'
import type { DetailStore, Replay } from './detail-store.ts'

interface ReplayViewProps {
  readonly store: DetailStore
  readonly request: WebhookRequest
  readonly flow: Flow
  /** The original response. */
  readonly before: WebhookAnswer | null
}

/** The same request on a chosen version, and how its response differs from the original one. */
export function ReplayView({ store, request, flow, before }: ReplayViewProps) {
  const { replays, replayed } = useStore(store)
  const { data: versions } = useResource(versionsOf(flow.id))
  const [chosen, setChosen] = useState<string>(String(flow.version))
  const busy = replays.some(({ ended }) => !ended)

  function replay() {
    void attempt(t('Couldn’t replay request'), () => replayed(Number(chosen)))
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Select
          label={t('Version to run')}
          className="w-52"
          value={chosen}
          onChange={setChosen}
          options={(versions ?? [flow]).map(({ version }) => ({
            value: String(version),
            label:
              version === flow.version
                ? t('Version {{version}}, current', { version })
                : t('Version {{version}}', { version }),
          }))}
        />
        <Button
          icon={RotateCw}
          needs={replayFlowRunRoute}
          busy={busy}
          disabled={request.flow_run_id === null}
          onClick={replay}
        >
          {t('Replay and compare')}
        </Button>
        <p className="text-muted">{t('Steps run again, including external calls.')}</p>
      </div>
      <ScrollRegion label={t('Responses of the replays')} isLive>
        {replays.length === 0 ? (
          <p className="p-4 text-muted">
            {t('Not replayed yet. Each replay’s response appears here, compared with the original.')}
          </p>
        ) : null}
        {replays.map((replayOne) => (
          <ReplayCard key={replayOne.key} replay={replayOne} sent={before} />
        ))}
      </ScrollRegion>
    </div>
  )
}

function ReplayCard({ replay, sent }: { readonly replay: Replay; readonly sent: WebhookAnswer | null }) {
  const { version, run, answer, failure, ended } = replay
  return (
    <section
      aria-label={version === null ? t('Edited and sent') : t('Replay on version {{version}}', { version })}
    >
      <div className="flex min-h-9 flex-wrap items-center gap-3 border-b border-line bg-sunken px-4 py-1">
        <h3 className="font-medium">
          {version === null ? t('Edited and sent') : t('Version {{version}}', { version })}
        </h3>
        <StatusBadge
          state={!ended ? 'running' : failure === null ? (run === null ? 'success' : stateOf(run)) : 'error'}
        />
        {run === null ? null : (
          <ButtonLink look="quiet" className="ml-auto h-6" to="/runs/$runId" params={{ runId: run.id }}>
            {t('Open run')}
          </ButtonLink>
        )}
      </div>
      {failure === null ? null : <p className="p-4 text-error">{failure.message}</p>}
      {ended && failure === null ? (
        <Compared before={sent} after={answer} runError={run?.error ?? undefined} />
      ) : null}
    </section>
  )
}

interface ComparedProps {
  readonly before: WebhookAnswer | null
  readonly after: WebhookAnswer | null
  readonly runError: RunError | undefined
}

function Compared({ before, after, runError }: ComparedProps) {
  const lines = useMemo(
    () => (before === null || after === null ? [] : diffAnswers(before, after)),
    [before, after],
  )
  if (after === null)
    return (
      <p className="p-4 text-muted">
        {runError === undefined
          ? t(
              'There’s no response to compare because in this version the webhook responds immediately, before the run.',
            )
          : t('The run failed, so a caller would get 500: {{runError}}', {
              runError: translateMessage(runError.message, runError),
            })}
      </p>
    )
  if (before === null)
    return (
      <p className="p-4 text-muted">
        {t('The original response wasn’t kept, so there’s nothing to compare.')}
      </p>
    )
  const differs = lines.some(({ kind }) => kind !== 'same')
  return (
    <div className="py-2 text-sm">
      <p className="px-4 pb-2 text-muted">
        {differs ? t('Response differs (− original, + replay).') : t('Same response.')}
      </p>
      <LineDifference lines={lines} />
    </div>
  )
}
