import { type Said, say } from '../data/said.ts'
import { TextCursor } from '../data/text-cursor.ts'
import { TextError } from '../data/text-error.ts'
import type { Data, Dictionary } from '../data/value.ts'
import { nameEnd } from './names.ts'

export interface XmlLimits {
  readonly maxDepth: number
  /** The limit of elements and attributes together. */
  readonly maxValues: number
}

const DEFAULT_XML_LIMITS: XmlLimits = { maxDepth: 64, maxValues: 500_000 }

/** Thrown for input that isn't well-formed, declares a document type, or exceeds a limit. */
export class XmlError extends TextError {
  override readonly name = 'XmlError'
}

/**
 * Reads XML like Python's `xmltodict`: the root's name is the only key, attributes are `@name`, text next to attributes
 * or children is `#text`, a repeated element is a list, an empty one null, and every value remains a string.
 *
 * A document type, and with it all custom entities, is rejected.
 *
 * @throws XmlError with line, column and a sentence
 */
export function parseXml(text: string, limits: Partial<XmlLimits> = {}): Dictionary {
  return new XmlReader(normalizeLines(text), { ...DEFAULT_XML_LIMITS, ...limits }).read()
}

/** The state of an element that is still open. */
interface Open {
  readonly name: string
  item: Record<string, Data> | null
  text: string
}

class XmlReader extends TextCursor {
  readonly #limits: XmlLimits
  readonly #open: Open[] = []
  #root: Dictionary | null = null
  #values = 0

  constructor(text: string, limits: XmlLimits) {
    super(text)
    this.#limits = limits
  }

  read(): Dictionary {
    this.#checkCharacters()
    this.match(DECLARATION)
    while (this.at < this.text.length) {
      if (this.text.charCodeAt(this.at) === LESS) this.#markup()
      else this.#characters()
    }
    const unclosed = this.#open.at(-1)
    if (unclosed !== undefined) this.#fail(say`the element <${short(unclosed.name)}> is never closed`)
    return this.#root ?? this.#fail(say`there is no element`)
  }

