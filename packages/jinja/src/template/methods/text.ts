import { say } from '../../data/said.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkListSize, checkTextSize, maxItems, spend, spendText } from '../base/limits.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { Dict, List } from '../values/containers.ts'
import { countText, findLastText, findText, splitAtText } from '../text/find-text.ts'
import { iterate } from '../values/iterate.ts'
import { pointIndex, pointLength, Points } from '../text/code-points.ts'
import { typeName } from '../values/truth.ts'
import { Bytes, END, Markup, Tuple, type Value } from '../base/value.ts'
import { needInt, needText } from './arguments.ts'
import { capitalize, expandTabs, isCased, isTitle, swapCase, titleCase } from '../text/letter-case.ts'
import { SPACES } from '../text/white-space.ts'
import { splitLines, splitText, splitWhitespace, stripText } from '../text/split.ts'

type TextMethod = Operation<string>

// linear: one class of characters, repeated
const ALL_SPACE = new RegExp(`^[${SPACES}]+$`)

const method = (names: string, signature: string, help: string, run: Operation<string>['run']): TextMethod =>
  operation(names, signature, help, run)

/** Python's methods of `str`. */
export const TEXT_METHODS: readonly TextMethod[] = [
  method('capitalize', '', 'First letter upper case, the rest lower.', (text) => capitalize(text)),
  method('casefold', '', 'Lower case for comparing.', (text) => text.toLowerCase().replaceAll('ß', 'ss')),
  method('center', "width, fillchar=' ', /", 'Centered in a field of that width.', (text, [width, fill]) =>
    pad(text, width, fill, 'center'),
  ),
  method(
    'count',
    'sub, start=none, end=none, /',
    'Number of times a substring occurs.',
    (text, [sub, start, end]) => {
      const part = needText('count', sub)
      const { body } = window(text, start, end)
      return body === undefined ? 0 : part === '' ? pointLength(body) + 1 : countText(body, part)
    },
  ),
  method(
    'encode',
    "encoding='utf-8', errors='strict'",
    'Encodes the string into bytes.',
    (text, [encoding]) => encode(text, encoding),
  ),
  method('endswith', 'suffix, start=none, end=none, /', 'Whether it ends with that.', (text, args) =>
    hasAffix('endswith', text, args, (body, affix) => body.endsWith(affix)),
  ),
  method('expandtabs', 'tabsize=8', 'Replaces tabs with spaces.', (text, [size]) =>
    expandTabs(text, Number(needInt(size))),
  ),
  method('find', 'sub, start=none, end=none, /', 'Position of a substring, or -1.', (text, args) =>
    search('find', text, args, 'first'),
  ),
  method(
    'index',
    'sub, start=none, end=none, /',
    'Position of a substring; fails if there is none.',
    (text, args) => found(search('index', text, args, 'first')),
  ),
  method('isalnum', '', 'Whether all are letters or digits.', (text) => all(text, /^[\p{L}\p{N}]+$/u)),
  method('isalpha', '', 'Whether all are letters.', (text) => all(text, /^\p{L}+$/u)),
  method('isascii', '', 'Whether all are ASCII.', (text) => all(text, /^[^\u0080-\uffff]*$/)),
  method('isdecimal', '', 'Whether all are decimal digits.', (text) => all(text, /^\p{Nd}+$/u)),
  method('isdigit', '', 'Whether all are digits.', (text) => all(text, /^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨]+$/u)),
  method('isidentifier', '', 'Whether it can be a name.', (text) =>
    all(text, /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u),
  ),
  method(
    'islower',
    '',
    'Whether all letters are lower case.',
    (text) => isCased(text) && text === text.toLowerCase() && !/\p{Lt}/u.test(text),
  ),
  method('isnumeric', '', 'Whether all are numeric.', (text) => all(text, /^\p{N}+$/u)),
  method(
    'isprintable',
    '',
    'Whether all can be printed.',
    (text) => !/[\p{C}\p{Zl}\p{Zp}]|[^\P{Zs} ]/u.test(text),
  ),
  method('isspace', '', 'Whether all characters are white space.', (text) => all(text, ALL_SPACE)),
  method('istitle', '', 'Whether every word begins in upper case.', (text) => isTitle(text)),
  method(
    'isupper',
    '',
    'Whether all letters are upper case.',
    (text) => isCased(text) && text === text.toUpperCase() && !/\p{Lt}/u.test(text),
  ),
  method('join', 'iterable, /', 'Joins the strings of a list with this string.', (text, [items]) =>
    join(text, items),
  ),
  method('ljust', "width, fillchar=' ', /", 'Pads on the right.', (text, [width, fill]) =>
    pad(text, width, fill, 'left'),
  ),
  method('lower', '', 'Lower case.', (text) => text.toLowerCase()),
  method('lstrip', 'chars=none, /', 'Removes these characters from the start.', (text, [chars]) =>
    stripText(text, charsOf(chars), 'start'),
  ),
  method('maketrans', 'x, y=none, z=none, /', 'A table for translate().', (_text, [from, to, dropped]) =>
    makeTable(from, to, dropped),
  ),
  method('partition', 'sep, /', 'Splits at the first separator: before, separator, after.', (text, [sep]) => {
    const part = separator(sep)
    const at = findText(text, part)
    return new Tuple(at === -1 ? [text, '', ''] : [text.slice(0, at), part, text.slice(at + part.length)])
  }),
  method('removeprefix', 'prefix, /', 'Removes that prefix.', (text, [prefix]) => {
    const part = needText('removeprefix', prefix)
    return text.startsWith(part) ? text.slice(part.length) : text
  }),
  method('removesuffix', 'suffix, /', 'Removes that suffix.', (text, [suffix]) => {
    const part = needText('removesuffix', suffix)
    return part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text
  }),
  method('replace', 'old, new, count=-1, /', 'Replaces every old with new.', (text, [old, next, count]) =>
    replaceText(text, needText('replace', old, 1), needText('replace', next, 2), Number(needInt(count))),
  ),
  method('rfind', 'sub, start=none, end=none, /', 'Last position of a substring, or -1.', (text, args) =>
    search('rfind', text, args, 'last'),
  ),
  method(
    'rindex',
    'sub, start=none, end=none, /',
    'Last position of a substring; fails if there is none.',
    (text, args) => found(search('rindex', text, args, 'last')),
  ),
  method('rjust', "width, fillchar=' ', /", 'Pads on the left.', (text, [width, fill]) =>
    pad(text, width, fill, 'right'),
  ),
  method('rpartition', 'sep, /', 'Splits at the last separator: before, separator, after.', (text, [sep]) => {
    const part = separator(sep)
    const at = findLastText(text, part)
    return new Tuple(at === -1 ? ['', '', text] : [text.slice(0, at), part, text.slice(at + part.length)])
  }),
  method('rsplit', 'sep=none, maxsplit=-1', 'Splits from the right.', (text, [sep, max]) =>
    split(text, sep, max, 'right'),
  ),
  method('rstrip', 'chars=none, /', 'Removes these characters from the end.', (text, [chars]) =>
    stripText(text, charsOf(chars), 'end'),
  ),
  method('split', 'sep=none, maxsplit=-1', 'Splits at a separator, or into words.', (text, [sep, max]) =>
    split(text, sep, max, 'left'),
  ),
  method('splitlines', 'keepends=false', 'Lines.', (text, [keep]) => listOf(splitLines(text, keep === true))),
  method('startswith', 'prefix, start=none, end=none, /', 'Whether it starts with that.', (text, args) =>
    hasAffix('startswith', text, args, (body, affix) => body.startsWith(affix)),
  ),
  method('strip', 'chars=none, /', 'Removes these characters from both ends.', (text, [chars]) =>
    stripText(text, charsOf(chars), 'both'),
  ),
  method('swapcase', '', 'Swaps upper and lower case.', (text) => swapCase(text)),
  method('title', '', 'Every Word Begins In Upper Case.', (text) => titleCase(text)),
  method('translate', 'table, /', 'Replaces characters by a table.', (text, [table]) =>
    translate(text, table),
  ),
  method('upper', '', 'Upper case.', (text) => text.toUpperCase()),
  method('zfill', 'width, /', 'Pads with zeros on the left.', (text, [width]) => {
    const sign = /^[+-]/.exec(text)?.[0] ?? ''
    const missing = Math.max(0, Number(needInt(width)) - pointLength(text))
    checkTextSize(missing)
    return sign + '0'.repeat(missing) + text.slice(sign.length)
  }),
]

