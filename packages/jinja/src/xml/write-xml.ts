import { SaidError, say } from '../data/said.ts'
import { XMLBuilder } from 'fast-xml-parser'
import { type Data, entriesOf, Float, isDictionary, isList } from '../data/value.ts'
import { nameEnd } from './names.ts'

export interface XmlStyle {
  /** Spaces per level; 0 writes a single line. */
  readonly indent: number
  /** Whether `<?xml …?>` comes first. */
  readonly declaration: boolean
}

/** Thrown for a value that can't be written as XML. */
export class XmlWriteError extends SaidError {
  override readonly name = 'XmlWriteError'
}

/**
 * Writes what `parseXml` reads: the only key is the root, `@name` an attribute, `#text` the text next to them, a list a
 * repeated element, null an empty one.
 *
 * @throws XmlWriteError if there isn't a single root, or a key isn't a valid XML name
 */
export function writeXml(value: Data, style: Partial<XmlStyle> = {}): string {
  const { indent = 0, declaration = true } = style
  const entries = isDictionary(value) ? entriesOf(value) : []
  const [root] = entries
  if (root === undefined || entries.length > 1 || isList(root[1])) {
    throw new XmlWriteError(say`XML has one root: an object with a single key, whose value isn't a list`)
  }
  const [name, content] = root
  const element = toElement(name, content, 0)
  const builder = new XMLBuilder({
    ...OPTIONS,
    format: indent > 0 && !isMixed(element),
    indentBy: ' '.repeat(indent),
  })
  const head = declaration ? `<?xml version="1.0" encoding="utf-8"?>\n` : ''
  return head + builder.build({ [name]: element }).trimEnd()
}

const OPTIONS = {
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  jPath: false,
  // The builder's escaping treats attributes like text, but line ends in attributes need another form.
  processEntities: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
}

/** The builder's input: a string, or attributes, `#text` and children by key. */
type Element = string | { readonly [key: string]: Element | readonly Element[] }

const MAX_DEPTH = 64

/** The builder writes every key and value unchanged, so they are checked and escaped here. */
function toElement(name: string, value: Data, depth: number): Element {
  checkName(name, name)
  if (depth > MAX_DEPTH) throw new XmlWriteError(say`The value is nested deeper than ${MAX_DEPTH} levels`)
  if (!isDictionary(value)) return escapeText(textOf(value))
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [key, toContent(key, item, depth)]))
}

function toContent(key: string, value: Data, depth: number): Element | Element[] {
  if (key === '#text') return escapeText(textOf(value))
  if (key.startsWith('@')) {
    checkName(key.slice(1), key)
    return escapeText(textOf(value)).replace(/[\t\n]/g, (character) => `&#${character.charCodeAt(0)};`)
  }
  return isList(value)
    ? value.map((item) => toElement(key, item, depth + 1))
    : toElement(key, value, depth + 1)
}

/** Whether any text is next to elements, because indentation would become part of it. */
function isMixed(element: Element | readonly Element[]): boolean {
  if (typeof element === 'string') return false
  const keys = Object.keys(element).filter((key) => !key.startsWith('@'))
  return (keys.length > 1 && keys.includes('#text')) || Object.values(element).some(isMixed)
}

function checkName(name: string, key: string): void {
  if (name === '' || nameEnd(name, 0) !== name.length)
    throw new XmlWriteError(say`"${key.slice(0, 40)}" isn't a valid XML name`)
}

function textOf(value: Data): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  if (value instanceof Float) return `${value.value}.0`
  throw new XmlWriteError(
    say`The content of an element or attribute must be a plain value, not a list or an object`,
  )
}

function escapeText(text: string): string {
  if (FORBIDDEN.test(text))
    throw new XmlWriteError(say`The text has a character that XML doesn't allow, such as a control character`)
  return text.replace(/[&<>\r]/g, (character) => ESCAPED[character] ?? character)
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** All characters except those of XML 1.0 (fifth edition, 2.2). */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