  /** Checked once for the whole input, so that nothing below has to. */
  #checkCharacters(): void {
    // oxlint-disable-next-line no-control-regex -- these are what XML forbids
    const forbidden = this.text.search(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/)
    if (forbidden !== -1) this.#failAt(forbidden, say`a control character is not allowed in XML`)
    if (!this.text.isWellFormed()) this.#fail(say`the text contains half a character (a lone surrogate)`)
  }

  #markup(): void {
    if (this.sees('</')) this.#endTag()
    else if (this.sees('<!--')) this.#comment()
    else if (this.sees('<![CDATA[')) this.#cdata()
    else if (this.sees('<?')) this.#instruction()
    else if (this.sees('<!')) {
      this.#fail(say`document types and declarations (<!DOCTYPE, <!ENTITY) aren't allowed; remove them`)
    } else this.#startTag()
  }

  #characters(): void {
    const next = this.text.indexOf('<', this.at)
    const end = next === -1 ? this.text.length : next
    const open = this.#open.at(-1)
    if (open === undefined) {
      const start = skipSpace(this.text, this.at)
      if (start < end)
        this.#failAt(
          start,
          this.#root
            ? say`text is not allowed after the root element`
            : say`text is not allowed before the root element`,
        )
    } else {
      const text = this.text.slice(this.at, end)
      const stray = text.indexOf(']]>')
      if (stray !== -1) this.#failAt(this.at + stray, say`"]]>" must be written as "]]&gt;" here`)
      open.text += this.#decode(text, this.at)
    }
    this.at = end
  }

  #comment(): void {
    const end = this.text.indexOf('--', this.at + 4)
    if (end === -1) this.#fail(say`this comment is never closed`)
    if (this.text[end + 2] !== '>') this.#failAt(end, say`"--" is not allowed inside a comment`)
    this.at = end + 3
  }

  #cdata(): void {
    const open = this.#open.at(-1)
    if (open === undefined) return this.#fail(say`text is not allowed outside the root element`)
    const end = this.text.indexOf(']]>', this.at)
    if (end === -1) this.#fail(say`this CDATA section is never closed`)
    open.text += this.text.slice(this.at + '<![CDATA['.length, end)
    this.at = end + 3
  }

  #instruction(): void {
    const nameStart = this.at + 2
    const target = this.text.slice(nameStart, nameEnd(this.text, nameStart))
    if (target === '') this.#fail(say`a processing instruction needs a name`)
    if (target.toLowerCase() === 'xml') {
      this.#fail(
        this.at === 0
          ? say`this XML declaration isn't valid; write <?xml version="1.0" encoding="UTF-8"?>`
          : say`the XML declaration is only allowed at the very start`,
      )
    }
    const end = this.text.indexOf('?>', nameStart + target.length)
    if (end === -1) this.#fail(say`this processing instruction is never closed`)
    const after = nameStart + target.length
    if (end !== after && !isSpace(this.text.charCodeAt(after))) this.#failAt(after, say`a space is missing`)
    this.at = end + 2
  }

  #startTag(): void {
    if (this.#root !== null && this.#open.length === 0) this.#fail(say`there is more than one root element`)
    if (this.#open.length >= this.#limits.maxDepth) {
      this.#fail(say`the XML is nested deeper than ${this.#limits.maxDepth} levels`)
    }
    this.#count()
    this.at++
    const name = this.#name(say`an element`)
    const open: Open = { name, item: null, text: '' }
    for (;;) {
      const start = this.at
      this.at = skipSpace(this.text, start)
      const code = this.text.charCodeAt(this.at)
      if (code === GREATER) {
        this.at++
        this.#open.push(open)
        return
      }
      if (code === SLASH && this.text.charCodeAt(this.at + 1) === GREATER) {
        this.at += 2
        this.#close(open)
        return
      }
      if (this.at === start || Number.isNaN(code)) this.#failInTag(name)
      this.#attribute(open)
    }
  }

  #attribute(open: Open): void {
    this.#count()
    const start = this.at
    const name = this.#name(say`an attribute`)
    this.at = skipSpace(this.text, this.at)
    if (this.text[this.at] !== '=') this.#fail(say`the attribute "${short(name)}" has no value`)
    this.at = skipSpace(this.text, this.at + 1)
    const quote = this.text[this.at]
    if (quote !== '"' && quote !== "'")
      this.#fail(say`the value of the attribute "${short(name)}" needs quotes`)
    const end = this.text.indexOf(quote ?? '"', this.at + 1)
    if (end === -1) this.#fail(say`the value of the attribute "${short(name)}" is never closed`)
    const raw = this.text.slice(this.at + 1, end)
    const less = raw.indexOf('<')
    if (less !== -1) this.#failAt(this.at + 1 + less, say`"<" must be written as "&lt;" in an attribute`)
    open.item ??= emptyItem()
    const key = `@${name}`
    if (Object.hasOwn(open.item, key)) this.#failAt(start, say`the attribute "${short(name)}" appears twice`)
    open.item[key] = this.#decode(raw.replaceAll(/[\t\n]/g, ' '), this.at + 1)
    this.at = end + 1
  }

  #endTag(): void {
    const start = this.at
    this.at += 2
    const name = this.#name(say`an element`)
    this.at = skipSpace(this.text, this.at)
    if (this.text.charCodeAt(this.at) !== GREATER) this.#failInTag(name)
    const open = this.#open.pop()
    if (open?.name !== name) {
      this.#failAt(
        start,
        open === undefined
          ? say`</${short(name)}> closes nothing: no element is open`
          : say`</${short(name)}> closes nothing: </${short(open.name)}> is expected`,
      )
    }
    this.at++
    if (open !== undefined) this.#close(open)
  }

  /** Adds the element to its parent, in the form its content requires. */
  #close({ name, item, text }: Open): void {
    const content = strip(text)
    if (item !== null && content !== '') item['#text'] = content
    const value = item ?? (content === '' ? null : content)
    const parent = this.#open.at(-1)
    if (parent === undefined) {
      const root = emptyItem()
      addChild(root, name, value)
      this.#root = root
    } else {
      parent.item ??= emptyItem()
      addChild(parent.item, name, value)
    }
  }

  #name(what: Said): string {
    const end = nameEnd(this.text, this.at)
    if (end === this.at) this.#fail(say`expected the name of ${what}; write a plain < as "&lt;"`)
    const name = this.text.slice(this.at, end)
    this.at = end
    return name
  }

  /** `offset` is the position of `text` in the document. */
  #decode(text: string, offset: number): string {
    let decoded = ''
    let from = 0
    for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', from)) {
      const end = text.indexOf(';', at)
      const name = end === -1 || end - at > LONGEST_REFERENCE ? '' : text.slice(at + 1, end)
      const character = ENTITIES.get(name) ?? (NUMERIC.test(name) ? characterOf(name) : undefined)
      if (character === undefined) {
        return this.#failAt(
          offset + at,
          NUMERIC.test(name)
            ? say`&${name}; isn't a character that XML allows`
            : say`"&" doesn't begin a known entity; write a plain & as "&amp;"`,
        )
      }
      decoded += text.slice(from, at) + character
      from = end + 1
    }
    return decoded + text.slice(from)
  }

  #count(): void {
    if (++this.#values > this.#limits.maxValues) {
      this.#fail(say`the XML has more than ${this.#limits.maxValues} elements and attributes`)
    }
  }

  #failInTag(name: string): never {
    if (this.at >= this.text.length) this.#fail(say`the tag <${short(name)} is never closed`)
    return this.#fail(
      say`${JSON.stringify(this.text[this.at] ?? '')} is not allowed in the tag <${short(name)}`,
    )
  }

  #fail(problem: Said): never {
    return this.#failAt(this.at, problem)
  }

  #failAt(offset: number, problem: Said): never {
    throw new XmlError(this.text, offset, say`${problem}.`)
  }
}

/** XML 1.0, 2.11: every line end is read as a line feed. */
function normalizeLines(text: string): string {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source
}

function emptyItem(): Record<string, Data> {
  return Object.setPrototypeOf({}, null) as Record<string, Data>
}

/** Lists are only created for repeated elements, so an existing list means that there are several already. */
function addChild(item: Record<string, Data>, name: string, value: Data): void {
  if (name === '__proto__') return
  const existing = item[name]
  if (existing === undefined) item[name] = value
  else if (Array.isArray(existing)) existing.push(value)
  else item[name] = [existing, value]
}

/** Decodes `#65` or `#x41`; undefined if the number isn't an XML character. */
function characterOf(reference: string): string | undefined {
  const isHex = reference[1] === 'x'
  const code = isHex ? Number.parseInt(reference.slice(2), 16) : Number.parseInt(reference.slice(1), 10)
  const allowed =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  return allowed ? String.fromCodePoint(code) : undefined
}

/** Python's `str.strip` as a loop, because a pattern that ends with `+$` takes quadratic time. */
function strip(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0x85 && BLANKS.has(code))
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09
}

function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f

const DECLARATION =
  /<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"[\w.:-]+"|'[\w.:-]+')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/y

const NUMERIC = /^#(?:\d+|x[0-9a-fA-F]+)$/
const LONGEST_REFERENCE = 20

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** The non-ASCII whitespace that Python strips. */
const BLANKS: ReadonlySet<number> = new Set([
  0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
])
