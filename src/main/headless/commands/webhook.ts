import { readFlowRoute } from '../../../shared/contract/flows.ts'
import { replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import { replayWebhookRequestsRoute, type WebhookReplay } from '../../../shared/contract/reach/forwards.ts'
import {
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
  type WebhookRequest,
} from '../../../shared/contract/webhooks.ts'
import { resentHeaders } from '../../../shared/resent-headers.ts'
import { isJsonText } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { describeResponse, endOfRun, printRun, readWholeRun } from '../support/described-run.ts'
import { findFlow } from '../support/find-record.ts'
import { followed } from '../support/followed.ts'
import type { HostClient } from '../support/host-client.ts'
import { readCount } from '../support/read-count.ts'
import { readMoment } from '../support/read-moment.ts'
import { readHeader } from '../support/read-header.ts'
import { readGiven } from '../support/text-file.ts'
import { bytesOf, queryOf, sendToWebhook, type WebhookReply } from '../support/webhook-call.ts'
import { requireRunningHost, withHost } from '../support/with-host.ts'

export interface SendOptions {
  readonly data?: string
  readonly header?: readonly string[]
  readonly query?: string
}

/** Sends a request to a flow's webhook, with its token. Exits with 1 if the status is 400 or higher. */
export async function sendWebhook(
  context: CommandContext,
  { data = '', header = [], query = '' }: SendOptions,
  wanted: string,
): Promise<ExitCode> {
  const body = readGiven(data)
  const given = Object.fromEntries(header.map(readHeader))
  const hasType = Object.keys(given).some((name) => name.toLowerCase() === 'content-type')
  const headers =
    hasType || typeof body !== 'string' || !isJsonText(body)
      ? given
      : { 'Content-Type': 'application/json', ...given }
  const reply = await withHost(context.config, async (host) =>
    sendToWebhook(host, await findFlow(host, wanted), {
      query: query === '' || query.startsWith('?') ? query : `?${query}`,
      headers,
      body,
    }),
  )
  return printReply(context, reply)
}

/** Prints the newest requests and then each new one, until it is stopped or has printed `--count` lines. */
export async function tailWebhooks(
  { config, output, readerGone }: CommandContext,
  { flow, count }: { readonly flow?: string; readonly count?: string },
): Promise<void> {
  const most = count === undefined ? Infinity : readCount(count)
  const host = await requireRunningHost(config)
  const filter = flow === undefined ? [] : [`flow_id,eq,${(await findFlow(host, flow)).id}`]
  const read = () => host.call(listWebhookRequestsRoute, { query: { filter, per_page: '50' } })
  const seen = new Set<string>()
  for await (const requests of followed(host, ['webhook_request', 'flow_run'], read, readerGone))
    for (const request of requests.toReversed()) {
      if (seen.has(request.id)) continue
      seen.add(request.id)
      output.line(request, describeRequest(request))
      if (seen.size === most) return
    }
}

export interface ReplayOptions {
  readonly version?: string
  readonly to?: string
  readonly since?: string
  readonly until?: string
  readonly flow?: string
  readonly sign?: boolean
  readonly rhythm?: boolean
}

/** Runs the flow of a request again, or sends requests to a local program. */
export async function replayWebhook(
  context: CommandContext,
  { version, to, ...options }: ReplayOptions,
  ...ids: string[]
): Promise<ExitCode> {
  const [id, another] = ids
  if (to !== undefined) {
    if (version === undefined) return sendToProgram(context, { ...options, to }, ids)
    throw new HostError(EXIT.usage, '--version is for the flow of a request: leave out --to')
  }
  const [extra] = Object.keys(options).filter((name) => name !== 'json' && name in ONLY_WITH_TO)
  if (extra !== undefined)
    throw new HostError(EXIT.usage, `--${extra} is for requests to a local program: add --to, with its port`)
  if (id === undefined || another !== undefined)
    throw new HostError(EXIT.usage, 'Name one request, or add --to to send several to a local program')
  return runAgain(context, version, id)
}

const ONLY_WITH_TO = { since: 1, until: 1, flow: 1, sign: 1, rhythm: 1 } as const

/** Exits with 1 unless every request got a status below 400. */
async function sendToProgram(
  { config, output, readerGone }: CommandContext,
  { to, since, until, flow, sign = false, rhythm = false }: ReplayOptions & { readonly to: string },
  ids: readonly string[],
): Promise<ExitCode> {
  if ((ids.length === 0) === (since === undefined))
    throw new HostError(EXIT.usage, 'Name requests by their IDs, or a time with --since')
  const span = { since: isoOf(readMoment(since, '--since')), until: isoOf(readMoment(until, '--until')) }
  const host = await requireRunningHost(config)
  const body = {
    to: /^\d{1,5}$/.test(to) ? Number(to) : to,
    ...(ids.length > 0 ? { ids: [...ids] } : span),
    ...(flow !== undefined && { flow_id: (await findFlow(host, flow)).id }),
    sign,
    keep_rhythm: rhythm,
  }
  let sent = 0
  let good = 0
  for await (const replay of host.stream(replayWebhookRequestsRoute, readerGone, { body })) {
    sent++
    if (replay.attempt?.error === null && (replay.attempt.status ?? 0) < 400) good++
    output.line(replay, describeReplay(replay))
  }
  if (sent === 0) output.note('No requests arrived in that time.')
  return good === sent ? EXIT.ok : EXIT.failed
}

const isoOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Compares the program's response with the first one. */
export function describeReplay(replay: WebhookReplay, id = replay.request_id): string {
  const { attempt, reason, is_signed: isSigned, first, body, difference } = replay
  if (attempt === null) return [id, reason].filter(Boolean).join('  ')
  const ms = (value: number) => `${Math.round(value)} ms`
  return [
    id,
    attempt.error ?? attempt.status,
    ms(attempt.duration_ms),
    isSigned ? 'new signature' : '',
    first === null ? '' : `first time ${first.status} in ${ms(first.duration_ms)}`,
    body === 'unknown' ? '' : `${body} body`,
    difference === null
      ? ''
      : `from character ${difference.at}: ${JSON.stringify(difference.now)}, first time ${JSON.stringify(difference.before)}`,
  ]
    .filter((one) => one !== '')
    .join('  ')
}

/** Runs the flow of a request again; a rejected request is resent unchanged. */
async function runAgain(context: CommandContext, version: string | undefined, id: string): Promise<ExitCode> {
  const body = version === undefined ? {} : { version: readCount(version, '--version') }
  const { config, output } = context
  const host = await requireRunningHost(config)
  const { request, received } = await host.call(readWebhookRequestRoute, { params: { id } })
  if (request.flow_run_id !== null) {
    const started = await host.call(replayFlowRunRoute, { params: { id: request.flow_run_id }, body })
    const run = await endOfRun(host, started.flow_run_id, output)
    return printRun(output, await readWholeRun(host, run, false))
  }
  if (version !== undefined)
    throw new HostError(
      EXIT.usage,
      `Request ${id} was rejected before a flow ran, so it is sent to the current version; leave out --version`,
    )
  if (received === null || received.truncated || request.flow_id === null)
    throw new HostError(
      EXIT.failed,
      `Request ${id} was rejected, and only part of its body was kept: ${request.reason}`,
    )
  return printReply(context, await sendAgain(host, request, bytesOf(received)))
}

async function sendAgain(host: HostClient, request: WebhookRequest, body: Buffer): Promise<WebhookReply> {
  const flow = await host.call(readFlowRoute, { params: { id: request.flow_id ?? '' } })
  return sendToWebhook(host, flow, {
    query: queryOf(request.path),
    headers: resentHeaders(request.headers),
    body,
  })
}

function printReply({ output }: CommandContext, reply: WebhookReply): ExitCode {
  output.answer(reply, describeResponse(reply))
  return reply.status < 400 ? EXIT.ok : EXIT.failed
}

function describeRequest({ at, status, id, method, path, size, reason, client }: WebhookRequest): string {
  return [at, status, id, method, path, `${size} bytes from ${client}`, reason ?? '']
    .filter(Boolean)
    .join('  ')
}
