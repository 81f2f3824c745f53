/** The responses to refused and accepted requests: programs get JSON, people get a page. */
import { type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { StepConfig } from '../../../../shared/contract/step-types/index.ts'
import {
  type Correction,
  formPage,
  hasFiles,
  messagePage,
  refusalPage,
} from '../../../engine/form/form-page.ts'
import type { Logo } from '../../../engine/form/html.ts'
import { languageOf, WORDS } from '../../../engine/form/words.ts'
import type { DeliveryAnswer } from '../../../store/index.ts'
import { errorReply, type WebhookReply } from './await-answer.ts'
import { headerOf, type WebhookHead } from './webhook-call.ts'

export interface Replies {
  refusal(error: AppError, headers: Headers): WebhookReply
  /** The response once the run is stored. */
  accepted(headers: Headers): WebhookReply
}

type Headers = Readonly<Record<string, string>>

export const ACCEPTED: DeliveryAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: 'null',
}

export const FOR_PROGRAMS: Replies = {
  refusal: errorReply,
  accepted: (headers) => withHeaders(ACCEPTED, headers),
}

/** Thrown if the input can't be used; a person can correct it. */
export class FormFault extends AppError {
  readonly correction: Correction

  constructor(message: Said, correction: Correction, data: unknown) {
    super('validation', message, { data })
    this.correction = correction
  }
}

export interface ShownForm {
  readonly config: StepConfig<'form_trigger'>
  readonly flowName: string
  /** A new ID for the next submission. */
  readonly sending: string
  readonly maxBytes: number
  readonly logo: () => Logo | null
}

/** The empty form, or the form with the fields to correct. */
export function showForm(head: WebhookHead, form: ShownForm, correction: Correction | null): WebhookReply {
  const { title, description, fields, submit_label: submitLabel, response } = form.config
  return formPage(
    {
      title: title || form.flowName,
      description,
      fields,
      choices: null,
      submitLabel,
      language: languageOf(headerOf(head, 'accept-language')),
      forms: response === 'redirect' ? 'anywhere' : 'self',
      sending: form.sending,
      maxBytes: form.maxBytes,
      logo: form.logo(),
    },
    correction,
  )
}

export function repliesToPerson(head: WebhookHead, form: ShownForm): Replies {
  const language = languageOf(headerOf(head, 'accept-language'))
  const { response, response_text: text, redirect_url: url } = form.config
  return {
    refusal(error, headers) {
      const reply =
        error instanceof FormFault
          ? showForm(head, form, error.correction)
          : refusalPage(error, language, error.headers, hasFiles(form.config.fields) ? form.maxBytes : null)
      return withHeaders(reply, headers)
    },
    accepted(headers) {
      if (response === 'redirect')
        return { status: 303, headers: { ...headers, location: new URL(url).href }, body: null }
      const { thanks, received } = WORDS[language]
      const page = { status: 200, title: thanks, language, logo: form.logo() }
      return withHeaders(messagePage(page, text || received), headers)
    },
  }
}

export function withHeaders({ status, headers, body }: DeliveryAnswer, more: Headers): WebhookReply {
  return { status, headers: { ...headers, ...more }, body }
}
