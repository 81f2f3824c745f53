import { Check, Copy, Download, Ellipsis, Pencil, Pin, RotateCw } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { pinStepRoute } from '../../../shared/contract/step-pins.ts'
import { replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookRequest, WebhookRequestDetail } from '../../../shared/contract/webhooks.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { CopyIcon, useCopy } from '../../components/values/copy-button.tsx'
import { HeaderList } from '../../components/values/exchange-view.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { useSaveHar } from '../../components/values/save-har.ts'
import { Loaded } from '../../components/screen/loaded.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { formatBytes, formatCount, formatDuration, formatExact, formatTime } from '../../lib/format.ts'
import { hexDump } from '../../lib/hex-dump.ts'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { toCurl, toEditable } from './again.ts'
import { AnswerView } from './answer-view.tsx'
import { createDetailStore } from './detail-store.ts'
import type { DetailStore } from './detail-store.ts'
import { EditDialog } from './edit-dialog.tsx'
import { harCallOf } from './har-call.ts'
import { ReceivedView } from './received-view.tsx'
import { ReplayView } from './replay-view.tsx'
import { requestOf } from './requests.ts'

export const DETAIL_TABS = ['body', 'answer', 'headers', 'replay', 'original'] as const
export type DetailTab = (typeof DETAIL_TABS)[number]

interface RequestDetailProps {
  readonly request: WebhookRequest
  readonly flow: Flow | undefined
  readonly tab: DetailTab
  readonly onTab: (tab: DetailTab) => void
}

/** One request: what was received, what happened, and how to send it again. */
export function RequestDetail({ request, flow, tab, onTab }: RequestDetailProps) {
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
              { value: 'body', label: t('Body'), content: <Body detail={known} flow={flow} /> },
              {
                value: 'answer',
                label: t('Response'),
                content: <AnswerView answer={known.answer} request={request} />,
              },
              {
                value: 'headers',
                label: t('Headers'),
                content: (
                  <div className="p-4">
                    <HeaderList headers={request.headers} />
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
  readonly request: WebhookRequest
  readonly flow: Flow | undefined
  readonly detail: WebhookRequestDetail | null
  readonly children: ReactNode
}

function Head({ request, flow, detail, children }: HeadProps) {
  const limit = detail?.rate_limit ?? null
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-3">
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate text-lg font-semibold">
          {t('Response: {{status}}', { status: request.status })}
          <span className="ml-2 text-base font-normal text-muted">{formatExact(Date.parse(request.at))}</span>
        </h2>
        {request.flow_run_id === null ? null : (
          <ButtonLink to="/runs/$runId" params={{ runId: request.flow_run_id }}>
            {t('Open run')}
          </ButtonLink>
        )}
      </div>
      {request.reason === null ? null : (
        <p className={request.outcome === 'rejected' ? 'text-error' : 'text-muted'}>
          {request.outcome === 'rejected'
            ? t('Rejected: {{reason}}', { reason: translateMessage(request.reason, request) })
            : translateMessage(request.reason, request)}
        </p>
      )}
      {request.hold === null || request.reason !== null ? null : (
        <p className="text-muted">{t(HOLD_WORDS[request.hold])}</p>
      )}
      <p className="flex items-center gap-1 text-muted">
        <code className="min-w-0 truncate" title={request.path}>
          {request.method} {shortPath(request.path)}
        </code>
        <CopyIcon label={t('Copy path')} text={request.path} />
      </p>
      <p className="text-muted">
        {t('{{bytes}} from {{client}}, {{duration}}', {
          bytes: formatBytes(request.size),
          client: request.client,
          duration: formatDuration(request.duration_ms),
        })}
        {flow === undefined ? '' : t(', flow “{{name}}”', { name: flow.name })}
      </p>
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

const HOLD_WORDS: { readonly [H in NonNullable<WebhookRequest['hold']>]: English } = {
  released: english('It was held and released unchanged.'),
  edited: english('It was held, edited and released.'),
  answered: english('It was held and answered by hand.'),
  dropped: english('It was held and dropped.'),
  timed_out: english('It was held; nobody decided, and it was released unchanged.'),
  passed: english('It wasn’t held: too many requests were held already.'),
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

/** The flow is named next to it; the query after its ID is the interesting part. */
function shortPath(path: string): string {
  return path.replace(/\/([0-9a-f]{4})[0-9a-f-]{28}([0-9a-f]{4})(?=$|\?)/, '/$1…$2')
}

interface ActionsProps {
  readonly store: DetailStore
  readonly request: WebhookRequest
  readonly flow: Flow | undefined
  readonly detail: WebhookRequestDetail | null
  readonly onTab: (tab: DetailTab) => void
}

/** The actions for a request whose body was stored, each with a single key as well. */
function Actions({ store, request, flow, detail, onTab }: ActionsProps) {
  const [editing, setEditing] = useState(false)
  const saveHar = useSaveHar()
  const received = detail?.received ?? null
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
  useShortcut({ keys: 'c', label: t('Copy request as curl'), group: t('Webhooks') }, copy, isKept)

  if (detail !== null && received === null)
    return (
      <p className="pt-1 text-muted">
        {request.reason === null
          ? t('The body wasn’t kept: the run is no longer stored.')
          : t(
              'The body wasn’t kept: the request was rejected before it was read, or newer bodies took its place.',
            )}
      </p>
    )
  return (
    <div className="-ml-2.5 flex flex-wrap items-center gap-1 pt-1">
      <Button look="quiet" icon={RotateCw} needs={replayFlowRunRoute} disabled={!isRun} onClick={replay}>
        {t('Replay')} <Key name="r" />
      </Button>
      <Button look="quiet" icon={Pencil} disabled={!isKept} onClick={() => setEditing(true)}>
        {t('Edit and replay')} <Key name="e" />
      </Button>
      <Button look="quiet" icon={Pin} needs={pinStepRoute} disabled={!isRead} onClick={pin}>
        {t('Pin')} <Key name="p" />
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

function Body({ detail, flow }: { readonly detail: WebhookRequestDetail; readonly flow: Flow | undefined }) {
  const { received, request } = detail
  if (received !== null) return <ReceivedView received={received} refId={flow?.steps[0]?.ref_id} />
  return (
    <p className="p-4 text-muted">
      {request.reason === null
        ? t('The run is no longer stored, or its flow keeps no history.')
        : t('The request was rejected and its body wasn’t kept.')}
    </p>
  )
}
