/** One webhook request: its head, and its row in the list. */
import { englishOf, SAID, type Said } from '../../../../shared/contract/base/message.ts'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { WEBHOOK_PATH, type WebhookRequest } from '../../../../shared/contract/webhooks.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import { dictionaryOf } from '@millrace/jinja/data'
import { hideParameters, type Redactor } from '../../../engine/redaction/redactor.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { SignedRequest } from '../../../engine/webhook/check-signature.ts'
import type { NewHold, NewWebhookRequest } from '../../../store/index.ts'
import { WEBHOOK_TOKEN_PREFIX } from '../../keeping/access/token-secret.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { PendingRequest } from '../execution/history-recorder.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'

/** A request whose body hasn't been read yet. */
export interface WebhookHead {
  readonly method: string
  /** The target as in the request line, including the query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The headers as sent: names and values alternate. */
  readonly rawHeaders: readonly string[]
  /** The caller's IP address, which is the socket's unless a tunnel or a trusted proxy names another one. */
  readonly client: string
}

/**
 * The body as sent, still encoded; null if the caller left before its end.
 *
 * @param onTooLarge called with the bytes that were read, if the caller didn't announce how many there are
 * @throws AppError `too_large`
 */
export type ReadBody = (maxBytes: number, onTooLarge?: (bytes: number) => void) => Promise<Buffer | null>

/** The same, but a larger body is returned as a stream. */
export type ReadOrStreamBody = (maxBytes: number) => Promise<Buffer | Readable | null>

/** A class, because there is one for each request (see `HistoryRecorder`). */
export class WebhookCall {
  /** Replaced if it is edited while it is held. */
  head: WebhookHead
  /** Monotonic clock. */
  readonly receivedAt: number
  /** Also redacts the caller's credentials. */
  readonly redactor: Redactor
  /** The outcome of the request's hold; undefined if it wasn't held. */
  hold: NewHold | undefined
  /** Called with the ID of its row, once that is certain. */
  onListed: ((id: string) => void) | null = null
  readonly #clock: Clock
  /** Unix time in milliseconds. */
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

  /** The request's row in the list until its response is known. */
  pendingRequest(flow: RunnableFlow | null, size: number, runId: string | null): PendingRequest['record'] {
    const { head, redactor } = this
    return {
      flow_id: flow?.id ?? null,
      at: this.at,
      reason: null,
      method: head.method.slice(0, 20),
      path: hideParameters(redactor.redactText(head.target.slice(0, LONGEST_PATH))),
      headers: shownHeaders(head, redactor),
      size,
      client: head.client,
      flow_run_id: runId,
      ...(this.hold && { hold: this.hold }),
    }
  }

  /** The request's row in the list once it has a response. */
  listedRequest(
    flow: RunnableFlow | null,
    { status, reason, size, outcome = reason === null ? 'run' : 'rejected' }: Listing,
    runId: string | null,
  ): NewWebhookRequest {
    const pending = this.pendingRequest(flow, size === 0 ? announcedSize(this.head) : size, runId)
    return {
      ...pending,
      // The parameters with which a service checks a URL are often secret, so all values are hidden.
      ...(outcome === 'handshake' && { path: pending.path.replaceAll(/=[^&]*/g, '=***') }),
      status,
      outcome,
      reason: reason && englishOf(reason),
      [SAID]: reason ?? undefined,
      duration_ms: this.#clock.monotonic() - this.receivedAt,
    }
  }

