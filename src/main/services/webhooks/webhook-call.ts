/** One request to a webhook: what its head says, and what is listed of it. */
import { isUtf8 } from 'node:buffer'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { isoOf } from '../../../shared/iso-time.ts'
import { dictionaryOf } from '../../engine/data/value.ts'
import type { Redactor } from '../../engine/redaction/redactor.ts'
import type { Clock } from '../../engine/ports.ts'
import type { NewWebhookRequest } from '../../store/index.ts'
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

/** A class, because there is one for each request (`HistoryRecorder` says why). */
export class WebhookCall {
  readonly head: WebhookHead
  /** Monotonic. */
  readonly receivedAt: number
  /** Hides what the caller identified itself with, too. */
  readonly redactor: Redactor
  readonly #clock: Clock
  /** Milliseconds of the Unix epoch. */
  readonly #at: number

  constructor(
    head: WebhookHead,
    { clock, secrets }: { readonly clock: Clock; readonly secrets: KnownSecrets },
    at = clock.now(),
  ) {
    this.head = head
    this.receivedAt = clock.monotonic()
    this.redactor = secrets.redactor(bearerOf(head))
    this.#clock = clock
    this.#at = at
  }

  /** The request's line in the list as long as its answer is not known. */
  pendingRequest(flow: RunnableFlow | null, size: number, runId: string | null): PendingRequest['record'] {
    const { head, redactor } = this
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

  /** Its line in the list once it is answered. */
  listedRequest(
    flow: RunnableFlow | null,
    { status, reason, size }: Listing,
    runId: string | null,
  ): NewWebhookRequest {
    return {
      ...this.pendingRequest(flow, size, runId),
      status,
      reason,
      duration_ms: this.#clock.monotonic() - this.receivedAt,
    }
  }

  /** What templates read of the request besides its input. */
  details({ settings }: RunnableFlow, body: Buffer): Pick<RunStart, 'webhook' | 'rawBytes'> {
    const webhook = dictionaryOf([
      ['method', this.head.method],
      // The token that opens the webhook is not for templates.
      ['headers', dictionaryOf(headerEntries(this.head, settings.webhook_token_enabled))],
      ['raw_body', body.toString('utf8')],
    ])
    return isUtf8(body)
      ? { webhook }
      : { webhook, rawBytes: body.subarray(0, MOST_RAW_BYTES).toString('base64') }
  }
}

/** What the list says of a request besides its head. */
export interface Listing {
  readonly status: number
  /** Why it started no run; null if it did. */
  readonly reason: string | null
  /** Bytes of the body as it was sent; 0 if it is not known. */
  readonly size: number
}

const LONGEST_PATH = 2_000
/** Of a body that is no text, what is kept to be shown. */
export const MOST_RAW_BYTES = 262_144

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
