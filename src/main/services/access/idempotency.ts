/** Does what a request asks for once, however often its caller sends it under one `Idempotency-Key`. */
import { hash } from 'node:crypto'
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY } from '../../../shared/contract/base/conventions.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Store, StoredAnswer } from '../../store/index.ts'
import type { Caller } from '../kit/caller.ts'

export interface IdempotencyService {
  /**
   * The answer of `work`, or the one that was given when the same caller sent the same request under this key within
   * the last 24 hours. While the first is under way the repeat waits for it. Nothing is kept of one that failed.
   *
   * @throws AppError `validation` (no such key can be), `conflict` (another request had the key, or nobody knows how
   *   far the first one came before the program was killed)
   */
  once(request: OnceRequest, work: () => Promise<StoredAnswer>): Promise<StoredAnswer>
}

export interface OnceRequest {
  readonly caller: Caller
  readonly key: string
  /** All that tells this request from another: method, address, body. */
  readonly parts: readonly string[]
  /** What of an answer may be kept: secrets that are told once are left out. */
  readonly keep: (answer: StoredAnswer) => StoredAnswer
}

export interface IdempotencyOptions {
  readonly store: Pick<Store, 'idempotencyKeys' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}

const LIFE_MS = IDEMPOTENCY_HOURS * 3_600_000
/** A longer answer is not kept: the repeat is told where to read what was made. */
const MAX_KEPT_LENGTH = 1_048_576

interface UnderWay {
  readonly fingerprint: string
  readonly answer: Promise<StoredAnswer>
}

export function createIdempotencyService({ store, clock }: IdempotencyOptions): IdempotencyService {
  const underWay = new Map<string, UnderWay>()

  async function doIt(
    { key, keep }: OnceRequest,
    { caller, fingerprint }: { readonly caller: string; readonly fingerprint: string },
    work: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer> {
    const entry = { caller, key, fingerprint, createdAt: clock.now() }
    // Together with what the work writes, or before it: never is something made whose key is not known.
    const noted = store.write(() => store.idempotencyKeys.put({ ...entry, answer: null }))
    const [outcome] = await Promise.allSettled([work(), noted])
    await noted
    if (outcome.status === 'rejected') {
      // Where even this cannot be written the reason of the failure says more.
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
    async once(request, work) {
      const { key, parts } = request
      if (!IDEMPOTENCY_KEY.test(key)) {
        throw new AppError('validation', 'The header Idempotency-Key must be 1 to 255 visible characters', {
          data: { 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] },
        })
      }
      const caller = `${request.caller.userId} ${request.caller.tokenId ?? 'session'}`
      const fingerprint = hash('sha256', JSON.stringify(parts), 'base64url')
      const place = `${caller} ${key}`
      const running = underWay.get(place)
      if (running) {
        requireSame(key, running.fingerprint, fingerprint)
        return request.keep(await running.answer)
      }
      const stored = storedAnswer(caller, key, fingerprint)
      if (stored !== null) return stored
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

/** No JSON begins like this. */
const TOO_LONG = '…'

function shortened(answer: StoredAnswer): StoredAnswer {
  return (answer.text?.length ?? 0) > MAX_KEPT_LENGTH ? { ...answer, text: TOO_LONG } : answer
}

function requireSame(key: string, known: string, fingerprint: string): void {
  if (known === fingerprint) return
  throw new AppError(
    'conflict',
    `Idempotency-Key "${short(key)}" was used for another request; use a new key for each request`,
  )
}

function unknownOutcome(key: string): AppError {
  return new AppError(
    'conflict',
    `A request with Idempotency-Key "${short(key)}" was interrupted, so its response isn't known; ` +
      'check whether it was done before you send it with another key',
  )
}

function tooLong(key: string, { headers }: StoredAnswer): AppError {
  const place = headers['Location'] === undefined ? '' : `; read ${headers['Location']}`
  return new AppError(
    'conflict',
    `The request with Idempotency-Key "${short(key)}" was done, but its response was too long to be stored${place}`,
    { headers },
  )
}

const short = (key: string) => key.slice(0, 60)
