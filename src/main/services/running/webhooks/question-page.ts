/** The page of a question: opening it only shows it, sending it answers, once. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { QuestionPage } from '../../../engine/flow/model/ports.ts'
import {
  CHOICE_FIELD,
  type Correction,
  formPage,
  messagePage,
  refusalPage,
} from '../../../engine/form/form-page.ts'
import { type Language, languageOf, WORDS } from '../../../engine/form/words.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { type FoundQuestion, QUESTION_PATH, type QuestionsService } from '../runs/questions.ts'
import type { CountCall } from './admit.ts'
import type { WebhookReply } from './await-answer.ts'
import { readFormInput } from './form-input.ts'
import { FormFault } from './replies.ts'
import { headerOf, type ReadBody, type WebhookHead } from './webhook-call.ts'
import { exceededHeaders } from '../../kit/rate-limit-headers.ts'

export interface QuestionPageOptions {
  readonly questions: Pick<QuestionsService, 'find' | 'answer'>
  readonly countCall: CountCall
}

/** Null if the URL isn't one of a question. */
export type HandleQuestion = (head: WebhookHead, readBody: ReadBody) => Promise<WebhookReply | null>

export function createQuestionPage({ questions, countCall }: QuestionPageOptions): HandleQuestion {
  async function answer(
    head: WebhookHead,
    { id, page }: FoundQuestion,
    language: Language,
    readBody: ReadBody,
  ): Promise<WebhookReply | null> {
    const body = await readBody(LIMITS.pageFormBytes)
    if (body === null) return null
    const { values, choice } = await readFormInput(head, body, page.fields)
    if (page.choices !== null && !page.choices.includes(choice)) throw noSuchChoice()
    const isFirst = await questions.answer(id, {
      choice: page.choices === null ? null : choice,
      fields: values,
    })
    if (!isFirst) return closedPage('answered', language)
    const { thanks, answered } = WORDS[language]
    return messagePage({ status: 200, title: thanks, language }, answered)
  }

  async function respond(
    head: WebhookHead,
    language: Language,
    readBody: ReadBody,
  ): Promise<WebhookReply | null> {
    const limit = countCall(head.client)
    if (limit?.isExceeded)
      return refusalPage({ status: 429, code: 'rate_limit' }, language, exceededHeaders(limit))
    const found = questions.find(tokenOf(head.target))
    if (found === null) return closedPage('unknown', language)
    if (found.state !== 'open') return closedPage(found.state, language)
    if (head.method !== 'POST') return questionPage(found.page, language, null)
    try {
      return await answer(head, found, language, readBody)
    } catch (error) {
      if (error instanceof FormFault) return questionPage(found.page, language, error.correction)
      if (error instanceof AppError) return refusalPage(error, language, error.headers)
      throw error
    }
  }

  return (head, readBody) => {
    const language = languageOf(headerOf(head, 'accept-language'))
    if (METHODS.includes(head.method)) return respond(head, language, readBody)
    const headers = { allow: METHODS.join(', ') }
    return Promise.resolve(refusalPage({ status: 405, code: 'method_not_allowed' }, language, headers))
  }
}

export function isQuestion(target: string): boolean {
  return target.startsWith(QUESTION_PATH)
}

/** Links can come back with more after their `?`. */
function tokenOf(target: string): string {
  const query = target.indexOf('?')
  return target.slice(QUESTION_PATH.length, query === -1 ? undefined : query)
}

function questionPage(page: QuestionPage, language: Language, correction: Correction | null): WebhookReply {
  const { title, details, fields, choices } = page
  const view = { title, description: details, fields, choices, submitLabel: '', language, sending: null }
  return formPage(view, correction)
}

function closedPage(state: keyof typeof STATUSES, language: Language): WebhookReply {
  const [title, text] = WORDS[language].closed[state]
  return messagePage({ status: STATUSES[state], title, language }, text)
}

function noSuchChoice(): FormFault {
  const faults = new Map([[CHOICE_FIELD, 'option'] as const])
  return new FormFault(say('There is no such button'), { faults, typed: new Map(), isTrapped: false }, null)
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']
const STATUSES = { unknown: 404, answered: 409, expired: 410, over: 410 } as const