export function replaceText(text: string, old: string, next: string, count: number): string {
  spendText(text.length)
  if (count === 0 || (old !== '' && findText(text, old) === -1)) return text
  const parts = old === '' ? ['', ...new Points(text).all(), ''] : splitAtText(text, old, maxItems() + 1)
  const limit = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1)
  checkTextSize(text.length + limit * (next.length - old.length))
  checkListSize(parts.length)
  return (
    parts.slice(0, limit + 1).join(next) +
    parts
      .slice(limit + 1)
      .map((part) => old + part)
      .join('')
  )
}

const listOf = (texts: readonly string[]) => {
  checkListSize(texts.length)
  return new List([...texts])
}

const all = (text: string, pattern: RegExp) => {
  spendText(text.length)
  return pattern.test(text)
}

function charsOf(value: Value): string | undefined {
  return value === null ? undefined : needText('strip arg', value)
}

function separator(value: Value): string {
  const text = needText('sep', value)
  if (text === '') throw argumentFault(say`empty separator`)
  return text
}

function split(text: string, sep: Value, max: Value, from: 'left' | 'right'): List {
  const limit = Number(needInt(max))
  spendText(text.length)
  if (sep === null) return listOf(splitWhitespace(text, limit, from))
  return listOf(splitText(text, separator(sep), limit, from))
}

