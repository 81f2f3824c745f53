import { type Data, entriesOf, Float, isDictionary, isList } from '../data/value.ts'
import { nameEnd } from './names.ts'

export interface XmlStyle {
  /** Spaces a level; 0 writes one line. */
  readonly indent: number
  /** Whether `<?xml …?>` stands before it. */
  readonly declaration: boolean
}

/** A value that cannot be written as XML. */
export class XmlWriteError extends Error {
  override readonly name = 'XmlWriteError'
}

/**
 * Writes what `parseXml` reads: one key is the root, `@name` an attribute, `#text` the text beside them, a list a
 * repeated element, null an empty one.
 *
 * @throws XmlWriteError no single root, or a key that is no name of XML
 */
export function writeXml(value: Data, style: Partial<XmlStyle> = {}): string {
  const { indent = 0, declaration = true } = style
  const entries = isDictionary(value) ? entriesOf(value) : []
  const [root] = entries
  if (root === undefined || entries.length > 1 || isList(root[1])) {
    throw new XmlWriteError('XML has one root: a dictionary with a single key, whose value is no list')
  }
  const head = declaration ? `<?xml version="1.0" encoding="utf-8"?>\n` : ''
  return head + writeElement(root[0], root[1], indent, 0)
}

const MAX_DEPTH = 64

function writeElement(name: string, value: Data, indent: number, depth: number): string {
  if (nameEnd(name, 0) !== name.length || name === '')
    throw new XmlWriteError(`"${name.slice(0, 40)}" is no name of XML`)
  if (depth > MAX_DEPTH) throw new XmlWriteError(`The value is nested deeper than ${MAX_DEPTH} levels`)
  if (!isDictionary(value)) {
    const text = textOf(value)
    return text === '' ? `<${name}/>` : `<${name}>${escapeText(text)}</${name}>`
  }
  const entries = entriesOf(value)
  const attributes = entries
    .filter(([key]) => key.startsWith('@'))
    .map(([key, item]) => ` ${attributeName(key)}="${escapeText(textOf(item)).replaceAll('"', '&quot;')}"`)
    .join('')
  const text = entries
    .filter(([key]) => key === '#text')
    .map(([, item]) => escapeText(textOf(item)))
    .join('')
  const children = entries
    .filter(([key]) => !key.startsWith('@') && key !== '#text')
    .flatMap(([key, item]) =>
      isList(item) ? item.map((each) => [key, each] as const) : [[key, item] as const],
    )
    .map(([key, item]) => writeElement(key, item, indent, depth + 1))
  if (text === '' && children.length === 0) return `<${name}${attributes}/>`
  const line = indent > 0 && text === '' ? `\n${' '.repeat(indent * (depth + 1))}` : ''
  const end = line === '' ? '' : `\n${' '.repeat(indent * depth)}`
  return `<${name}${attributes}>${text}${children.map((child) => line + child).join('')}${end}</${name}>`
}

function attributeName(key: string): string {
  const name = key.slice(1)
  if (name === '' || nameEnd(name, 0) !== name.length)
    throw new XmlWriteError(`"${key.slice(0, 40)}" is no name of XML`)
  return name
}

function textOf(value: Data): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  if (value instanceof Float) return `${value.value}.0`
  throw new XmlWriteError('The text of an element or attribute is a plain value, not a list or dictionary')
}

function escapeText(text: string): string {
  if (FORBIDDEN.test(text))
    throw new XmlWriteError('The text holds a control character, which XML cannot say')
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
}

/** Control characters other than tab and line ends. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}]/u
