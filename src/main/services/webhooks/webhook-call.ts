/** One request to a webhook on its way through the checks, and what is listed of it. */
import { isUtf8 } from 'node:buffer'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { isoOf } from '../../../shared/iso-time.ts'
import { dictionaryOf } from '../../engine/data/value.ts'
import type { Redactor } from '../../engine/redaction/redactor.ts'
import type { Clock } from '../../engine/ports.ts'
import type { NewWebhookRequest } from '../../store/runs/webhook-requests.ts'
import type { KnownSecrets } from '../secrets/known-secrets.ts'
import type { PendingRequest } from '../execution/history-recorder.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'

/** A request of which nothing but the head was read. */
export interface WebhookHead {
  readonly method: string
  /** As it stands in the request line, with its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Address of the socket; no header changes it. */
  readonly client: string
}

export class WebhookCall {
  readonly head: WebhookHead
  readonly receivedAt: number
  flow: RunnableFlow | null = null
  size = 0
  /** Of files that came with it. */
  readonly fileIds: string[] = []
  /** Whether the list of requests has it already, or is not to have it. */
  isListed = false
  corsHeaders: Readonly<Record<string, string>> = {}
  readonly #clock: Clock
  readonly #at: number
  #redactor: Redactor | null = null

  constructor(head: WebhookHead, clock: Clock, at = clock.now()) {
    this.head = head
    this.#clock = clock
    this.receivedAt = clock.monotonic()
    this.#at = at
  }

  /** Hides what the caller identified itself with, too. */
  redactor(secrets: KnownSecrets): Redactor {
    return (this.#redactor ??= secrets.redactor(bearerOf(this.head)))
  }

  pendingRequest(secrets: KnownSecrets, runId: string | null): PendingRequest['record'] {
    const { head, flow, size } = this
    const redactor = this.redactor(secrets)
    return {
      flow_id: flow?.id ?? null,
      at: isoOf(this.#at),
      reason: null,
      method: head.method.slice(0, 20),
      path: redactor.redactText(head.target.slice(0, LONGEST_PATH)),
      headers: redactor.redactHeaders(joinedHeaders(head)),
      size,
      client: head.client,
      flow_run_id: runId,
    }
  }

  listedRequest(
    secrets: KnownSecrets,
    status: number,
    reason: string | null,
    runId: string | null,
  ): NewWebhookRequest {
    return {
      ...this.pendingRequest(secrets, runId),
      status,
      reason,
      duration_ms: this.#clock.monotonic() - this.receivedAt,
    }
  }

  /** What templates read of the request beside its input. */
  details(body: Buffer): Pick<RunStart, 'webhook' | 'rawBytes'> {
    // The token that opens the webhook is nothing for templates.
    const hidesToken = this.flow?.settings.webhook_token_enabled ?? true
    const webhook = dictionaryOf([
      ['method', this.head.method],
      ['headers', dictionaryOf(headerEntries(this.head, hidesToken))],
      ['raw_body', body.toString('utf8')],
    ])
    return isUtf8(body)
      ? { webhook }
      : { webhook, rawBytes: body.subarray(0, MOST_RAW_BYTES).toString('base64') }
  }
}

const LONGEST_PATH = 2_000
/** Of a body that is no text, what is kept to be shown. */
const MOST_RAW_BYTES = 262_144

/** Null for any address but the very one: longer, encoded, with a slash at its end. */
export function flowIdOf(target: string): string | null {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return ADDRESS.exec(path)?.[1] ?? null
}

const ADDRESS = new RegExp(`^${WEBHOOK_PATH}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

export function queryOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at)
}

export function headerOf({ headers }: WebhookHead, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

function bearerOf(head: WebhookHead): string | null {
  return /^bearer (\S+)$/i.exec(headerOf(head, 'authorization') ?? '')?.[1] ?? null
}

/** Most requests have no header that is a list; theirs are handed on as they are. */
function joinedHeaders(head: WebhookHead): Readonly<Record<string, string>> {
  for (const name in head.headers)
    if (typeof head.headers[name] !== 'string') return Object.fromEntries(headerEntries(head, false))
  return head.headers as Readonly<Record<string, string>>
}

function headerEntries({ headers }: WebhookHead, hidesToken: boolean): [string, string][] {
  const entries: [string, string][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || (hidesToken && name === 'authorization')) continue
    entries.push([name, typeof value === 'string' ? value : value.join(', ')])
  }
  return entries
}
