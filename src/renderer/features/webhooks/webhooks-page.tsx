import { SINCE, SINCE_LABELS } from '../../lib/search.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Pause, Play, Send, Webhook } from '../../lib/icons.tsx'
import { lazy, Suspense, useMemo, useState } from 'react'
import { type Flow, rotateWebhookTokenRoute, updateFlowRoute } from '../../../shared/contract/flows.ts'
import type { ListedRequest, ReceivedBody } from '../../../shared/contract/webhooks.ts'
import { FLOWS, useFlowsByName } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { Histogram, TimeChip } from '../../components/charts/histogram.tsx'
import { DensitySwitch } from '../../components/values/density.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import { useChosenColumns } from '../../components/values/columns.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { EmptyState, NoneSoFar } from '../../components/screen/empty-state.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { TextInput } from '../../components/controls/field.tsx'
import { Filter, NoMatches } from '../../components/screen/list-screen.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { useListedKeys } from '../../components/screen/shortcuts.tsx'
import { SkeletonRows } from '../../components/screen/skeleton.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { MarkedText } from '../../components/values/marked-text.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Clock } from '../../components/values/time.tsx'
import { Holds } from '../../components/runs/holds.tsx'
import { WebhookAddress } from '../../components/runs/webhook-address.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDuration, plural } from '../../lib/format.ts'
import { english, t, translateMessage } from '../../lib/i18n.ts'
import {
  CONTENT_TYPES,
  heldBack,
  isRefused,
  newestBodyOf,
  PAUSED_COUNTS,
  requestHistogramOf,
  requestsOf,
  shortPath,
  sizeOf,
  STATUS_CLASSES,
  wordsToMark,
} from './requests.ts'
import type { RequestFilters } from './requests.ts'

const route = getRouteApi('/webhooks')

const NO_SPAN = { from: undefined, until: undefined } as const

/** Loaded when the first request is opened. */
const RequestDetail = lazy(async () => ({ default: (await import('./request-detail.tsx')).RequestDetail }))

/** Loaded when a request is to be sent. */
const SendRequestDialog = lazy(async () => ({
  default: (await import('../../components/runs/send-request-dialog.tsx')).SendRequestDialog,
}))

