import type { FormField } from '../../../shared/contract/step-types/parts/page-field.ts'
import { type Html, markup, page, type Page, type PageHead } from './html.ts'
import { type FormReading, longestOf, MOST_FILES, mostBytesOf } from './read-form.ts'
import { type Fault, fill, type Language, sizeIn, WORDS, type Words } from './words.ts'

/** A field that people don't see, but that programs fill in because they fill in every field. */
export const TRAP_FIELD = '_website'
/** Identifies a submission, so that pressing the button twice counts once. */
export const SENDING_FIELD = '_sending'
/** The field with the label of the pressed button. */
export const CHOICE_FIELD = '_choice'

export const isOwnField = (name: string): boolean =>
  name === TRAP_FIELD || name === SENDING_FIELD || name === CHOICE_FIELD

export interface FormView {
  readonly title: string
  readonly description: string
  readonly fields: readonly FormField[]
  /** Labels of the buttons. Each sends its label as the choice. Null means a single button, which sends no choice. */
  readonly choices: readonly string[] | null
  readonly submitLabel: string
  readonly language: Language
  readonly forms?: PageHead['forms']
  readonly logo?: PageHead['logo']
  /** Null if nothing identifies the submission. */
  readonly sending: string | null
  /** The largest total size of a submission. */
  readonly maxBytes: number
}

/** The faults of a submission, to be corrected. */
export interface Correction extends Pick<FormReading, 'faults' | 'typed'> {
  readonly isTrapped: boolean
}

/** The form, either empty or with the typed values and their faults. */
export function formPage(view: FormView, correction: Correction | null = null): Page {
  const { title, language, forms, logo = null, choices, submitLabel, maxBytes } = view
  const words = WORDS[language]
  const firstFault = view.fields.findIndex(({ name }) => correction?.faults.has(name))
  const alert = correction && (correction.isTrapped ? words.looksLikeSpam : words.errors)
  const content = markup`<h1>${title}</h1>${paragraph(view.description)}${
    alert === null ? null : markup`<p class="bad alert" role="alert">${linked(alert, firstFault)}</p>`
  }<form method="post" accept-charset="utf-8"${flag(hasFiles(view.fields), markup` enctype="multipart/form-data"`)}>${view.fields.map(
    (field, at) => fieldOf(field, { at, words, language, maxBytes, correction }),
  )}${trapOf(words, correction?.isTrapped === true)}${
    view.sending === null
      ? null
      : markup`<input type="hidden" name="${SENDING_FIELD}" value="${view.sending}">`
  }<p class="buttons">${
    choices === null
      ? markup`<button>${submitLabel || words.send}</button>`
      : choices.map((choice) => markup`<button name="${CHOICE_FIELD}" value="${choice}">${choice}</button>`)
  }</p></form>`
  const status = correction === null ? 200 : 400
  return page(
    { status, title: titleOf(title, status, words), language, logo, ...(forms && { forms }) },
    content,
  )
}

/** A page with only a message. */
export function messagePage(head: PageHead, text: string, headers?: Page['headers']): Page {
  return page(head, markup`<h1>${head.title}</h1>${paragraph(text)}`, headers)
}

/** The page for a rejected request, which says what a person can do. */
export function refusalPage(
  { status, code }: { readonly status: number; readonly code: string },
  language: Language,
  headers: Page['headers'],
  /** The largest size in bytes of a form that takes files. */
  maxBytes: number | null = null,
): Page {
  const { refusals, refused } = WORDS[language]
  const key = code === 'too_large' && maxBytes !== null ? 'files_too_large' : code
  const [title, text] = (Object.hasOwn(refusals, key) ? refusals[key] : undefined) ?? refused
  const most = sizeIn(language, maxBytes ?? 0)
  return messagePage({ status, title, language }, fill(text, { most }), headers)
}

export const hasFiles = (fields: readonly FormField[]): boolean => fields.some(({ type }) => type === 'file')

/** The text of a fault. `field` is undefined if the form has no such field. */
export function faultText(
  fault: Fault,
  field: FormField | undefined,
  { language, maxBytes }: Pick<FormView, 'language' | 'maxBytes'>,
): string {
  const values = field === undefined ? {} : valuesOf(field, language, maxBytes)
  return fill(WORDS[language].faults[fault], values)
}

function valuesOf(field: FormField, language: Language, maxBytes: number) {
  if (field.type !== 'file') return {}
  const most = sizeIn(language, mostBytesOf(field, maxBytes))
  return { types: field.accept.join(', '), most, files: String(MOST_FILES) }
}

