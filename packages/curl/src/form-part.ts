import { type Said, SaidError, say } from '@millrace/jinja/said'
import { missing, shownText } from './open-text.ts'

/** One part of a `multipart/form-data` body. Its strings can have open parts. */
export interface FormPart {
  readonly name: string
  readonly content: string
  /** The path of the file with the content, on the computer that the command is for. */
  readonly file: string | null
  /** Empty if the part has no filename. */
  readonly filename: string
  readonly contentType: string
  /** Features of the part that Millrace doesn't support. */
  readonly problems: readonly Said[]
}

/** Reads `--form-string name=value`, in which no characters of the value are special. */
export function readFormString(text: string): FormPart {
  const [name, content] = splitField(text)
  return { ...EMPTY, name, content }
}

/**
 * Reads `-F name=value`, `name=@file` or `name=<file`, followed by `;type=`, `;filename=`, `;headers=` and
 * `;encoder=`.
 *
 * @throws SaidError if curl would reject it
 */
export function readFormPart(text: string, stdin: string | null): readonly FormPart[] {
  const [name, value] = splitField(text)
  if (value.startsWith('(') || (name === '' && value.startsWith(')')))
    return [{ ...EMPTY, name, problems: [say`a part that has parts itself`] }]
  const isUpload = value.startsWith('@')
  if (!isUpload && !value.startsWith('<')) return [{ ...EMPTY, name, ...readFields(value, 0, '').fields }]
  const parts: FormPart[] = []
  for (let from = 1; from <= value.length;) {
    const { fields, end } = readFields(value, from, isUpload ? ',' : '')
    from = end + 1
    const path = fields.content
    if (path === '-' && stdin !== null) parts.push({ ...EMPTY, name, ...fields, content: stdin })
    else if (isUpload) parts.push({ ...EMPTY, name, ...fields, content: '', file: path })
    else parts.push({ ...EMPTY, name, ...fields, content: missing(say`the text of the file ${path}`) })
    if (!isUpload) break
  }
  return parts
}

function splitField(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at === -1) throw new SaidError(say`-F ${shownText(text).slice(0, 60)} has no =`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const EMPTY: FormPart = { name: '', content: '', file: null, filename: '', contentType: '', problems: [] }

interface Word {
  readonly text: string
  /** The position of its `;`, or the end. */
  readonly end: number
}

/** A value and its attributes, up to the end or a comma between files. */
function readFields(text: string, from: number, endSign: string) {
  const first = readWord(text, from, endSign)
  const fields = { content: first.text, filename: '', contentType: '' }
  const problems: Said[] = []
  let end = first.end
  let inType = false
  while (text[end] === ';') {
    const start = skipBlanks(text, end + 1)
    const key = /^(?:type|filename|headers|encoder)=/.exec(text.slice(start, start + 9))?.[0] ?? ''
    if (key === 'type=' && !inType) {
      const stop = endOfPlain(text, start + 5, endSign)
      fields.contentType = text.slice(start + 5, stop).trim()
      inType = true
      end = stop
    } else if (key === '' && inType) {
      const stop = endOfPlain(text, start, endSign)
      fields.contentType += text.slice(end, stop).trimEnd()
      end = stop
    } else {
      const word = readWord(text, skipBlanks(text, start + key.length), endSign)
      inType &&= key === ''
      if (key === 'filename=') fields.filename = word.text
      if (key === 'headers=') problems.push(say`the header ${word.text} of a part`)
      if (key === 'encoder=') problems.push(say`the encoding ${word.text} of a part`)
      end = word.end
    }
  }
  return { fields: { ...fields, problems }, end }
}

/** In double quotes `\"` and `\\` are escapes; without quotes the value ends at the next `;`. */
function readWord(text: string, from: number, endSign: string): Word {
  const quoted = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(from))
  if (quoted !== null)
    return {
      text: (quoted[1] ?? '').replaceAll(/\\(["\\])/g, '$1'),
      end: endOfPlain(text, from + quoted[0].length, endSign),
    }
  const end = endOfPlain(text, from, endSign)
  return { text: text.slice(from, end), end }
}

function endOfPlain(text: string, from: number, endSign: string): number {
  const ends = [';', endSign].filter((sign) => sign !== '').map((sign) => text.indexOf(sign, from))
  return Math.min(text.length, ...ends.filter((at) => at !== -1))
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at += 1
  return at
}