  /** The time at which the request arrived. */
  get at(): string {
    return isoOf(this.#at)
  }

  /** The data of the request that templates can read besides its input. */
  details({ settings }: RunnableFlow, body: Buffer): Pick<RunStart, 'webhook' | 'rawBytes'> {
    const webhook = dictionaryOf([
      ['method', this.head.method],
      // Templates must not see the token that opens the webhook.
      ['headers', dictionaryOf(headerEntries(this.head, settings.webhook_token_enabled))],
      ['raw_body', body.toString('utf8')],
    ])
    return isUtf8(body)
      ? { webhook }
      : { webhook, rawBytes: body.subarray(0, MOST_RAW_BYTES).toString('base64') }
  }
}

/** The part of a request's row in the list that doesn't come from its head. */
export interface Listing {
  readonly status: number
  /** The reason why it started no run; null if it did. */
  readonly reason: Said | null
  /** Size of the body as sent, in bytes; 0 if it wasn't read. */
  readonly size: number
  /** The body as sent, if it is kept for debugging because it couldn't be read or its signature is wrong. */
  readonly rejectedBody?: Buffer | null
  /** Defaults to `rejected` if there is a reason, otherwise to `run`. */
  readonly outcome?: WebhookRequest['outcome']
}

/** The size that the caller announced, for a request rejected before its body was read. */
function announcedSize(head: WebhookHead): number {
  const length = Number(headerOf(head, 'content-length') ?? 0)
  return Number.isSafeInteger(length) && length > 0 ? length : 0
}

const LONGEST_PATH = 2_000
/** Number of bytes of a binary body that are kept for display. */
export const MOST_RAW_BYTES = 262_144

/** Null unless the URL matches exactly: not longer, not encoded, no trailing slash. */
export function flowIdOf(target: string): string | null {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return ADDRESS.exec(path)?.[1] ?? null
}

// linear: anchored, of fixed length
const ADDRESS = new RegExp(`^${WEBHOOK_PATH}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

export function queryOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at)
}

export function headerOf({ headers }: WebhookHead, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** The request as its sender signed it. */
export function signedRequest(head: WebhookHead, body: Buffer, publicUrl: string | null): SignedRequest {
  return {
    header: (name) => headerOf(head, name.toLowerCase()) || null,
    body,
    urls: calledUrls(head, publicUrl),
  }
}

/**
 * A tunnel or proxy may hide the host that was called. Some senders sign the URL with the standard port, others
 * without.
 */
function calledUrls(head: WebhookHead, publicUrl: string | null): readonly string[] {
  const host = headerOf(head, 'host')
  const origins = [
    ...(publicUrl === null ? [] : [trimEnd(publicUrl, '/')]),
    ...(host === undefined ? [] : [`https://${host}`, `http://${host}`]),
  ]
  const spellings = origins.flatMap((origin) => {
    if (!URL.canParse(origin)) return []
    const { protocol, hostname, pathname } = new URL(origin)
    const [bare, path] = [`${protocol}//${hostname}`, trimEnd(pathname, '/')]
    return [origin, bare + path, `${bare}:${protocol === 'https:' ? 443 : 80}${path}`]
  })
  return [...new Set(spellings)].map((origin) => origin + head.target)
}

/** Also finds the token in the link of a form, because a browser that opens it can't send a header. */
export function authorizationOf(head: WebhookHead): string | undefined {
  const header = headerOf(head, 'authorization')
  if (header !== undefined || !head.target.includes(`=${WEBHOOK_TOKEN_PREFIX}`)) return header
  const token = new URLSearchParams(queryOf(head.target)).get('token')
  return token?.startsWith(WEBHOOK_TOKEN_PREFIX) ? `Bearer ${token}` : undefined
}

function bearerOf(head: WebhookHead): string | null {
  return /^bearer (\S+)$/i.exec(authorizationOf(head) ?? '')?.[1] ?? null
}

export function shownHeaders(
  head: Pick<WebhookHead, 'headers'>,
  redactor: Redactor,
): Readonly<Record<string, string>> {
  return redactor.redactHeaders(joinedHeaders(head))
}

/** Most requests have no repeated headers, so their headers are returned as they are. */
function joinedHeaders(head: Pick<WebhookHead, 'headers'>): Readonly<Record<string, string>> {
  for (const name in head.headers)
    if (typeof head.headers[name] !== 'string') return Object.fromEntries(headerEntries(head, false))
  return head.headers as Readonly<Record<string, string>>
}

function headerEntries({ headers }: Pick<WebhookHead, 'headers'>, hidesToken: boolean): [string, string][] {
  const entries: [string, string][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || (hidesToken && name === 'authorization')) continue
    entries.push([name, typeof value === 'string' ? value : value.join(', ')])
  }
  return entries
}
