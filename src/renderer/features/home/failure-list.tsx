import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type FlowRun, resumeFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { WayOut } from '../../components/auths/way-out.tsx'
import { ResolveCauseButton } from '../../components/runs/resolve-button.tsx'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Time, useNow } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'
import { t, tn } from '../../lib/i18n.ts'
import { sentenceOfError } from '../../lib/steps-within.ts'
import { type FailureGroup, groupFailures } from './failures.ts'
import { FAILED_RUNS } from './home.ts'

/** The others are on the Runs screen. */
const SHOWN = 6

/** Failures of the last week, grouped by cause. */
export function Failures({
  failed,
  flows,
}: {
  readonly failed: readonly FlowRun[]
  readonly flows: readonly Flow[]
}) {
  const failures = groupFailures(failed, flows, useNow())
  return (
    <Card
      title={t('Failures by cause')}
      aside={
        failures.length === 0 ? null : (
          <Link
            to="/runs"
            search={{ status: 'error' }}
            className="rounded-sm text-accent-text hover:underline"
          >
            {t('All failed runs')}
          </Link>
        )
      }
    >
      {failures.length === 0 ? (
        <p className="px-4 py-3 text-muted">{t('No failed runs in the last seven days.')}</p>
      ) : null}
      <ul>
        {failures.slice(0, SHOWN).map((group) => (
          <Failure key={group.key} group={group} />
        ))}
      </ul>
    </Card>
  )
}

function Failure({ group }: { readonly group: FailureGroup }) {
  const api = useApi()
  const [busy, setBusy] = useState(false)
  const { flow, runs, refId, status, authId, canResume } = group
  const [newest] = runs
  const field = newest.error?.field ?? null
  const cause = [status === null ? null : String(status), refId].filter((part) => part !== null)

  async function resume() {
    setBusy(true)
    const outcomes = await Promise.allSettled(
      runs.map(({ id }) => api.call(resumeFlowRunRoute, { params: { id } })),
    )
    await cached(api, FAILED_RUNS).getState().reload()
    const failed = outcomes.filter(({ status: outcome }) => outcome === 'rejected').length
    setBusy(false)
    announce(
      failed === 0
        ? tn(runs.length, 'Resumed {{count}} run', 'Resumed {{count}} runs')
        : t('Couldn’t resume {{failed}} of {{all}} runs', { failed, all: runs.length }),
    )
  }

  return (
    <li className="flex gap-2.5 border-b border-line px-4 py-2.5 last:border-0">
      <span className="pt-0.5">
        <StatusIcon state="error" size={14} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/runs/$runId"
            params={{ runId: newest.id }}
            className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline"
          >
            {flow.name}
          </Link>
          <span className="shrink-0 text-sm text-muted">
            <Time at={newest.created_at} />
          </span>
        </p>
        <p>
          {cause.length === 2
            ? t('{{runs}} failed: {{status}} at “{{refId}}”', {
                runs: plural(runs.length, 'run'),
                status: cause[0] ?? '',
                refId: cause[1] ?? '',
              })
            : refId === null
              ? t('{{runs}} failed', { runs: plural(runs.length, 'run') })
              : t('{{runs}} failed at “{{refId}}”', { runs: plural(runs.length, 'run'), refId })}
        </p>
        {newest.error === null ? null : (
          <p className="line-clamp-2 break-words text-muted">{sentenceOfError(newest.error)}</p>
        )}
        <p className="mt-1.5 flex flex-wrap gap-1.5">
          {canResume ? (
            <Button needs={resumeFlowRunRoute} busy={busy} onClick={() => void resume()}>
              {runs.length === 1
                ? t('Resume')
                : runs.length === 2
                  ? t('Resume both')
                  : t('Resume {{runs}}', { runs: plural(runs.length, 'run') })}
            </Button>
          ) : null}
          {newest.error === null ? null : <WayOut error={newest.error} authId={authId} />}
          <ButtonLink
            to="/flows/$flowId"
            params={{ flowId: flow.id }}
            search={{
              run: newest.id,
              ...(refId === null ? {} : { step: refId }),
              ...(field === null ? {} : { field }),
            }}
          >
            {t('Open in editor')}
          </ButtonLink>
          <ResolveCauseButton
            name={flow.name}
            cause={{ flow_id: flow.id, ref_id: refId, code: newest.error?.code ?? '', status }}
          />
        </p>
      </div>
    </li>
  )
}
