/** Reads and checks the input that was sent to a form. */
import { say, quoted } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { FormField } from '../../../../shared/contract/step-types/parts/page-field.ts'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Data, type Dictionary, dictionaryOf, entriesOf, getKey, isList } from '@millrace/jinja/data'
import {
  CHOICE_FIELD,
  faultText,
  hasFiles,
  isOwnField,
  SENDING_FIELD,
  TRAP_FIELD,
} from '../../../engine/form/form-page.ts'
import { filesIn, type FormReading, readForm, type SentFile } from '../../../engine/form/read-form.ts'
import { WORDS } from '../../../engine/form/words.ts'
import { parseMediaType } from '../../../engine/webhook/media-type.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { parseWebhookInput, type StoreFile } from '../../../engine/webhook/parse-input.ts'
import { FormFault } from './replies.ts'
import { headerOf, type WebhookHead } from './webhook-call.ts'

export interface FormInput {
  readonly values: Dictionary
  /** The IDs of the files in the values; the files have been stored. */
  readonly fileIds: readonly string[]
  /** The button that was pressed; null if the form has only one. */
  readonly choice: string | null
  /** The page's ID for this submission; null if it wasn't sent from a page. */
  readonly sending: string | null
  readonly decodedBody: Buffer
}

export interface FormRules {
  readonly fields: readonly FormField[]
  /** Null for a form with a single button. */
  readonly choices: readonly string[] | null
  readonly maxBytes: number
  readonly storeFile: StoreFile
  readonly files: Pick<FilesService, 'discard'>
}

/**
 * Files are stored last, when everything else is known to be valid.
 *
 * @throws AppError `unsupported_media_type`, `too_large`, `unavailable`, or a `FormFault`
 */
export async function readFormInput(head: WebhookHead, body: Buffer, rules: FormRules): Promise<FormInput> {
  const { fields, choices, maxBytes } = rules
  const contentType = headerOf(head, 'content-type')
  const takesFiles = hasFiles(fields)
  if (!isForm(contentType) && !isJson(head) && !(takesFiles && isMultipart(contentType)))
    throw new AppError(
      'unsupported_media_type',
      takesFiles
        ? say('A form accepts multipart/form-data, application/x-www-form-urlencoded or application/json')
        : say('A form accepts application/x-www-form-urlencoded or application/json'),
    )
  const sent = new Map<string, SentFile>()
  const { input, decodedBody } = await parseWebhookInput(
    {
      contentType,
      contentEncoding: headerOf(head, 'content-encoding'),
      body,
      // The query is ignored, because a link with something after its `?` shows and submits the same form.
      query: '',
      limits: { maxBytes },
    },
    async (content, meta) => {
      const id = String(sent.size)
      const bytes = await buffer(content)
      sent.set(id, { ...meta, content: bytes })
      return { file_id: id, size: bytes.length }
    },
  )
  const reading = readForm(fields, { input, files: sent, maxBytes }, isOwnField)
  const isTrapped = (getKey(input, TRAP_FIELD) ?? '') !== ''
  if (isTrapped || reading.faults.size > 0) throw faultOf(reading, isTrapped, rules)
  const choice = getKey(input, CHOICE_FIELD) ?? null
  if (choices !== null && !choices.some((one) => one === choice)) throw noSuchChoice()
  const sending = getKey(input, SENDING_FIELD)
  return {
    ...(await withStoredFiles(reading.values, sent, rules)),
    choice: choices !== null && typeof choice === 'string' ? choice : null,
    sending: typeof sending === 'string' && UUID.test(sending) ? sending : null,
    decodedBody,
  }
}

async function withStoredFiles(
  values: Dictionary,
  sent: ReadonlyMap<string, SentFile>,
  { fields, storeFile, files }: FormRules,
): Promise<Pick<FormInput, 'values' | 'fileIds'>> {
  if (!hasFiles(fields)) return { values, fileIds: [] }
  const fileIds: string[] = []
  const store = async (value: Data): Promise<Data> => {
    const [id = ''] = filesIn(value)
    const file = sent.get(id)
    if (file === undefined) return value
    const { content, ...meta } = file
    const { size, file_id } = await storeFile(Readable.from([content]), meta)
    fileIds.push(file_id)
    return { ...meta, size, file_id }
  }
  try {
    const entries: [string, Data][] = []
    for (const [name, value] of entriesOf(values)) {
      if (!isList(value)) entries.push([name, await store(value)])
      else {
        const list: Data[] = []
        for (const one of value) list.push(await store(one))
        entries.push([name, list])
      }
    }
    return { values: dictionaryOf(entries), fileIds }
  } catch (error) {
    await files.discard(fileIds)
    throw error
  }
}

/** The size limit for a submitted form. */
export function mostBytesOf(fields: readonly FormField[], webhookLimit: number): number {
  return hasFiles(fields) ? webhookLimit : Math.min(webhookLimit, LIMITS.pageFormBytes)
}

/** A caller that sends or wants JSON gets JSON; anybody else gets a page. */
export function isProgram(head: WebhookHead): boolean {
  const accept = headerOf(head, 'accept') ?? ''
  return isJson(head) || (accept.includes('json') && !accept.includes('text/html'))
}

function isForm(contentType: string | undefined): boolean {
  return parseMediaType(contentType).family === 'form'
}

function isMultipart(contentType: string | undefined): boolean {
  return parseMediaType(contentType).essence === 'multipart/form-data'
}

function isJson(head: WebhookHead): boolean {
  return parseMediaType(headerOf(head, 'content-type')).family === 'json'
}

function faultOf({ faults, typed }: FormReading, isTrapped: boolean, rules: FormRules): FormFault {
  const { looksLikeSpam } = WORDS.en
  const { fields, maxBytes } = rules
  const entries = [...faults].slice(0, MOST_NAMED).map(([name, fault]) => {
    const field = fields.find((one) => one.name === name)
    return [shorten(name), [faultText(fault, field, { language: 'en', maxBytes })]]
  })
  const message = isTrapped
    ? quoted(looksLikeSpam)
    : say('Wrong fields: {{names}}', { names: entries.map(([name]) => String(name)).join(', ') })
  return new FormFault(message, { faults, typed, isTrapped }, Object.fromEntries(entries))
}

function noSuchChoice(): FormFault {
  const faults = new Map([[CHOICE_FIELD, 'option'] as const])
  return new FormFault(say('There is no such button'), { faults, typed: new Map(), isTrapped: false }, null)
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}

const MOST_NAMED = 50
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
