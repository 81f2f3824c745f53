import { requestTrigger } from '../../../shared/request-trigger.ts'
import {
  Check,
  Copy,
  Download,
  Ellipsis,
  FlaskConical,
  Hand,
  Pencil,
  Pin,
  RotateCw,
} from '../../lib/icons.tsx'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { pinStepRoute } from '../../../shared/contract/step-pins.ts'
import { createStoredTestRoute } from '../../../shared/contract/flow-tests.ts'
import { replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookAttempt } from '../../../shared/contract/reach/forwards.ts'
import { setWebhookHoldRoute } from '../../../shared/contract/reach/webhook-holds.ts'
import type { ListedRequest, WebhookRequestDetail } from '../../../shared/contract/webhooks.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { CopyIcon, useCopy } from '../../components/values/copy-button.tsx'
import { HeaderList } from '../../components/values/exchange-view.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { useSaveHar } from '../../components/values/save-har.ts'
import { useHold } from '../../components/runs/holds.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { formatCount, formatDuration, formatExact, formatTime } from '../../lib/format.ts'
import { hexDump } from '../../lib/hex-dump.ts'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { toCurl, toEditable } from './again.ts'
import { AnswersView } from './answer-view.tsx'
import { createDetailStore } from './detail-store.ts'
import type { DetailStore } from './detail-store.ts'
import { EditDialog } from './edit-dialog.tsx'
import { harCallOf } from './har-call.ts'
import { type Found, ReceivedView } from './received-view.tsx'
import { ReplayView } from './replay-view.tsx'
import { SendAgain } from './send-again.tsx'
import { isRefused, requestOf, shortPath, sizeOf } from './requests.ts'

const MakeTestSheet = lazy(async () => ({
  default: (await import('../../components/runs/test-sheet.tsx')).MakeTestSheet,
}))

export const DETAIL_TABS = ['body', 'answer', 'headers', 'replay', 'original'] as const
export type DetailTab = (typeof DETAIL_TABS)[number]

interface RequestDetailProps {
  readonly request: ListedRequest
  readonly flow: Flow | undefined
  /** The words that a search marks; null marks nothing. */
  readonly words: RegExp | null
  readonly tab: DetailTab
  readonly onTab: (tab: DetailTab) => void
}

