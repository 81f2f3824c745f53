/** Translates n8n's dates (`$now`, `$today`, `DateTime`; all of them Luxon) to the filter `date`. */
import type { AnyNode, CallExpression } from 'acorn'
import { ownOf } from '../source/plain-json.ts'
import { quoted } from '../source/values.ts'
import { bare, isNamed, memberName } from './javascript.ts'
import type { Names } from './names.ts'

/** The template expression of a date; null if it isn't a date, or has to be computed by JavaScript. */
export function timeOf(
  node: AnyNode,
  { timezone }: Names,
  write: (node: AnyNode) => string | null,
): string | null {
  const links = linksOf(node)
  if (links === null) return null
  const { root, calls } = links
  const zone = `timezone=${quoted(timezone)}`
  if (root === 'new Date()')
    return calls.length === 1 && /^to(?:ISOString|JSON)$/.test(calls[0]?.name ?? '') ? 'now' : null
  const begun = beginning(root, calls, timezone, write)
  return begun && follow(begun.moment, begun.rest, zone, timezone)
}

interface Call {
  readonly name: string
  /** Null if it reads a property. */
  readonly args: CallExpression['arguments'] | null
}

function linksOf(node: AnyNode): { readonly root: string; readonly calls: readonly Call[] } | null {
  const calls: Call[] = []
  let at = bare(node)
  for (;;) {
    if (at.type === 'CallExpression' && at.callee.type === 'MemberExpression' && !at.optional) {
      calls.unshift({ name: memberName(at.callee) ?? '', args: at.arguments })
      at = bare(at.callee.object)
    } else if (at.type === 'MemberExpression') {
      calls.unshift({ name: memberName(at) ?? '', args: null })
      at = bare(at.object)
    } else break
  }
  if (at.type === 'Identifier' && /^(?:\$now|\$today|DateTime)$/.test(at.name))
    return { root: at.name, calls }
  return at.type === 'NewExpression' && isNamed(at.callee, 'Date') && at.arguments.length === 0
    ? { root: 'new Date()', calls }
    : null
}

function beginning(
  root: string,
  calls: readonly Call[],
  timezone: string,
  write: (node: AnyNode) => string | null,
): { readonly moment: string; readonly rest: readonly Call[] } | null {
  if (root === '$now') return { moment: 'now', rest: calls }
  if (root === '$today') return { moment: startOf('day', 'now', timezone) ?? 'now', rest: calls }
  const [first, ...rest] = calls
  const [given, ...more] = first?.args ?? []
  if (first === undefined || first.args === null || more.length > 0) return null
  if ((first.name === 'now' || first.name === 'local') && given === undefined) return { moment: 'now', rest }
  const value = given && write(given)
  if (typeof value !== 'string' || first.name !== 'fromISO') return null
  const zones = `timezone=${quoted(timezone)}, from_timezone=${quoted(timezone)}`
  return { moment: `(${value} | date('iso', ${zones}))`, rest }
}

/** Applies chained methods of a date; the last one may return a string or a number. */
function follow(start: string, calls: readonly Call[], zone: string, timezone: string): string | null {
  let moment = start
  for (const [at, { name, args }] of calls.entries()) {
    const isLast = at === calls.length - 1
    if (args === null) {
      const part = ownOf(PARTS, name)
      return part !== undefined && isLast ? `(${moment} | date(${quoted(part)}, ${zone}) | int)` : null
    }
    const format = formatOf(name, args)
    if (format !== null) return isLast ? `${moment} | date(${quoted(format)}, ${zone})` : null
    const next =
      name === 'plus' || name === 'minus'
        ? added(moment, name === 'plus' ? 1 : -1, args, zone)
        : name === 'startOf' && args.length === 1
          ? startOf(textOf(args[0]) ?? '', moment, timezone)
          : null
    if (next === null) return null
    moment = next
  }
  return `${moment} | date('iso', ${zone})`
}

const PARTS: Readonly<Record<string, string>> = {
  year: '%Y',
  month: '%m',
  day: '%d',
  hour: '%H',
  minute: '%M',
  second: '%S',
  weekday: '%u',
  weekNumber: '%V',
}