export function WebhooksPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/webhooks' })
  const { flow: flowId, show, content, q, since, from, until, request: chosen, part = 'body' } = search
  const filters = { flow: flowId, show, content, q, since, from, until }
  const { data: pages, failure, reload, more } = useResource(requestsOf(filters))
  const [held, setHeld] = useState<readonly ListedRequest[] | null>(null)
  const all = useFlowsByName()
  const flows = useMemo(() => all.filter(({ webhook }) => webhook !== null && webhook !== undefined), [all])
  const { shown, waiting } = useMemo(() => heldBack(held, pages?.items ?? []), [held, pages])

  useListedKeys(t('Webhooks'), {
    r: t('Replay request'),
    e: t('Edit and replay request'),
    p: t('Pin request for test runs'),
    c: t('Copy request as curl'),
    h: t('Hold the next request'),
    s: t('Send request to a local program again'),
  })

  const isSearch = q !== undefined && q.trim() !== ''
  const names = useMemo(() => new Map(flows.map(({ id, name }) => [id, name])), [flows])
  const isForwarded = shown.some(({ forwarded }) => forwarded !== null)
  const every = useMemo(
    () => requestColumns(names, { isSearch, isForwarded }),
    [names, isSearch, isForwarded],
  )
  const [columns, columnsMenu] = useChosenColumns('webhooks', every)

  const flow = flows.find((one) => one.id === flowId)
  const filter = (change: RequestFilters) => {
    setHeld(null)
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, request: undefined, ...change }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
      replace: true,
    })
  }

  return (
    <Page
      title={t('Webhooks')}
      actions={
        <>
          <Button
            icon={held === null ? Pause : Play}
            onClick={() => setHeld(held === null ? (pages?.items ?? []) : null)}
          >
            {held === null
              ? t('Pause live updates')
              : waiting === 0
                ? t('Resume')
                : t('Resume ({{requests}} waiting)', { requests: plural(waiting, 'request') })}
          </Button>
          {columnsMenu}
          <DensitySwitch />
        </>
      }
    >
      <Toolbar>
        <Filter
          label={t('Flow')}
          any={t('All flows with a webhook')}
          as={Combo}
          className="w-64"
          value={flowId}
          onChange={(next) => filter({ flow: next })}
          options={flows.map(({ id, name, status }) => ({ value: id, label: name, hint: status }))}
        />
        <Filter
          label={t('Requests')}
          any={t('All requests')}
          className="w-36"
          value={show}
          onChange={(next) => filter({ show: next })}
          options={[
            { value: 'received', label: t('Received'), hint: t('Reached the flow') },
            { value: 'failed', label: t('Failed'), hint: t('Run failed') },
            { value: 'refused', label: t('Rejected'), hint: t('Rejected, with the reason') },
            { value: 'filtered', label: t('Filtered'), hint: t('Filtered by the webhook’s condition') },
            { value: 'handshake', label: t('URL checks'), hint: t('Answered without running the flow') },
            ...STATUS_CLASSES.map((one) => ({ value: one, label: t('Status {{status}}', { status: one }) })),
          ]}
        />
        <Filter
          label={t('Body')}
          any={t('Any body')}
          className="w-36"
          value={content}
          onChange={(next) => filter({ content: next })}
          options={CONTENT_TYPES.map((one) => ({ value: one, label: t(TYPE_WORDS[one]) }))}
        />
        <Filter
          label={t('Time')}
          any={t('Any time')}
          className="w-36"
          value={since}
          onChange={(next) => filter({ since: next, ...NO_SPAN })}
          options={SINCE.map((one) => ({ value: one, label: t(SINCE_LABELS[one]) }))}
        />
        <TextInput
          value={q ?? ''}
          onChange={(next) => filter({ q: next === '' ? undefined : next })}
          aria-label={t('Search paths and bodies')}
          placeholder={t('Search paths and bodies')}
          className="min-w-44 max-w-72 flex-1"
        />
        <TimeChip time={search} onClear={() => filter(NO_SPAN)} />
        <PausedCounts flowId={flowId} />
      </Toolbar>
      <div className="flex flex-col gap-1 px-4 py-2 empty:hidden">
        <Holds flowId={flowId} />
      </div>
      <Histogram
        label={t('Webhook requests by time')}
        figures={requestHistogramOf(filters)}
        none={t('No requests in this period')}
        picked={show}
        onPick={(key) => {
          const status = STATUS_CLASSES.find((one) => one === key)
          filter({ show: status === show ? undefined : status })
        }}
        onTime={filter}
      />
      <Loaded value={pages} failure={failure} what={t('the requests')} onRetry={() => void reload()}>
        {({ after }) => {
          const request = shown.find((one) => one.id === chosen)
          return (
            <SplitPane
              name="webhooks"
              label={t('List width')}
              direction="row"
              initial={listWidth()}
              min={360}
              max={1400}
            >
              {shown.length > 0 ? (
                <DataTable
                  label={t('Webhook requests')}
                  noun={t('request')}
                  columns={columns}
                  rows={shown}
                  selectedId={chosen}
                  onEnd={() => void more()}
                />
              ) : after === null ? (
                <NoRequests
                  flow={flow}
                  isFiltered={[show, content, q, since, from, until].some((one) => one !== undefined)}
                  isSearched={isSearch}
                />
              ) : (
                <div className="min-h-0 flex-1 bg-surface">
                  <NoneSoFar onMore={more} />
                </div>
              )}
              {request === undefined ? (
                <Side flow={flow} flows={flows} onChoose={(id) => filter({ flow: id })} />
              ) : (
                <Suspense fallback={<SkeletonRows />}>
                  <RequestDetail
                    key={request.id}
                    request={request}
                    flow={flows.find((one) => one.id === request.flow_id)}
                    words={wordsToMark(q, request.match)}
                    tab={part}
                    onTab={(next) =>
                      void navigate({ search: (before) => ({ ...before, part: next }), replace: true })
                    }
                  />
                </Suspense>
              )}
            </SplitPane>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** A wide window has room for reasons and titles next to a body. */
const listWidth = () => (window.innerWidth < 1_600 ? 670 : Math.round(window.innerWidth * 0.56))

const TYPE_WORDS = {
  json: english('JSON'),
  form: english('Form'),
  xml: english('XML'),
  text: english('Text'),
  none: english('No body'),
} as const

function requestColumns(
  names: ReadonlyMap<string, string>,
  { isSearch, isForwarded }: { readonly isSearch: boolean; readonly isForwarded: boolean },
): readonly Column<ListedRequest>[] {
  const columns: readonly Column<ListedRequest>[] = [
    {
      id: 'method',
      header: english('Method'),
      width: '3.25rem',
      cell: (request) => (
        <RowLink
          to="/webhooks"
          search={(before) => ({ ...before, request: request.id })}
          replace
          aria-label={t('{{method}} returned {{status}}', { method: request.method, status: request.status })}
        >
          <code className={cx('text-code font-medium', METHOD_COLORS[request.method] ?? 'text-muted')}>
            {request.method}
          </code>
        </RowLink>
      ),
    },
    {
      id: 'path',
      header: english('Path'),
      width: 'minmax(5rem, 0.6fr)',
      yields: 3.5,
      cell: ({ path }) => (
        <code className="text-code" title={path}>
          {shortPath(path)}
        </code>
      ),
    },
    {
      id: 'status',
      header: english('Status'),
      width: '3.5rem',
      cell: (request) => (
        <span className="tabular flex items-center gap-1.5 font-medium">
          <StatusIcon silent state={request.status < 400 ? 'success' : 'error'} />
          {request.status}
        </span>
      ),
    },
    {
      id: 'type',
      header: english('Type'),
      width: '3.5rem',
      yields: 3,
      cell: (request) => (
        <span className="text-muted" title={request.headers['content-type']}>
          {typeOf(request)}
        </span>
      ),
    },
    {
      id: 'size',
      header: english('Size'),
      width: '3.5rem',
      yields: 5,
      align: 'end',
      cell: (request) => <span className="text-muted">{sizeOf(request)}</span>,
    },
    {
      id: 'client',
      header: english('From'),
      width: '5.5rem',
      yields: 2,
      cell: (request) => <code className="text-code text-muted">{request.client}</code>,
    },
    {
      id: 'at',
      header: english('Time'),
      width: '4.5rem',
      yields: 9,
      cell: ({ at }) => <Clock at={at} />,
    },
    {
      id: 'outcome',
      header: english('Outcome'),
      width: 'minmax(11rem, 2fr)',
      cell: (request) => {
        const name = names.get(request.flow_id ?? '') ?? (
          <span className="text-faint">{t('unknown flow')}</span>
        )
        const { title } = request
        if (request.reason === null)
          return title === null || title === name ? (
            name
          ) : (
            <span title={title}>
              {title} <span className="text-muted">· {name}</span>
            </span>
          )
        return (
          <span title={translateMessage(request.reason, request)}>
            <span className={isRefused(request) ? 'text-error' : 'text-muted'}>
              {translateMessage(request.reason, request)}
            </span>{' '}
            <span className="text-muted">· {name}</span>
          </span>
        )
      },
    },
    {
      id: 'forwarded',
      header: english('Forwarded'),
      width: '5.75rem',
      yields: 7,
      cell: ({ forwarded }) => (forwarded === null ? null : <Forwarded {...forwarded} />),
    },
    {
      id: 'body',
      header: isSearch ? english('Found in') : english('Body'),
      width: isSearch ? 'minmax(8rem, 3fr)' : 'minmax(6rem, 1.5fr)',
      yields: isSearch ? 8 : 4,
      cell: ({ preview, match }) =>
        match ? (
          <code className="text-code" title={match.snippet}>
            <MarkedText {...match} lead={BEFORE_MATCH} />
          </code>
        ) : preview === undefined || preview === null ? null : (
          <code className="text-code text-muted" title={preview}>
            {preview}
          </code>
        ),
    },
    {
      id: 'duration',
      header: english('Duration'),
      width: '4.75rem',
      yields: 1,
      align: 'end',
      cell: (request) => <span className="text-muted">{formatDuration(request.duration_ms)}</span>,
    },
  ]
  return isForwarded ? columns : columns.filter(({ id }) => id !== 'forwarded')
}

/** The latest response of the program on this computer. */
function Forwarded(forwarded: NonNullable<ListedRequest['forwarded']>) {
  const { status, error, duration_ms: ms } = forwarded
  if (error !== null) {
    const why = translateMessage(error, forwarded)
    return (
      <span className="text-error" title={why}>
        {why}
      </span>
    )
  }
  return (
    <span className={cx('tabular', (status ?? 500) < 400 ? 'text-muted' : 'text-error')}>
      {status} · {formatDuration(ms)}
    </span>
  )
}

/** A color in addition to the word. */
const METHOD_COLORS: Readonly<Record<string, string>> = {
  GET: 'text-data-key',
  POST: 'text-data-literal',
  PUT: 'text-data-number',
  PATCH: 'text-data-number',
  DELETE: 'text-error',
}

/** The type of its body, as the filter calls it; empty if there is none. */
function typeOf({ headers }: ListedRequest): string {
  const type = headers['content-type']?.toLowerCase() ?? ''
  const [known] = Object.entries(TYPES).find(([, part]) => type.includes(part)) ?? []
  return known === undefined ? '' : t(TYPE_WORDS[known as keyof typeof TYPES])
}

const TYPES = { json: 'json', form: 'form', xml: 'xml', text: 'text/' } as const

/** In a narrow column, the match begins near the left edge. */
const BEFORE_MATCH = 8

interface SideProps {
  readonly flow: Flow | undefined
  readonly flows: readonly Flow[]
  readonly onChoose: (flowId: string) => void
}

/** Shows how to call the flow while no request is selected. */
function Side({ flow, flows, onChoose }: SideProps) {
  const api = useApi()
  const { after: thenFlows } = useResource(FLOWS)
  const only = flow ?? (flows.length === 1 ? flows[0] : undefined)
  const { data: sample } = useResource(only === undefined ? null : newestBodyOf(only.id))
  const [sending, setSending] = useState(false)
  const [sendingTo, setSendingTo] = useState<Flow | null>(null)
  if (only === undefined)
    return (
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto bg-surface p-4">
        <h2 className="text-lg font-semibold">{t('Select a request, or a flow to call')}</h2>
        <ul className="flex flex-col gap-1">
          {flows.map((one) => (
            <li key={one.id} className="flex min-w-0 flex-wrap items-center gap-1">
              <Button onClick={() => onChoose(one.id)} icon={Webhook} className="min-w-0">
                <span className="truncate">{one.name}</span>
              </Button>
              <Button
                look="quiet"
                icon={Send}
                aria-label={t('Send a test request to “{{name}}”', { name: one.name })}
                onClick={() => setSendingTo(one)}
              >
                {t('Send test request')}
              </Button>
            </li>
          ))}
        </ul>
        {sendingTo === null ? null : (
          <Suspense>
            <SendRequestDialog flow={sendingTo} onClose={() => setSendingTo(null)} />
          </Suspense>
        )}
      </div>
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-40 flex-1 truncate text-lg font-semibold">
          {t('Call “{{name}}”', { name: only.name })}
        </h2>
        {/* Both wrap together: one of them alone below the other looks lost. */}
        <div className="flex flex-wrap gap-2">
          <Button icon={Send} onClick={() => setSending(true)}>
            {t('Send test request')}
          </Button>
          <ButtonLink to="/flows/$flowId" params={{ flowId: only.id }}>
            {t('Open flow')}
          </ButtonLink>
        </div>
      </div>
      <WebhookAddress
        flow={only}
        onRotate={async () => {
          await thenFlows(api.call(rotateWebhookTokenRoute, { params: { id: only.id } }))
        }}
        onTokenSwitch={async (on) => {
          const body = { settings: { webhook_token_enabled: on } }
          await thenFlows(api.call(updateFlowRoute, { params: { id: only.id }, body }))
        }}
        {...bodyOf(sample)}
      />
      {sending ? (
        <Suspense>
          <SendRequestDialog flow={only} {...bodyOf(sample)} onClose={() => setSending(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}

/** The body that the snippets send: that of the newest request, if it is text. */
function bodyOf(sample: ReceivedBody | null | undefined) {
  if (sample === null || sample === undefined || sample.encoding === 'hex' || sample.truncated) return {}
  return { body: sample.body, contentType: TYPE_OF_KIND[sample.kind ?? 'text'] }
}

const TYPE_OF_KIND: { readonly [K in NonNullable<ReceivedBody['kind']>]: string } = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  xml: 'application/xml',
  text: 'text/plain',
  none: 'application/json',
}

function PausedCounts({ flowId }: { readonly flowId: string | undefined }) {
  const { data: paused } = useResource(PAUSED_COUNTS)
  const shown = (paused ?? []).filter((one) => flowId === undefined || one.flow_id === flowId)
  const count = shown.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return null
  return (
    <output className="ml-auto text-sm text-paused">
      {t('{{requests}} reached paused flows and weren’t stored', {
        requests: plural(count, 'request'),
      })}
    </output>
  )
}

interface NoRequestsProps {
  readonly flow: Flow | undefined
  readonly isFiltered: boolean
  readonly isSearched: boolean
}

function NoRequests({ flow, isFiltered, isSearched }: NoRequestsProps) {
  return (
    <div className="min-h-0 flex-1 bg-surface">
      {flow !== undefined && !isFiltered ? (
        <EmptyState
          icon={Webhook}
          example={['POST /v1/flow-webhook/…', 'application/json', '200']}
          title={t('Waiting for the first request')}
        >
          {t('Call “{{name}}” as shown, or send a test request. It appears here when it arrives.', {
            name: flow.name,
          })}
        </EmptyState>
      ) : isFiltered ? (
        <NoMatches title={t('No requests match')} to="/webhooks" all={t('Show all requests')}>
          {isSearched
            ? t(
                'The search covers paths and the contents of requests and their runs. It matches whole words. Use inv* to match beginnings.',
              )
            : t('No stored request has this flow, result, body and time.')}
        </NoMatches>
      ) : (
        <EmptyState
          icon={Webhook}
          example={['POST /v1/flow-webhook/…', 'application/json', '200']}
          title={t('No requests yet')}
          action={
            <ButtonLink look="primary" to="/">
              {t('Receive your first webhook')}
            </ButtonLink>
          }
        >
          {t(
            'Requests to your webhooks appear here as they arrive, including rejected ones with the reason. Copy a URL on the right and call it.',
          )}
        </EmptyState>
      )}
    </div>
  )
}