/** One request: what was received, what happened, and how to send it again. */
export function RequestDetail({ request, flow, words, tab, onTab }: RequestDetailProps) {
  const api = useApi()
  const [store] = useState(() => createDetailStore(api, request))
  const { data: detail, failure, reload } = useResource(requestOf(request.id))

  return (
    <section aria-label={t('Request')} className="flex min-h-0 flex-1 flex-col bg-surface">
      <Head request={request} flow={flow} detail={detail}>
        <Actions store={store} request={request} flow={flow} detail={detail} onTab={onTab} />
      </Head>
      <Loaded value={detail} failure={failure} what={t('the request')} onRetry={() => void reload()}>
        {(known) => (
          <Tabs
            label={t('Parts of the request')}
            className="flex-1"
            value={tab}
            onChange={onTab}
            tabs={[
              {
                value: 'body',
                label: t('Body'),
                content: <Body detail={known} flow={flow} found={{ words, match: request.match }} />,
              },
              {
                value: 'answer',
                label: t('Response'),
                content: <AnswersView detail={known} />,
              },
              {
                value: 'headers',
                label: t('Headers'),
                content: (
                  <div className="p-4">
                    <HeaderList headers={request.headers} words={words} />
                  </div>
                ),
              },
              {
                value: 'replay',
                label: t('Replay'),
                content:
                  flow === undefined || request.flow_run_id === null ? (
                    <p className="p-4 text-muted">
                      {t('This request didn’t start a run, so there’s nothing to replay.')}
                    </p>
                  ) : (
                    <ReplayView store={store} request={request} flow={flow} before={known.answer} />
                  ),
              },
              ...(known.original === null
                ? []
                : [
                    {
                      value: 'original' as const,
                      label: t('Original'),
                      content: <Original original={known.original} />,
                    },
                  ]),
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}

interface HeadProps {
  readonly request: ListedRequest
  readonly flow: Flow | undefined
  readonly detail: WebhookRequestDetail | null
  readonly children: ReactNode
}

function Head({ request, flow, detail, children }: HeadProps) {
  const limit = detail?.rate_limit ?? null
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-3">
      <div className="flex items-start gap-2">
        <h2 className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5 text-lg font-semibold">
          <code className="flex min-w-0 max-w-full items-center gap-1 font-semibold" title={request.path}>
            {request.method} <span className="min-w-0 truncate">/{shortPath(request.path)}</span>
            <CopyIcon label={t('Copy path')} text={request.path} />
          </code>
          <span className="tabular flex items-baseline gap-1.5">
            <span className="self-center">
              <StatusIcon silent state={request.status < 400 ? 'success' : 'error'} />
            </span>
            {request.status}
          </span>
          <span className="text-base font-normal text-muted">
            {t('from {{client}}, {{time}}', {
              client: request.client,
              time: formatExact(Date.parse(request.at)),
            })}
          </span>
        </h2>
        {request.flow_run_id === null ? null : (
          <ButtonLink to="/runs/$runId" params={{ runId: request.flow_run_id }}>
            {t('Open run')}
          </ButtonLink>
        )}
      </div>
      {request.reason === null ? null : (
        <p className={isRefused(request) ? 'text-error' : 'text-muted'}>
          {isRefused(request) && request.status < 500
            ? t('Rejected: {{reason}}', { reason: translateMessage(request.reason, request) })
            : translateMessage(request.reason, request)}
        </p>
      )}
      {request.hold === null || request.reason !== null ? null : (
        <p className="text-muted">{t(HOLD_WORDS[request.hold])}</p>
      )}
      <p className="text-muted">
        {sizeOf(request)}, {formatDuration(request.duration_ms)}
        {flow === undefined ? null : (
          <>
            {' · '}
            <Link
              to="/flows/$flowId"
              params={{ flowId: flow.id }}
              className="rounded-sm text-accent-text underline"
            >
              {flow.name}
            </Link>
          </>
        )}
      </p>
      <LatestAttempt attempt={detail?.attempts.at(-1)} isWaiting={detail?.is_waiting === true} />
      {limit === null ? null : (
        <p className="text-muted">
          {t('{{client}}: {{used}} of {{limit}} requests used, resets at {{clock}}', {
            client: request.client,
            used: formatCount(limit.used),
            limit: formatCount(limit.limit),
            clock: formatTime(Date.parse(limit.resets_at)),
          })}
        </p>
      )}
      {children}
    </div>
  )
}

interface LatestAttemptProps {
  readonly attempt: WebhookAttempt | undefined
  readonly isWaiting: boolean
}

/** The latest attempt to forward it to the program on this computer, in one line. */
function LatestAttempt({ attempt, isWaiting }: LatestAttemptProps) {
  if (isWaiting) return <p className="text-retrying">{t('Kept until the program is listening.')}</p>
  if (attempt === undefined) return null
  const { url, status, error, duration_ms: ms } = attempt
  const port = URL.canParse(url) ? new URL(url).host : url
  if (error !== null)
    return (
      <p className="text-error">
        {t('Forwarded to {{port}}: {{error}}', { port, error: translateMessage(error, attempt) })}
      </p>
    )
  return (
    <p className={status !== null && status < 400 ? 'text-muted' : 'text-error'}>
      {t('Forwarded to {{port}}: {{status}} in {{time}}', {
        port,
        status: status ?? '',
        time: formatDuration(ms),
      })}
    </p>
  )
}

const HOLD_WORDS: { readonly [H in NonNullable<ListedRequest['hold']>]: English } = {
  released: english('It was held and released unchanged.'),
  edited: english('It was held, edited and released.'),
  answered: english('It was held and answered manually.'),
  dropped: english('It was held and dropped.'),
  timed_out: english('It was held and released unchanged because nobody decided.'),
  passed: english('It wasn’t held because too many requests were held already.'),
}

/** A request before it was edited. */
function Original({ original }: { readonly original: NonNullable<WebhookRequestDetail['original']> }) {
  const { method, path, headers, encoding, body } = original
  return (
    <div className="flex flex-col gap-3 p-4">
      <code className="wrap-anywhere">
        {method} {path}
      </code>
      <HeaderList headers={headers} />
      <Pre label={t('Original body')}>{encoding === 'hex' ? hexDump(body) : body}</Pre>
    </div>
  )
}

interface ActionsProps {
  readonly store: DetailStore
  readonly request: ListedRequest
  readonly flow: Flow | undefined
  readonly detail: WebhookRequestDetail | null
  readonly onTab: (tab: DetailTab) => void
}

/** The actions for a request whose body was stored, each of which also has a key. */
function Actions({ store, request, flow, detail, onTab }: ActionsProps) {
  const [editing, setEditing] = useState(false)
  const [testing, setTesting] = useState(false)
  const navigate = useNavigate()
  const saveHar = useSaveHar()
  const received = detail?.received ?? null
  const { hold, holdNext } = useHold(request.flow_id ?? '')
  const again = received === null ? null : toEditable(request, received)
  const isKept = again !== null && flow !== undefined
  const isRead = isKept && received?.input !== null
  const isRun = request.flow_run_id !== null && flow !== undefined

  const [copied, copy] = useCopy(() =>
    again === null || flow === undefined ? '' : toCurl(again, flow, received?.truncated === true),
  )

  const replay = () => {
    if (flow === undefined) return
    onTab('replay')
    void attempt(t('Couldn’t replay request'), () => store.getState().replayed(flow.version))
  }
  const pin = () => {
    if (flow === undefined) return
    void attempt(t('Couldn’t pin request'), async () => {
      const refId = await store.getState().pinned(flow, detail)
      announce(t('Test runs of “{{name}}” now use this request as {{refId}}', { name: flow.name, refId }))
    })
  }
  useShortcut(
    { keys: 'r', label: t('Replay request'), group: t('Webhooks'), needs: replayFlowRunRoute },
    replay,
    isRun,
  )
  useShortcut(
    { keys: 'e', label: t('Edit and replay request'), group: t('Webhooks') },
    () => setEditing(true),
    isKept,
  )
  useShortcut(
    { keys: 'p', label: t('Pin request for test runs'), group: t('Webhooks'), needs: pinStepRoute },
    pin,
    isRead,
  )
  const canSend = flow !== undefined && (isKept || request.reason === null)
  const canHold = flow !== undefined && hold === null
  useShortcut(
    { keys: 'h', label: t('Hold the next request'), group: t('Webhooks'), needs: setWebhookHoldRoute },
    holdNext,
    canHold,
  )
  useShortcut({ keys: 'c', label: t('Copy request as curl'), group: t('Webhooks') }, copy, isKept)

  if (detail !== null && received === null)
    return (
      <p className="pt-1 text-muted">
        {request.reason === null
          ? t('The body wasn’t kept because the run is no longer stored.')
          : t(
              'The body wasn’t kept because the request was rejected before it was read, or because newer bodies took its place.',
            )}
      </p>
    )
  return (
    <div className="-ml-2.5 flex flex-wrap items-center gap-1 pt-1">
      {canSend && detail !== null ? (
        <SendAgain request={request} flow={flow} attempts={detail.attempts} onSent={() => onTab('answer')} />
      ) : null}
      <Button look="quiet" icon={RotateCw} needs={replayFlowRunRoute} disabled={!isRun} onClick={replay}>
        {t('Replay')} <Key name="r" />
      </Button>
      <Button look="quiet" icon={Pencil} disabled={!isKept} onClick={() => setEditing(true)}>
        {t('Edit and replay')} <Key name="e" />
      </Button>
      <Button look="quiet" icon={Pin} needs={pinStepRoute} disabled={!isRead} onClick={pin}>
        {t('Pin')} <Key name="p" />
      </Button>
      <Button look="quiet" icon={Hand} needs={setWebhookHoldRoute} disabled={!canHold} onClick={holdNext}>
        {hold === null ? t('Hold the next one') : t('The next one is held')} <Key name="h" />
      </Button>
      <Button look="quiet" icon={copied ? Check : Copy} disabled={!isKept} onClick={copy}>
        <span aria-live="polite">{copied ? t('Copied') : t('Copy as curl')}</span> <Key name="c" />
      </Button>
      {detail === null ? null : (
        <Menu
          trigger={<IconButton label={t('More')} icon={Ellipsis} />}
          groups={[
            [
              {
                label: t('Make this a test…'),
                icon: FlaskConical,
                needs: createStoredTestRoute,
                disabled: !isRun,
                hint: isRun
                  ? t('Repeats this run with its recorded calls and compares the results.')
                  : t('The request has no run.'),
                onSelect: () => setTesting(true),
              },
            ],
            [
              {
                label: t('Export HTTP requests (HAR)'),
                icon: Download,
                onSelect: () =>
                  void saveHar(`webhook-request-${request.id.slice(0, 8)}.har`, [
                    harCallOf(detail, location.origin),
                  ]),
              },
            ],
          ]}
        />
      )}
      {testing && request.flow_run_id !== null && flow !== undefined ? (
        <Suspense>
          <MakeTestSheet
            run={{ id: request.flow_run_id, flow_id: flow.id, title: '' }}
            onClose={() => setTesting(false)}
            onOpen={() =>
              void navigate({ to: '/flows/$flowId', params: { flowId: flow.id }, search: { view: 'tests' } })
            }
            onReplayed={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })}
          />
        </Suspense>
      ) : null}
      {editing && again !== null && flow !== undefined ? (
        <EditDialog
          store={store}
          flow={flow}
          before={detail?.answer ?? null}
          initial={again}
          onClose={() => setEditing(false)}
        />
      ) : null}
    </div>
  )
}

function Key({ name }: { readonly name: string }) {
  return (
    <kbd aria-hidden className="ml-1 text-code text-faint">
      {name}
    </kbd>
  )
}

interface BodyProps {
  readonly detail: WebhookRequestDetail
  readonly flow: Flow | undefined
  readonly found: Found
}

function Body({ detail, flow, found }: BodyProps) {
  const { received, request } = detail
  if (received !== null)
    return (
      <ReceivedView received={received} refId={requestTrigger(flow?.steps ?? [])?.ref_id} found={found} />
    )
  return (
    <p className="p-4 text-muted">
      {request.reason === null
        ? t('The run is no longer stored, or its flow keeps no history.')
        : t('The request was rejected and its body wasn’t kept.')}
    </p>
  )
}