const FORMATS: Readonly<Record<string, string>> = {
  toISO: 'iso',
  toString: 'iso',
  toJSON: 'iso',
  toISODate: 'date',
  toSQLDate: 'date',
  toMillis: 'unix_ms',
  valueOf: 'unix_ms',
  toUnixInteger: 'unix',
}

function formatOf(name: string, args: CallExpression['arguments']): string | null {
  if (args.length === 0) return ownOf(FORMATS, name) ?? null
  const format = textOf(args[0])
  return (name === 'toFormat' || name === 'format') && args.length === 1 && format !== null
    ? codesOf(format)
    : null
}

const textOf = (node: AnyNode | undefined): string | null =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null

const CODES: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  y: '%Y',
  yy: '%y',
  MMMM: '%B',
  LLLL: '%B',
  MMM: '%b',
  LLL: '%b',
  MM: '%m',
  LL: '%m',
  M: '%-m',
  L: '%-m',
  dd: '%d',
  d: '%-d',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSS: '%L',
  a: '%p',
  EEEE: '%A',
  cccc: '%A',
  EEE: '%a',
  ccc: '%a',
  E: '%u',
  c: '%u',
  WW: '%V',
  W: '%-V',
  ooo: '%j',
  o: '%-j',
  ZZ: '%:z',
  ZZZ: '%z',
  X: '%s',
  x: '%Q',
}

/** Converts Luxon's tokens to strftime codes; null if one has no equivalent. */
function codesOf(format: string): string | null {
  let isKnown = true
  // linear: a text ends at the next quote, a code at another letter
  const codes = format.replaceAll(/'([^']*)'|([A-Za-z])\2*|%/g, (token: string, text: string | undefined) => {
    if (text !== undefined) return text.replaceAll('%', '%%')
    // In Luxon an unquoted "T" is a localized time, not a separator.
    const code = token === '%' ? '%%' : token === 'T' ? null : ownOf(CODES, token)
    isKnown &&= code !== undefined && code !== null
    return code ?? ''
  })
  return isKnown ? codes : null
}

const UNITS = /^(?:year|month|week|day|hour|minute|second|millisecond)s?$/

/** Translates `plus({ days: 1 })`, and n8n's own `plus(1, 'day')`, with literal amounts. */
function added(moment: string, sign: 1 | -1, args: CallExpression['arguments'], zone: string): string | null {
  const [first, unit, ...more] = args
  if (first === undefined || more.length > 0) return null
  const amounts: (readonly [string, AnyNode])[] = []
  if (first.type === 'ObjectExpression' && unit === undefined) {
    for (const one of first.properties) {
      if (one.type !== 'Property' || one.computed || one.key.type !== 'Identifier') return null
      amounts.push([one.key.name, one.value])
    }
  } else amounts.push([textOf(unit) ?? '', first])
  const parts = amounts.map(([name, amount]) => {
    const count = numberOf(amount)
    return count === null || !UNITS.test(name) ? null : `${quoted(name)}: ${sign * count}`
  })
  return parts.length === 0 || parts.includes(null)
    ? null
    : `(${moment} | date('iso', add={${parts.join(', ')}}, ${zone}))`
}

function numberOf(node: AnyNode): number | null {
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const number = numberOf(node.argument)
    return number === null ? null : -number
  }
  return node.type === 'Literal' && typeof node.value === 'number' && Number.isSafeInteger(node.value)
    ? node.value
    : null
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  year: '%Y-01-01T00:00:00',
  month: '%Y-%m-01T00:00:00',
  day: '%Y-%m-%dT00:00:00',
  hour: '%Y-%m-%dT%H:00:00',
  minute: '%Y-%m-%dT%H:%M:00',
}

function startOf(unit: string, moment: string, timezone: string): string | null {
  const begin = ownOf(BEGINNINGS, unit)
  if (begin === undefined) return null
  const zone = quoted(timezone)
  return `(${moment} | date('${begin}', timezone=${zone}) | date('iso', timezone=${zone}, from_timezone=${zone}))`
}