/** The page can't move the focus by itself, so its message leads to the first field to correct. */
function linked(text: string, at: number): Html {
  return at === -1 ? markup`${text}` : markup`<a href="#field-${at}">${text}</a>`
}

function titleOf(title: string, status: number, { errors }: Words): string {
  return status === 200 ? title : `${errors} ${title}`
}

function paragraph(text: string): Html | null {
  return text === '' ? null : markup`<p>${text}</p>`
}

interface FieldView extends Pick<FormView, 'language' | 'maxBytes'> {
  readonly at: number
  readonly words: Words
  readonly correction: Correction | null
}

function fieldOf(field: FormField, view: FieldView): Html {
  const { at, words, correction } = view
  const id = `field-${at}`
  const label = field.label || field.name
  const fault = correction?.faults.get(field.name)
  const text = helpOf(field, view)
  const help = text === '' ? null : markup`<span class="soft" id="${id}-help">${text}</span>`
  const error =
    fault === undefined ? null : markup`<p class="bad" id="${id}-error">${faultText(fault, field, view)}</p>`
  const mark = field.required ? markup` <span class="soft">(${words.required})</span>` : null
  const control = controlOf(field, view, id)
  if (field.type === 'switch')
    return markup`<div class="field check"><label>${control}<span>${label}${mark}</span></label>${help}${error}</div>`
  return markup`<div class="field"><label for="${id}">${label}${mark}</label>${help}${control}${error}</div>`
}

/**
 * Adds the limits of a file field, and a request to choose again, because browsers forget the files of a form
 * that is shown again.
 */
function helpOf(field: FormField, { language, maxBytes, words, correction }: FieldView): string {
  if (field.type !== 'file') return field.help
  const { eachAtMost, chooseAgain } = words
  const values = valuesOf(field, language, maxBytes)
  const limit = fill(field.multiple ? eachAtMost.several : eachAtMost.one, values)
  const names = correction?.typed.get(field.name) ?? ''
  const again = names === '' || correction?.faults.has(field.name) ? '' : fill(chooseAgain, { names })
  const types = values.types === '' ? '' : `${values.types}.`
  return [field.help, types, limit, again].filter((part) => part !== '').join(' ')
}

function controlOf(field: FormField, view: FieldView, id: string): Html {
  const { correction, words } = view
  const { name, type, required, options } = field
  const typed = correction?.typed.get(name) ?? ''
  const hasFault = correction?.faults.has(name) === true
  const described = [
    ...(helpOf(field, view) === '' ? [] : [`${id}-help`]),
    ...(hasFault ? [`${id}-error`] : []),
  ]
  const common = markup`id="${id}" name="${name}"${flag(required, markup` required`)}${flag(hasFault, markup` aria-invalid="true"`)}${
    described.length === 0 ? null : markup` aria-describedby="${described.join(' ')}"`
  }`
  const longest = longestOf(field)
  switch (type) {
    case 'textarea':
      // A line break directly after the tag isn't part of the text.
      return markup`<textarea ${common} rows="5" maxlength="${longest}">\n${typed}</textarea>`
    case 'select':
      return markup`<select ${common}><option value="">${words.choose}</option>${options.map(
        (option) =>
          markup`<option value="${option.trim()}"${flag(option.trim() === typed.trim(), markup` selected`)}>${option}</option>`,
      )}</select>`
    case 'switch':
      return markup`<input type="checkbox" value="true" ${common}${flag(typed === 'true' || typed === 'on', markup` checked`)}>`
    case 'file':
      return markup`<input type="file" ${common}${flag(field.accept.length > 0, markup` accept="${field.accept.join(',')}"`)}${flag(field.multiple, markup` multiple`)}>`
    case 'number':
      return markup`<input type="number" step="any" ${common} value="${typed}">`
    default:
      return markup`<input type="${type}" ${common} maxlength="${longest}" value="${typed}">`
  }
}

/** The trap field. It is only shown to a person whose browser has filled it in. */
function trapOf({ leaveEmpty }: Words, isShown: boolean): Html {
  const control = markup`<label for="trap">${leaveEmpty}</label><input id="trap" name="${TRAP_FIELD}" autocomplete="off"${flag(!isShown, markup` tabindex="-1"`)}>`
  return isShown
    ? markup`<div class="field">${control}</div>`
    : markup`<div class="apart" aria-hidden="true">${control}</div>`
}

function flag(isOn: boolean, attribute: Html): Html | null {
  return isOn ? attribute : null
}
