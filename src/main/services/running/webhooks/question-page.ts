/** The page of a question. Opening it only shows the question; submitting it answers the question, once. */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { QuestionPage } from '../../../engine/flow/model/ports.ts'
import {
  type Correction,
  formPage,
  hasFiles,
  messagePage,
  refusalPage,
} from '../../../engine/form/form-page.ts'
import type { Logo } from '../../../engine/form/html.ts'
import { type Language, languageOf, WORDS } from '../../../engine/form/words.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { type FoundQuestion, QUESTION_PATH, type QuestionsService } from '../runs/questions.ts'
import type { CountCall } from './admit.ts'
import type { WebhookReply } from './await-answer.ts'
import { mostBytesOf, readFormInput } from './form-input.ts'
import { FormFault } from './replies.ts'
import { headerOf, type ReadBody, type WebhookHead } from './webhook-call.ts'
import { exceededHeaders } from '../../kit/rate-limit-headers.ts'

export interface QuestionPageOptions {
  readonly questions: Pick<QuestionsService, 'find' | 'answer'>
  readonly countCall: CountCall
  readonly files: Pick<FilesService, 'store' | 'assign' | 'discard' | 'readLogo'>
  readonly settings: () => Settings
}

/** Null if the URL isn't one of a question. */
export type HandleQuestion = (head: WebhookHead, readBody: ReadBody) => Promise<WebhookReply | null>

export function createQuestionPage(options: QuestionPageOptions): HandleQuestion {
  const { questions, countCall, files, settings } = options
  const limitOf = ({ fields }: QuestionPage) => mostBytesOf(fields, settings().webhook_body_limit_bytes)

  const logoOf = ({ logo }: QuestionPage): Logo | null => {
    const image = logo ? files.readLogo(logo.fileId) : null
    return image && { ...image, alt: logo?.alt ?? '' }
  }

  async function answer(
    head: WebhookHead,
    { id, runId, page }: FoundQuestion,
    language: Language,
    readBody: ReadBody,
  ): Promise<WebhookReply | null> {
    const maxBytes = limitOf(page)
    const body = await readBody(maxBytes)
    if (body === null) return null
    // Only somebody who got the link can send files, so these don't count as files from callers without credentials.
    const rules = { ...page, maxBytes, storeFile: files.store, files }
    const { values, choice, fileIds } = await readFormInput(head, body, rules)
    // Done before the answer, which must never refer to a file that isn't kept.
    await files.assign(fileIds, runId)
    if (!(await questions.answer(id, { choice, fields: values }))) {
      await files.discard(fileIds)
      return closedPage('answered', language)
    }
    const { thanks, answered } = WORDS[language]
    return messagePage({ status: 200, title: thanks, language, logo: logoOf(page) }, answered)
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
    const { page } = found
    const shown = { ...page, language, maxBytes: limitOf(page), logo: logoOf(page) }
    if (head.method !== 'POST') return questionPage(shown, null)
    try {
      return await answer(head, found, language, readBody)
    } catch (error) {
      if (error instanceof FormFault) return questionPage(shown, error.correction)
      if (error instanceof AppError)
        return refusalPage(error, language, error.headers, hasFiles(page.fields) ? shown.maxBytes : null)
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

/** Ignores the query, because links can be opened with additional parameters. */
function tokenOf(target: string): string {
  const query = target.indexOf('?')
  return target.slice(QUESTION_PATH.length, query === -1 ? undefined : query)
}

function questionPage(
  {
    details,
    ...page
  }: Omit<QuestionPage, 'logo'> & {
    readonly language: Language
    readonly maxBytes: number
    readonly logo: Logo | null
  },
  correction: Correction | null,
): WebhookReply {
  return formPage({ ...page, description: details, submitLabel: '', sending: null }, correction)
}

function closedPage(state: keyof typeof STATUSES, language: Language): WebhookReply {
  const [title, text] = WORDS[language].closed[state]
  return messagePage({ status: STATUSES[state], title, language }, text)
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']
const STATUSES = { unknown: 404, answered: 409, expired: 410, over: 410 } as const
