import type { FormField } from '../../../shared/contract/step-types/parts/page-field.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  Float,
  getKey,
  isDictionary,
  isList,
  keysOf,
} from '@millrace/jinja/data'
import { couldBe, extensionOf } from './file-kinds.ts'
import type { Fault } from './words.ts'

/** The result of reading a submitted form. */
export interface FormReading {
  /** The values by field name, in the order of the form; complete only if there are no faults. */
  readonly values: Dictionary
  /** Faults by field name. */
  readonly faults: ReadonlyMap<string, Fault>
  /** The typed strings, to be shown again. */
  readonly typed: ReadonlyMap<string, string>
}

/** A file of a form, in memory until the whole form is found to be valid. */
export interface SentFile {
  readonly filename: string
  readonly content_type: string
  readonly content: Buffer
}

export interface FormInputs {
  readonly input: Dictionary
  /** Keyed by the `file_id` that represents each file in the input. */
  readonly files: ReadonlyMap<string, SentFile>
  /** The largest size in bytes of everything that is sent. */
  readonly maxBytes: number
}

/**
 * Checks input from a browser, whose values are strings, or from a program, which can send JSON.
 *
 * @param isOwn names that the page adds itself
 */
export function readForm(
  fields: readonly FormField[],
  { input, files, maxBytes }: FormInputs,
  isOwn: (name: string) => boolean = () => false,
): FormReading {
  const faults = new Map<string, Fault>()
  const typed = new Map<string, string>()
  const values = fields.map((field): [string, Data] => {
    const sent = getKey(input, field.name) ?? null
    const chosen = filesIn(sent).flatMap((id) => files.get(id) ?? [])
    typed.set(field.name, chosen.map(({ filename }) => filename).join(', ') || typedText(sent))
    const value = readValue(field, sent, { chosen, maxBytes })
    if (isFault(value)) faults.set(field.name, value.fault)
    return [field.name, isFault(value) ? null : value]
  })
  for (const name of keysOf(input))
    if (!isOwn(name) && !fields.some((field) => field.name === name)) faults.set(name, 'unknown')
  return { values: dictionaryOf(values), faults, typed }
}

class Faulty {
  readonly fault: Fault

  constructor(fault: Fault) {
    this.fault = fault
  }
}

const isFault = (value: Data | Faulty): value is Faulty => value instanceof Faulty

interface ChosenFiles extends Pick<FormInputs, 'maxBytes'> {
  readonly chosen: readonly SentFile[]
}

function readValue(field: FormField, sent: Data, files: ChosenFiles): Data | Faulty {
  if (field.type === 'file') return readFiles(field, sent, files)
  if (field.type === 'switch') return readSwitch(field, sent)
  if (field.type === 'number') return readNumber(field, sent)
  if (sent !== null && typeof sent !== 'string') return new Faulty('text')
  const text = field.type === 'textarea' ? (sent ?? '').replaceAll(/\r\n?/g, '\n') : (sent ?? '').trim()
  if (text === '') return field.required ? new Faulty('missing') : ''
  if (text.length > longestOf(field)) return new Faulty('too_long')
  return KINDS[field.type](text, field) ?? text
}

/** Checks by field type; null if the string is valid. */
const KINDS: Readonly<
  Record<'text' | 'textarea' | 'email' | 'date' | 'select', (text: string, field: FormField) => Faulty | null>
> = {
  text: (text) => (/[\r\n]/.test(text) ? new Faulty('one_line') : controlFault(text)),
  textarea: controlFault,
  email: (text) => (EMAIL.test(text) ? null : new Faulty('email')),
  date: (text) => (isDate(text) ? null : new Faulty('date')),
  select: (text, { options }) =>
    options.some((option) => option.trim() === text) ? null : new Faulty('option'),
}

function controlFault(text: string): Faulty | null {
  // oxlint-disable-next-line no-control-regex -- these can't be typed
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? new Faulty('text') : null
}

/** Returns the files as sent, to be stored later. A browser sends an empty string or null if no file is chosen. */
function readFiles(field: FormField, sent: Data, { chosen, maxBytes }: ChosenFiles): Data | Faulty {
  const values = listOf(sent).filter((one) => one !== null && one !== '')
  const { accept, multiple, required } = field
  if (values.length !== chosen.length || (required && values.length === 0)) return new Faulty('file')
  if (values.length > (multiple ? MOST_FILES : 1)) return new Faulty(multiple ? 'many_files' : 'one_file')
  const accepted = accept.map((one) => one.toLowerCase())
  const isWrong = ({ filename, content }: SentFile) =>
    accept.length > 0 && !(accepted.includes(extensionOf(filename)) && couldBe(content, accepted))
  if (chosen.some(isWrong)) return new Faulty('file_type')
  const most = mostBytesOf(field, maxBytes)
  if (chosen.some(({ content }) => content.length > most)) return new Faulty('file_size')
  return multiple ? values : (values[0] ?? null)
}

export function mostBytesOf({ max_mb: most }: FormField, maxBytes: number): number {
  return Math.min(most === null ? Infinity : most * 1_048_576, maxBytes)
}

/** The names of files in a value as it was sent. */
export function filesIn(sent: Data): string[] {
  return listOf(sent).flatMap((one) => {
    const id = isDictionary(one) ? getKey(one, 'file_id') : null
    return typeof id === 'string' ? [id] : []
  })
}

const listOf = (sent: Data): readonly Data[] => (isList(sent) ? [...sent] : [sent])

/** A browser sends nothing for a box that isn't checked. */
function readSwitch({ required }: FormField, sent: Data): boolean | Faulty {
  const value = SWITCHES.get(sent)
  if (value === undefined) return new Faulty('switch')
  return required && !value ? new Faulty('missing') : value
}

const SWITCHES: ReadonlyMap<Data, boolean> = new Map<Data, boolean>([
  [true, true],
  ['true', true],
  ['on', true],
  [false, false],
  ['false', false],
  ['', false],
  [null, false],
])

function readNumber({ required }: FormField, sent: Data): Data | Faulty {
  if (typeof sent === 'number' || typeof sent === 'bigint' || sent instanceof Float) return sent
  if (sent !== null && typeof sent !== 'string') return new Faulty('number')
  const text = (sent ?? '').trim()
  if (text === '') return required ? new Faulty('missing') : null
  if (text.length > LONGEST_NUMBER || !NUMBER.test(text)) return new Faulty('number')
  const value = Number(text)
  return Number.isFinite(value) ? value : new Faulty('number')
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export const MOST_FILES = 20

/** The maximum number of characters in a field. */
export function longestOf({ type }: Pick<FormField, 'type'>): number {
  return type === 'textarea' ? 20_000 : type === 'email' ? 254 : 1_000
}

function typedText(sent: Data): string {
  if (isList(sent) || sent === null || typeof sent === 'object') return ''
  return String(sent)
}

const EMAIL = /^[^\s\p{Cc}@<>,;:"]{1,64}@[^\s\p{Cc}@<>,;:"]+$/u
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i
const LONGEST_NUMBER = 60
