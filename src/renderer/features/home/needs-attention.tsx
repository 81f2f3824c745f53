import { Link } from '@tanstack/react-router'
import { ExternalLink, Globe } from '../../lib/icons.tsx'
import { useState } from 'react'
import { type FlowRun, resumeFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import { TUNNEL } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { TunnelSwitch } from '../../components/tunnel/tunnel-switch.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Time, useNow } from '../../components/values/time.tsx'
import { safeHref } from '../../lib/urls.ts'
import { plural } from '../../lib/format.ts'
import { t, tn } from '../../lib/i18n.ts'
import { sentenceOfError } from '../../lib/steps-within.ts'
import { type FailureGroup, groupFailures } from './failures.ts'
import { type AskingRun, FAILED_RUNS } from './home.ts'

const SOON_MS = 14 * 86_400_000
/** The others are on the Runs screen. */
const SHOWN = 6

/** Questions to people, failures of the last week, grouped by cause, and tokens that expire soon. */
export function NeedsAttention({
  asking,
  failed,
  flows,
  tokens,
}: {
  readonly asking: readonly AskingRun[]
  readonly failed: readonly FlowRun[]
  readonly flows: readonly Flow[]
  readonly tokens: readonly Token[]
}) {
  const now = useNow()
  const failures = groupFailures(failed, flows, now)
  const ending = tokens.filter(
    ({ expiration }) => expiration !== null && Date.parse(expiration) - now < SOON_MS,
  )
  return (
    <Card
      title={t('Needs attention')}
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
      {asking.length === 0 && failures.length === 0 && ending.length === 0 ? (
        <p className="px-4 py-3 text-muted">{t('No failed runs in the last seven days.')}</p>
      ) : null}
      <ul>
        {asking.map((one) => (
          <Asking key={one.run.id} {...one} flowName={flows.find(({ id }) => id === one.run.flow_id)?.name} />
        ))}
        {failures.slice(0, SHOWN).map((group) => (
          <Failure key={group.key} group={group} />
        ))}
        {ending.map((token) => (
          <li key={token.id} className="border-b border-line last:border-0">
            <Link
              to="/tokens"
              className="flex min-h-9 items-center gap-2.5 px-4 py-1 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <StatusIcon state={Date.parse(token.expiration ?? '') < now ? 'expired' : 'ending'} size={14} />
              <span className="min-w-0 flex-1 truncate">
                {Date.parse(token.expiration ?? '') < now
                  ? t('Token “{{note}}” expired', { note: token.note || `…${token.last_four}` })
                  : t('Token “{{note}}” expires', { note: token.note || `…${token.last_four}` })}
              </span>
              <span className="shrink-0 text-sm text-muted">
                <Time at={token.expiration ?? ''} />
              </span>
            </Link>
          </li>
        ))}
        <PublicUrl />
      </ul>
    </Card>
  )
}

/** Where others reach webhooks, with its switch. */
function PublicUrl() {
  const { data: tunnel } = useResource(TUNNEL)
  if (tunnel === null) return null
  const { public_url: url, state } = tunnel
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-2.5 border-b border-line px-4 py-1 last:border-0">
      <Globe size={14} aria-hidden className="shrink-0 text-muted" />
      {url === null ? (
        <span className="min-w-0 flex-1">{state === 'off' ? t('Public URL is off') : t('Public URL')}</span>
      ) : (
        <span className="flex min-w-0 flex-1 items-center gap-1">
          <code className="min-w-0 truncate text-code" title={url}>
            {url}
          </code>
          <CopyIcon label={t('Copy public URL')} text={url} />
        </span>
      )}
      <TunnelSwitch />
    </li>
  )
}

/** A run and what it asks, with the page for the answer. */
function Asking({ run, flowName, questions }: AskingRun & { readonly flowName: string | undefined }) {
  return (
    <li className="flex gap-2.5 border-b border-line px-4 py-2.5 last:border-0">
      <span className="pt-0.5">
        <StatusIcon state="waiting" size={14} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/runs/$runId"
            params={{ runId: run.id }}
            className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline"
          >
            {run.title || flowName || t('Waiting for an answer')}
          </Link>
          <span className="shrink-0 text-sm text-muted">
            <Time at={run.started_at ?? run.created_at} />
          </span>
        </p>
        {questions.length === 0 ? <p>{t('Waiting for an answer')}</p> : null}
        {questions.map(({ id, question, url, public_url: publicUrl }) => (
          <p key={id} className="flex min-w-0 items-baseline gap-2">
            <span className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">{question}</span>
            <a
              href={safeHref(publicUrl ?? url)}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('Answer “{{question}}”', { question })}
              className="inline-flex shrink-0 items-center gap-1 rounded-sm text-accent-text hover:underline"
            >
              {t('Answer')}
              <ExternalLink size={12} aria-hidden />
            </a>
          </p>
        ))}
      </div>
    </li>
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
          {status === 401 && authId !== null ? (
            <ButtonLink to="/auths/$authId" params={{ authId }}>
              {t('Open connector auth')}
            </ButtonLink>
          ) : null}
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
        </p>
      </div>
    </li>
  )
}