function pad(text: string, width: Value, fill: Value, side: 'left' | 'right' | 'center'): string {
  const filler = needText('fillchar', fill)
  if (pointLength(filler) !== 1)
    throw argumentFault(say`The fill character must be exactly one character long`)
  const size = Number(needInt(width))
  const missing = size - pointLength(text)
  if (missing <= 0) return text
  checkTextSize(missing + text.length)
  if (side === 'left') return text + filler.repeat(missing)
  if (side === 'right') return filler.repeat(missing) + text
  const before = Math.floor(missing / 2) + (missing & size & 1)
  return filler.repeat(before) + text + filler.repeat(missing - before)
}

/** The part of the string between `start` and `end`, and its position. */
function window(text: string, start: Value, end: Value): { body: string | undefined; from: number } {
  if (start === null && end === null) return { body: text, from: 0 }
  const points = new Points(text)
  const from = position(start, points.length, 0)
  const to = Math.min(position(end, points.length, points.length), points.length)
  return { body: from > to ? undefined : points.slice(from, to), from }
}

function position(value: Value, length: number, fallback: number): number {
  if (value === null) return fallback
  const at = Number(needInt(value))
  return at < 0 ? Math.max(0, at + length) : at
}

function search(name: string, text: string, args: readonly Value[], which: 'first' | 'last'): number {
  const [sub = null, start = null, end = null] = args
  const part = needText(name, sub)
  spendText(text.length)
  const { body, from } = window(text, start, end)
  if (body === undefined) return -1
  const at = which === 'first' ? findText(body, part) : findLastText(body, part)
  return at === -1 ? -1 : from + pointIndex(body, at)
}

function found(position: number): number {
  if (position === -1) throw typeFault(say`substring not found`)
  return position
}

function hasAffix(
  name: string,
  text: string,
  args: readonly Value[],
  test: (body: string, affix: string) => boolean,
): boolean {
  const [affix = null, start = null, end = null] = args
  const { body } = window(text, start, end)
  const affixes = affix instanceof Tuple ? affix.items : [affix]
  const texts = affixes.map((item) => {
    if (typeof item === 'string') return item
    if (item instanceof Markup) return item.text
    throw argumentFault(say`${name} first arg must be str or a tuple of str, not ${typeName(item)}`)
  })
  return body !== undefined && texts.some((item) => test(body, item))
}

function join(text: string, items: Value): string {
  const cursor = iterate(items)
  const parts: string[] = []
  let size = 0
  for (let item = cursor.next(); item !== END; item = cursor.next()) {
    if (typeof item !== 'string' && !(item instanceof Markup)) {
      throw typeFault(
        say`sequence item ${parts.length}: expected str instance, ${typeName(item)} found`,
        say`The filter join takes any values: list | join(", ")`,
      )
    }
    const part = typeof item === 'string' ? item : item.text
    size += part.length + text.length
    checkTextSize(size / 16)
    parts.push(part)
  }
  checkTextSize(size)
  return parts.join(text)
}

function encode(text: string, encoding: Value): Bytes {
  const name = needText('encode', encoding).toLowerCase().replaceAll('_', '-')
  checkTextSize(text.length * 2)
  if (name === 'utf-8' || name === 'utf8') return new Bytes(Buffer.from(text, 'utf8'))
  if (name === 'ascii' || name === 'us-ascii' || name === 'latin-1' || name === 'iso-8859-1') {
    const limit = name.endsWith('ascii') ? 0x7f : 0xff
    for (const point of text) {
      if ((point.codePointAt(0) ?? 0) > limit)
        throw argumentFault(say`'${name}' codec can't encode this text`)
    }
    return new Bytes(Buffer.from(text, 'latin1'))
  }
  if (name === 'utf-16-le' || name === 'utf-16le') return new Bytes(Buffer.from(text, 'utf16le'))
  throw argumentFault(say`unknown encoding: ${name}`)
}

function makeTable(from: Value, to: Value, dropped: Value): Dict {
  if (from instanceof Dict) {
    return Dict.from(from.pairs().map(([key, value]) => [codeOf(key), value] as const))
  }
  const sources = [...needText('maketrans', from)]
  const targets = [...needText('maketrans', to)]
  if (sources.length !== targets.length) {
    throw argumentFault(say`the first two maketrans arguments must have equal length`)
  }
  const table = Dict.from(
    sources.map((point, index) => [codeOf(point), codeOf(targets[index] ?? '')] as const),
  )
  if (dropped !== null) for (const point of needText('maketrans', dropped)) table.set(codeOf(point), null)
  return table
}

const codeOf = (value: Value): Value => (typeof value === 'string' ? (value.codePointAt(0) ?? 0) : value)

function translate(text: string, table: Value): string {
  if (!(table instanceof Dict)) throw argumentFault(say`translate() needs a dict, not ${typeName(table)}`)
  let result = ''
  for (const point of new Points(text).all()) {
    spend(1)
    const target = table.get(codeOf(point))
    if (target === undefined) result += point
    else if (target !== null)
      result += typeof target === 'string' ? target : String.fromCodePoint(Number(needInt(target)))
  }
  checkTextSize(result.length)
  return result
}
