/** What was sent to a form, checked. */
import { say, quoted } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { FormField } from '../../../../shared/contract/step-types/parts/page-field.ts'
import { type Dictionary, getKey } from '@millrace/jinja/data'
import { CHOICE_FIELD, isOwnField, SENDING_FIELD, TRAP_FIELD } from '../../../engine/form/form-page.ts'
import { type FormReading, readForm } from '../../../engine/form/read-form.ts'
import { WORDS } from '../../../engine/form/words.ts'
import { parseMediaType } from '../../../engine/webhook/media-type.ts'
import { parseWebhookInput } from '../../../engine/webhook/parse-input.ts'
import { FormFault } from './replies.ts'
import { headerOf, type WebhookHead } from './webhook-call.ts'

export interface FormInput {
  readonly values: Dictionary
  /** The button that was pressed; empty if the form has only one. */
  readonly choice: string
  /** The page's ID of this sending; null if it wasn't sent from a page. */
  readonly sending: string | null
  readonly decodedBody: Buffer
}

/** @throws AppError `unsupported_media_type`, `too_large`, or a `FormFault` */
export async function readFormInput(
  head: WebhookHead,
  body: Buffer,
  fields: readonly FormField[],
): Promise<FormInput> {
  const contentType = headerOf(head, 'content-type')
  if (!isForm(contentType) && !isJson(head))
    throw new AppError(
      'unsupported_media_type',
      say('A form accepts application/x-www-form-urlencoded or application/json'),
    )
  const { input, decodedBody } = await parseWebhookInput(
    {
      contentType,
      contentEncoding: headerOf(head, 'content-encoding'),
      body,
      // A link with something after its `?` shows and sends the same form.
      query: '',
      limits: { maxBytes: LIMITS.pageFormBytes },
    },
    () => Promise.reject(new AppError('validation', say('A form takes no files'))),
  )
  const reading = readForm(fields, input, isOwnField)
  const isTrapped = (getKey(input, TRAP_FIELD) ?? '') !== ''
  if (isTrapped || reading.faults.size > 0) throw faultOf(reading, isTrapped)
  const choice = getKey(input, CHOICE_FIELD)
  const sending = getKey(input, SENDING_FIELD)
  return {
    values: reading.values,
    choice: typeof choice === 'string' ? choice : '',
    sending: typeof sending === 'string' && UUID.test(sending) ? sending : null,
    decodedBody,
  }
}

/** A caller that sends or wants JSON gets JSON; anybody else gets a page. */
export function isProgram(head: WebhookHead): boolean {
  const accept = headerOf(head, 'accept') ?? ''
  return isJson(head) || (accept.includes('json') && !accept.includes('text/html'))
}

function isForm(contentType: string | undefined): boolean {
  return parseMediaType(contentType).family === 'form'
}

function isJson(head: WebhookHead): boolean {
  return parseMediaType(headerOf(head, 'content-type')).family === 'json'
}

function faultOf({ faults, typed }: FormReading, isTrapped: boolean): FormFault {
  const { faults: sentences, looksLikeSpam } = WORDS.en
  const entries = [...faults].slice(0, MOST_NAMED).map(([name, fault]) => [shorten(name), [sentences[fault]]])
  const message = isTrapped
    ? quoted(looksLikeSpam)
    : say('Wrong fields: {{names}}', { names: entries.map(([name]) => String(name)).join(', ') })
  return new FormFault(message, { faults, typed, isTrapped }, Object.fromEntries(entries))
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}

const MOST_NAMED = 50
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
