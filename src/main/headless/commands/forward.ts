import { createFlowRoute, type Flow, listFlowsRoute, readFlowRoute } from '../../../shared/contract/flows.ts'
import {
  deleteForwardRoute,
  type Forward,
  readForwardRoute,
  replayWebhookRequestsRoute,
  type Responder,
  updateForwardRoute,
} from '../../../shared/contract/reach/forwards.ts'
import { WEBHOOK_METHODS } from '../../../shared/contract/step-types/triggers/webhook.ts'
import { type ListedRequest, listWebhookRequestsRoute } from '../../../shared/contract/webhooks.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findFlow } from '../support/find-record.ts'
import { followed } from '../support/followed.ts'
import type { HostClient } from '../support/host-client.ts'
import { type LiveRow, openLiveTable } from '../support/live-table.ts'
import { requireRunningHost } from '../support/with-host.ts'
import { describeReplay } from './webhook.ts'

export interface ForwardOptions {
  readonly path?: string
  readonly flow?: string
  readonly filter?: string
  readonly method?: readonly string[]
  readonly respond?: string
  readonly keepWhenClosed?: boolean
  readonly keepHost?: boolean
  readonly keep?: boolean
}

/** Forwards a webhook's requests to a local program and prints each one, until it is stopped. */
export async function forwardWebhooks(
  { config, output, readerGone }: CommandContext,
  options: ForwardOptions,
  target: string,
): Promise<void> {
  const url = urlOf(target, options.path)
  const host = await requireRunningHost(config)
  const flow = options.flow === undefined ? await flowFor(host, url) : await findFlow(host, options.flow)
  const params = { id: flow.id }
  const { forward: before } = await host.call(readForwardRoute, { params })
  const read = () =>
    host.call(listWebhookRequestsRoute, { query: { filter: [`flow_id,eq,${flow.id}`], per_page: '50' } })
  const seen = new Set((await read()).map(({ id }) => id))
  await host.call(updateForwardRoute, { params, body: forwardOf(url, options) })
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  let table: ReturnType<typeof openLiveTable> | null = null
  try {
    const addresses = await addressesOf(host, flow, url)
    output.note(addresses)
    const signal = AbortSignal.any([readerGone, stop.signal])
    if (!output.json && process.stdin.isTTY && process.stdout.isTTY) {
      table = openLiveTable(`${addresses.split('\n').at(-2)} → ${url}`, {
        onQuit: end,
        onAgain: (id) => sendAgain(host, { to: url, ids: [id] }, signal),
      })
      for await (const requests of followed(host, NOUNS, read, signal)) {
        const { waiting } = await host.call(readForwardRoute, { params })
        const rows = requests.filter(({ id }) => !seen.has(id)).map((one) => rowOf(one, waiting > 0))
        table.show(rows.toReversed(), waiting)
      }
      return
    }
    for await (const requests of followed(host, NOUNS, read, signal))
      for (const request of requests.toReversed()) {
        // A request is listed as soon as it arrives, but only shown once it was sent or rejected.
        if (seen.has(request.id) || (request.forwarded === null && request.reason === null)) continue
        seen.add(request.id)
        output.line(request, describe(request))
      }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    table?.close()
    process.off('SIGINT', end).off('SIGTERM', end)
    if (!options.keep) {
      if (before === null) await host.call(deleteForwardRoute, { params })
      else await host.call(updateForwardRoute, { params, body: before })
    }
  }
}

const NOUNS = ['webhook_request', 'flow_run', 'flow'] as const

async function sendAgain(
  host: HostClient,
  body: { readonly to: string; readonly ids: string[] },
  signal: AbortSignal,
): Promise<string> {
  for await (const replay of host.stream(replayWebhookRequestsRoute, signal, { body }))
    return `Sent again: ${describeReplay(replay, '')}`
  return ''
}

/** @param areSomeKept whether a request without a response may still be waiting for the program */
function rowOf(request: ListedRequest, areSomeKept: boolean): LiveRow {
  const { id, at, method, path, status, forwarded, reason } = request
  const kept = areSomeKept && status === 202 ? 'waits' : '…'
  const shown = forwarded === null ? (reason === null ? kept : status) : (forwarded.status ?? 'none')
  return {
    id,
    time: at.slice(11, 19),
    method,
    path,
    status: String(shown),
    ms: forwarded === null ? '' : `${Math.round(forwarded.duration_ms)} ms`,
    note: forwarded?.error ?? reason ?? (forwarded?.kind === 'replay' ? 'sent again' : ''),
  }
}

function urlOf(target: string, path = ''): string {
  const base = /^\d{1,5}$/.test(target) ? `http://localhost:${target}` : target
  return path === '' ? base : base.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)
}

function forwardOf(url: string, options: ForwardOptions): Partial<Forward> & Pick<Forward, 'url'> {
  const { filter, method, respond = 'program', keepWhenClosed = false, keepHost = false } = options
  return {
    url,
    filter: filter ?? null,
    methods: method === undefined ? null : (method.map((one) => one.toUpperCase()) as Forward['methods']),
    respond: respond as Responder,
    keep_when_closed: keepWhenClosed,
    keep_host: keepHost,
  }
}

/** The flow for this port, which is created on first use. */
async function flowFor(host: HostClient, url: string): Promise<Flow> {
  if (!URL.canParse(url)) throw new HostError(EXIT.usage, `"${url}" is neither a port nor a URL`)
  const { port, protocol } = new URL(url)
  const name = `Forward to port ${port || (protocol === 'https:' ? '443' : '80')}`
  const found = await host.call(listFlowsRoute, { query: { filter: [`name,eq,${name}`], per_page: '1' } })
  const [known] = found
  if (known !== undefined) return host.call(readFlowRoute, { params: { id: known.id } })
  const config = { methods: [...WEBHOOK_METHODS] }
  const steps = [{ ref_id: 'request', type: 'webhook', config }]
  return host.call(createFlowRoute, { body: { name, steps, settings: { webhook_token_enabled: false } } })
}

async function addressesOf(host: HostClient, { id }: Flow, url: string): Promise<string> {
  const { name, webhook } = await host.call(readFlowRoute, { params: { id } })
  if (!webhook) throw new HostError(EXIT.failed, `Flow "${name}" has no webhook; its first step must be one`)
  const from = [webhook.url, webhook.public_url].filter((one) => one !== null && one !== undefined)
  return `${from.join('\n')}\n→ ${url}. Stop with Ctrl+C.`
}

function describe({ at, method, path, status, forwarded, size, reason }: ListedRequest): string {
  const ms = forwarded === null ? '' : `${Math.round(forwarded.duration_ms)} ms`
  const why = forwarded?.error ?? reason ?? ''
  return [at.slice(11, 19), method, path, status, ms, `${size} bytes`, why]
    .filter((one) => one !== '')
    .join('  ')
}
