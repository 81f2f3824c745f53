import { readFlowRoute } from '../../../shared/contract/flows.ts'
import { replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
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

/** Runs the flow of a request again; a rejected request is resent unchanged. */
export async function replayWebhook(
  context: CommandContext,
  { version }: { readonly version?: string },
  id: string,
): Promise<ExitCode> {
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
      `Request ${id} was rejected before a flow ran, and is sent again to the current version: leave out --version`,
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
