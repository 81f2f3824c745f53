/**
 * Handles a call to the URL of a waiting run. The content of the first request becomes the output of the run's step.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { type Data, type Dictionary, dictionaryOf } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import { parseWebhookInput } from '../../../engine/webhook/parse-input.ts'
import { exceededHeaders } from '../../kit/rate-limit-headers.ts'
import { CALLBACK_PATH, type CallbacksService } from '../runs/callbacks.ts'
import type { CountCall } from './admit.ts'
import { errorReply, type WebhookReply } from './await-answer.ts'
import { headerOf, queryOf, type ReadBody, type WebhookHead } from './webhook-call.ts'

export interface CallbackCallOptions {
  readonly callbacks: Pick<CallbacksService, 'isKnown' | 'receive'>
  readonly countCall: CountCall
  readonly settings: () => Pick<Settings, 'webhook_body_limit_bytes'>
  readonly clock: Pick<Clock, 'now'>
}

export type HandleCallback = (head: WebhookHead, readBody: ReadBody) => Promise<WebhookReply | null>

export function createCallbackCall(options: CallbackCallOptions): HandleCallback {
  const { callbacks, countCall, settings, clock } = options

  async function take(head: WebhookHead, readBody: ReadBody): Promise<WebhookReply | null> {
    if (!METHODS.includes(head.method))
      throw new AppError(
        'method_not_allowed',
        say('Call it with {{methods}}', { methods: METHODS.join(', ') }),
        {
          headers: { Allow: METHODS.join(', ') },
        },
      )
    const token = head.target.slice(CALLBACK_PATH.length).split('?')[0] ?? ''
    if (!callbacks.isKnown(token)) throw unknown()
    const body = await readBody(settings().webhook_body_limit_bytes)
    if (body === null) return null
    const state = await callbacks.receive(token, await requestOf(head, body))
    if (state === 'unknown') throw unknown()
    if (state !== 'received') throw new AppError('conflict', REFUSED[state])
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"status":"received"}' }
  }

  async function requestOf(head: WebhookHead, body: Buffer): Promise<Dictionary> {
    const limits = { maxBytes: settings().webhook_body_limit_bytes }
    const sent = await parseWebhookInput(
      {
        contentType: headerOf(head, 'content-type'),
        contentEncoding: headerOf(head, 'content-encoding'),
        body,
        query: '',
        limits,
      },
      refuseFile,
    )
    const asked = await parseWebhookInput(
      {
        contentType: undefined,
        contentEncoding: undefined,
        body: NOTHING,
        query: queryOf(head.target),
        limits,
      },
      refuseFile,
    )
    const headers = Object.keys(head.headers).map((name): [string, Data] => [
      name,
      headerOf(head, name) ?? '',
    ])
    return dictionaryOf([
      ['method', head.method],
      ['headers', dictionaryOf(headers)],
      ['query', asked.input],
      ['body', sent.input],
      ['received_at', isoOf(clock.now())],
      ['timed_out', false],
    ] satisfies [string, Data][])
  }

  return async (head, readBody) => {
    const limit = countCall(head.client)
    if (limit?.isExceeded)
      return errorReply(
        new AppError('rate_limit', say('Too many calls; try again in a moment')),
        exceededHeaders(limit),
      )
    try {
      return await take(head, readBody)
    } catch (error) {
      if (error instanceof AppError) return errorReply(error, {})
      throw error
    }
  }
}

export function isCallback(target: string): boolean {
  return target.startsWith(CALLBACK_PATH)
}

function unknown(): AppError {
  return new AppError('not_found', say('No run is waiting at this URL'))
}

function refuseFile(): never {
  throw new AppError(
    'unsupported_media_type',
    say("A callback can't contain files; send JSON or a form without files"),
  )
}

const REFUSED = {
  again: say('This URL has been called before, and the run continues with the first call'),
  expired: say('This call comes too late: the run has continued without it'),
  over: say('The run that waited for this call has ended'),
} as const

const NOTHING = Buffer.alloc(0)
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
