/** Calls that runs wait for: each has a URL that can be called once, even before the run has reached its step. */
import { timingSafeEqual } from 'node:crypto'
import { trimEnd } from '../../../../shared/trim.ts'
import { WEBHOOK_PATH } from '../../../../shared/contract/webhooks.ts'
import { type Dictionary, parseJson, writeJson } from '@millrace/jinja/data'
import type { CallbackPlace, CallbackPort } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { hashSecret } from '../../keeping/access/token-secret.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import { createWakers } from './wakers.ts'

export interface CallbacksService extends CallbackPort {
  /** Whether the token in a URL was issued by this Millrace. */
  isKnown(token: string): boolean
  /** Resolves once the call is on the disk. */
  receive(token: string, request: Dictionary): Promise<'received' | 'again' | 'expired' | 'over' | 'unknown'>
}

export interface CallbacksOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  /** Base URL of the app. */
  readonly url: () => string
  readonly publicUrl: () => string | null
  /** Called when a run that was parked can continue. */
  readonly onCalled: () => void
}

/**
 * The token identifies the run and the step, and contains a code that only this data folder can generate. So the URL is
 * known before anything is stored, and survives a crash.
 */
export function createCallbacksService(options: CallbacksOptions): CallbacksService {
  const { store, clock, random, url, publicUrl, onCalled } = options
  const wakers = createWakers()
  const codesOf = (runId: string, stepKey: string) =>
    store.secretBox.pseudonyms('callbacks:url', `${runId} ${stepKey}`)

  function tokenOf(runId: string, stepKey: string): string {
    return `${runId}.${Buffer.from(stepKey).toString('base64url')}.${codesOf(runId, stepKey)[0] ?? ''}`
  }

  function placeOf(token: string): Pick<CallbackPlace, 'runId' | 'stepKey'> | null {
    const [runId = '', encoded = '', code = '', ...rest] = token.split('.')
    const stepKey = Buffer.from(encoded, 'base64url').toString()
    const isOwn = codesOf(runId, stepKey).some((known) => isSame(known, code))
    return isOwn && rest.length === 0 ? { runId, stepKey } : null
  }

  /** Call it inside a write. */
  function insert(
    { runId, stepKey, refId }: Omit<CallbackPlace, 'expiresAt'>,
    askedAt: number,
  ): string | null {
    const id = random.uuid()
    const tokenHash = hashSecret(tokenOf(runId, stepKey))
    const row = { id, stepKey, refId, tokenHash, content: '{}', askedAt, expiresAt: askedAt + 1 }
    return store.questions.insert(runId, row) ? id : null
  }

  return {
    urlOf(runId, stepKey) {
      const base = trimEnd(publicUrl() ?? url(), '/')
      return `${base}${CALLBACK_PATH}${tokenOf(runId, stepKey)}`
    },
    async settle(place) {
      return await writeSealed(store.write, () => {
        const row = store.questions.findOfStep(place.runId, place.stepKey)
        if (row !== null && row.answeredAt !== null)
          return parseJson(store.questions.answerOf(row.id) ?? '{}') as Dictionary
        const now = clock.now()
        if (row === null && now < place.expiresAt) return null
        const id = row === null ? insert(place, now) : row.id
        if (id !== null) store.questions.close(id, now)
        return 'timed_out'
      })
    },
    wait: ({ runId, stepKey, expiresAt }, signal) =>
      wakers.wait(
        `${runId}/${stepKey}`,
        expiresAt - clock.now(),
        signal,
        () => store.questions.findOfStep(runId, stepKey) !== null,
      ),
    isKnown: (token) => placeOf(token) !== null,
    async receive(token, request) {
      const place = placeOf(token)
      const run = place && store.flowRuns.get(place.runId)
      if (!place || !run) return 'unknown'
      const state = await writeSealed(store.write, () => {
        const row = store.questions.findOfStep(place.runId, place.stepKey)
        if (row !== null) return row.answeredAt === null ? 'expired' : 'again'
        if (store.flowRuns.get(place.runId)?.finished_at !== null) return 'over'
        const now = clock.now()
        const id = insert({ ...place, refId: '' }, now)
        if (id === null) return 'unknown'
        store.questions.answer(id, writeJson(request), now)
        store.runQueue.wake(place.runId, now)
        return 'received'
      })
      if (state !== 'received') return state
      wakers.wake(`${place.runId}/${place.stepKey}`)
      onCalled()
      return state
    },
  }
}

function isSame(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Below the path of webhooks, because other computers can only reach that path. */
export const CALLBACK_PATH = `${WEBHOOK_PATH}/callback/`
