/** Questions that runs ask people. Each is asked and answered once; then the run continues. */
import { say } from '../../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { RunQuestion } from '../../../../shared/contract/reach/questions.ts'
import { WEBHOOK_PATH } from '../../../../shared/contract/webhooks.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { type Data, type Dictionary, dictionaryOf, getKey, parseJson, writeJson } from '@millrace/jinja/data'
import type { QuestionPage, QuestionPort } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store, StoredQuestion } from '../../../store/index.ts'
import {
  hashSecret,
  isWellFormedSecret,
  QUESTION_TOKEN_PREFIX,
  secretOf,
} from '../../keeping/access/token-secret.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { runNotFound } from '../../kit/not-found.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import { createWakers } from './wakers.ts'

export interface QuestionsService extends QuestionPort {
  /** The question that the token in a link leads to; null if there is none. */
  find(token: string): FoundQuestion | null
  /** Resolves once the answer is on the disk; false if it came too late, or if another answer came first. */
  answer(id: string, answer: Answer): Promise<boolean>
  /**
   * The questions of a run that wait for an answer, with their links.
   *
   * @throws AppError `not_found`
   */
  openOf(runId: string): RunQuestion[]
}

export interface FoundQuestion {
  readonly id: string
  readonly runId: string
  readonly state: 'open' | 'answered' | 'expired' | 'over'
  readonly page: QuestionPage
}

export interface Answer {
  /** The label of the button; null if there is only one. */
  readonly choice: string | null
  readonly fields: Dictionary
}

/** The stored form, which is sealed. */
interface Content {
  readonly token: string
  readonly page: QuestionPage
}

export interface QuestionsOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly random: SecureRandom
  readonly events: Pick<EventsService, 'emit'>
  /** Base URL of the app. */
  readonly url: () => string
  readonly publicUrl: () => string | null
  /** Called when a run that was parked can continue. */
  readonly onAnswered: () => void
}

export function createQuestionsService(options: QuestionsOptions): QuestionsService {
  const { store, clock, random, events, url, publicUrl, onAnswered } = options
  const wakers = createWakers()

  const contentOf = (id: string) => JSON.parse(store.questions.contentOf(id)) as Content

  function linkOf({ token }: Pick<Content, 'token'>): { readonly url: string; readonly isPublic: boolean } {
    const address = publicUrl()
    const outside = address === null || address === undefined ? null : trimEnd(address, '/')
    return { url: `${outside ?? url()}${QUESTION_PATH}${token}`, isPublic: outside !== null }
  }

  function stateOf({ answeredAt, closedAt, expiresAt, isRunOver }: StoredQuestion): FoundQuestion['state'] {
    if (answeredAt !== null) return 'answered'
    if (closedAt !== null || expiresAt <= clock.now()) return 'expired'
    return isRunOver ? 'over' : 'open'
  }

  /** The token is derived from the run and the step, so that earlier steps can send the link. */
  function tokenOf(runId: string, stepKey: string): string {
    const [code = ''] = store.secretBox.pseudonyms('questions:link', `${runId} ${stepKey}`)
    return secretOf(QUESTION_TOKEN_PREFIX, code)
  }

  return {
    urlOf: (runId, stepKey) => linkOf({ token: tokenOf(runId, stepKey) }).url,
    async ask({ runId, stepKey, refId, page, expiresAt }) {
      const known = store.questions.findOfStep(runId, stepKey)
      if (known !== null) return { id: known.id, expiresAt: known.expiresAt, ...linkOf(contentOf(known.id)) }
      const id = random.uuid()
      const content: Content = { token: tokenOf(runId, stepKey), page }
      const question = {
        id,
        stepKey,
        refId,
        tokenHash: hashSecret(content.token),
        content: JSON.stringify(content),
        askedAt: clock.now(),
        expiresAt,
      }
      if (!(await writeSealed(store.write, () => store.questions.insert(runId, question))))
        throw new AppError(
          'conflict',
          say('A single step has no run that could wait for the answer; run the whole flow to try it'),
        )
      announce(runId)
      return { id, expiresAt, ...linkOf(content) }
    },
    async settle(id) {
      return await store.write(() => {
        const now = clock.now()
        const question = store.questions.get(id)
        if (question !== null && question.answeredAt === null && question.expiresAt > now) return null
        if (question === null || question.answeredAt === null) {
          store.questions.close(id, now)
          return { kind: 'timed_out' }
        }
        const answer = parseJson(store.questions.answerOf(id) ?? '{}') as Dictionary
        return {
          kind: 'answered',
          choice: (getKey(answer, 'choice') ?? null) as string | null,
          fields: (getKey(answer, 'fields') ?? dictionaryOf([])) as Dictionary,
          at: question.answeredAt,
        }
      })
    },
    wait: (id, signal) =>
      wakers.wait(
        id,
        (store.questions.get(id)?.expiresAt ?? 0) - clock.now(),
        signal,
        () => (store.questions.get(id)?.answeredAt ?? null) !== null,
      ),
    find(token) {
      if (!isWellFormedSecret(QUESTION_TOKEN_PREFIX, token)) return null
      const question = store.questions.findByToken(hashSecret(token))
      if (question === null) return null
      const { id, runId } = question
      return { id, runId, state: stateOf(question), page: contentOf(id).page }
    },
    async answer(id, { choice, fields }) {
      const content = writeJson(
        dictionaryOf([
          ['choice', choice],
          ['fields', fields],
        ] satisfies [string, Data][]),
      )
      const isStored = await writeSealed(store.write, () => {
        const question = store.questions.get(id)
        if (question === null || stateOf(question) !== 'open') return false
        const now = clock.now()
        if (!store.questions.answer(id, content, now)) return false
        store.runQueue.wake(question.runId, now)
        return true
      })
      if (!isStored) return false
      wakers.wake(id)
      onAnswered()
      return true
    },
    openOf(runId) {
      if (store.flowRuns.get(runId) === null) throw runNotFound(runId)
      return store.questions.openOf(runId, clock.now()).map((question) => {
        const content = contentOf(question.id)
        return {
          id: question.id,
          ref_id: question.refId,
          question: content.page.title,
          choices: [...(content.page.choices ?? [])],
          has_fields: content.page.fields.length > 0,
          url: `${url()}${QUESTION_PATH}${content.token}`,
          public_url: publicUrl() === null ? null : linkOf(content).url,
          asked_at: isoOf(question.askedAt),
          expires_at: isoOf(question.expiresAt),
        }
      })
    },
  }

  function announce(runId: string): void {
    const run = store.flowRuns.get(runId)
    if (run !== null)
      events.emit({ type: 'updated', noun: 'flow_run', id: runId, flow_id: run.flow_id, status: run.status })
  }
}

/** Below the path of webhooks, because other computers can only reach that path. */
export const QUESTION_PATH = `${WEBHOOK_PATH}/question/`
