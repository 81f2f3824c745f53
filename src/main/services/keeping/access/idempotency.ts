/** Executes a request only once, however often its caller repeats it with the same `Idempotency-Key`. */
import { say } from '../../../../shared/contract/base/message.ts'
import { hash } from 'node:crypto'
import {
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEY,
  REPLAYED_HEADER,
} from '../../../../shared/contract/base/conventions.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store, StoredAnswer } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'

export type IdempotencyService = ReturnType<typeof createIdempotencyService>

export interface OnceRequest {
  readonly caller: Caller
  readonly key: string
  /** Everything that distinguishes this request from others: method, URL, body. */
  readonly parts: readonly string[]
  /** Returns the part of a response that can be stored: secrets that are shown only once are left out. */
  readonly keep: (answer: StoredAnswer) => StoredAnswer
}

export interface IdempotencyOptions {
  readonly store: Pick<Store, 'idempotencyKeys' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}

const LIFE_MS = IDEMPOTENCY_HOURS * 3_600_000
/** A longer response isn't stored; a repeat then says where to read the created record. */
const MAX_KEPT_LENGTH = 1_048_576

interface UnderWay {
  readonly fingerprint: string
  readonly answer: Promise<StoredAnswer>
}

export function createIdempotencyService({ store, clock }: IdempotencyOptions) {
  const underWay = new Map<string, UnderWay>()

  async function doIt(
    { key, keep }: OnceRequest,
    { caller, fingerprint }: { readonly caller: string; readonly fingerprint: string },
    work: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer> {
    const entry = { caller, key, fingerprint, createdAt: clock.now() }
    // Written in the same commit as the work's own writes or before it, so nothing is ever created under an unknown
    // key.
    const noted = store.write(() => store.idempotencyKeys.put({ ...entry, answer: null }))
    const [outcome] = await Promise.allSettled([work(), noted])
    await noted
    if (outcome.status === 'rejected') {
      // If even this can't be written, the original error is more informative.
      await store.write(() => store.idempotencyKeys.delete(caller, key)).catch(() => {})
      throw outcome.reason
    }
    const answer = outcome.value
    await store.write(() => store.idempotencyKeys.put({ ...entry, answer: shortened(keep(answer)) }))
    return answer
  }

  function storedAnswer(caller: string, key: string, fingerprint: string): StoredAnswer | null {
    const stored = store.idempotencyKeys.get(caller, key)
    if (stored === null || stored.createdAt <= clock.now() - LIFE_MS) return null
    if (stored.fingerprint !== null) requireSame(key, stored.fingerprint, fingerprint)
    if (stored.answer === null) throw unknownOutcome(key)
    if (stored.answer.text === TOO_LONG) throw tooLong(key, stored.answer)
    return stored.answer
  }

  return {
    /**
     * Returns the response of `work`, or the stored one if the same caller sent the same request with this key within
     * the last 24 hours. A repeat waits for the first request if it is still running. Failed requests aren't stored.
     *
     * @throws AppError `validation` (invalid key), `conflict` (the key belongs to another request, or the program was
     *   killed during the first one, so its outcome is unknown)
     */
    async once(request: OnceRequest, work: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
      const { key, parts } = request
      if (!IDEMPOTENCY_KEY.test(key)) {
        throw new AppError(
          'validation',
          say('The header Idempotency-Key must be 1 to 255 visible characters'),
          {
            data: { 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] },
          },
        )
      }
      const caller = `${request.caller.userId} ${request.caller.tokenId ?? 'session'}`
      const fingerprint = hash('sha256', JSON.stringify(parts), 'base64url')
      const place = `${caller} ${key}`
      const running = underWay.get(place)
      if (running) {
        requireSame(key, running.fingerprint, fingerprint)
        return replayed(request.keep(await running.answer))
      }
      const stored = storedAnswer(caller, key, fingerprint)
      if (stored !== null) return replayed(stored)
      const answer = doIt(request, { caller, fingerprint }, work)
      underWay.set(place, { fingerprint, answer })
      try {
        return await answer
      } finally {
        underWay.delete(place)
      }
    },
  }
}

const replayed = (answer: StoredAnswer): StoredAnswer => ({
  ...answer,
  headers: { ...answer.headers, [REPLAYED_HEADER]: 'true' },
})

/** JSON never starts with this. */
const TOO_LONG = '…'

function shortened(answer: StoredAnswer): StoredAnswer {
  return (answer.text?.length ?? 0) > MAX_KEPT_LENGTH ? { ...answer, text: TOO_LONG } : answer
}

function requireSame(key: string, known: string, fingerprint: string): void {
  if (known === fingerprint) return
  throw new AppError(
    'conflict',
    say('Idempotency-Key "{{key}}" was used for another request; use a new key for each request', {
      key: short(key),
    }),
  )
}

function unknownOutcome(key: string): AppError {
  return new AppError(
    'conflict',
    say(
      'A request with Idempotency-Key "{{key}}" was interrupted, so its response isn\'t known; check whether it was done before you send it with another key',
      { key: short(key) },
    ),
  )
}

function tooLong(key: string, { headers }: StoredAnswer): AppError {
  const { Location: place } = headers
  return new AppError(
    'conflict',
    place === undefined
      ? say('The request with Idempotency-Key "{{key}}" succeeded, but its response was too long to store', {
          key: short(key),
        })
      : say(
          'The request with Idempotency-Key "{{key}}" succeeded, but its response was too long to store; read {{place}}',
          { key: short(key), place },
        ),
    { headers },
  )
}

const short = (key: string) => key.slice(0, 60)
