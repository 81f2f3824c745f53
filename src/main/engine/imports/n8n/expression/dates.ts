/** n8n's times (`$now`, `$today`, `DateTime`, all of Luxon) as what the filter `date` does. */
import { ownOf } from '../../plain.ts'
import { quoted } from '../source/values.ts'
import { type Expression, NEW_DATE, NotReadable } from './javascript.ts'
import { argsOf, keyOf, type Link, type PathScope, type Start } from './path.ts'
import { held, WHOLE, type Written, written } from './written.ts'

export const DATE_ROOTS: Readonly<Record<string, (links: readonly Link[], scope: PathScope) => Start>> = {
  $now: (links, scope) => follow(nowIn(scope), links, scope),
  $today: (links, scope) => follow(startOf('day', nowIn(scope), scope), links, scope),
  [NEW_DATE]: (links, scope) => {
    const name = keyOf(links[0])
    if (name !== 'toISOString' && name !== 'toJSON')
      throw new NotReadable(`"${NEW_DATE}" has no equal here except as a string`)
    return follow(nowIn(scope), links, scope)
  },
  DateTime(links, scope) {
    const [method, call, ...rest] = links
    const args = argsOf(call)
    const [first] = args ?? []
    const name = keyOf(method)
    if (args === null || args.length > 1) throw new NotReadable('"DateTime" is used in an unusual way')
    if ((name === 'now' || name === 'local') && first === undefined) return follow(nowIn(scope), rest, scope)
    const given = first && held(scope.write(first), WHOLE)
    if (name === 'fromISO' && given !== undefined) {
      const zone = zoneOf(scope)
      return follow(
        written(`${given} | date('iso'${zone}${zone.replace('timezone', 'from_timezone')})`, 0, 'text'),
        rest,
        scope,
      )
    }
    if (name === 'fromMillis' && given !== undefined)
      return follow(written(`(${given} / 1000)`, WHOLE), rest, scope)
    if (name === 'fromSeconds' && given !== undefined) return follow(written(given, WHOLE), rest, scope)
    throw new NotReadable(`"DateTime.${name ?? ''}" has no equal here`)
  },
}

/** A moment is a text where it is shown in the zone of the workflow already. */
const nowIn = ({ names }: PathScope): Written =>
  written('now', WHOLE, names.timezone === null ? 'text' : 'any')

/** Methods of a moment in turn; the last of them may make a text or a number of it. */
function follow(start: Written, links: readonly Link[], scope: PathScope): Start {
  let moment = start
  for (let at = 0; at < links.length; at += 2) {
    const name = keyOf(links[at])
    const args = argsOf(links[at + 1])
    const rest = links.slice(at + 2)
    if (name === null) throw new NotReadable('a time in it is read in an unusual way')
    if (args === null) {
      const part = ownOf(PARTS, name)
      if (part === undefined) throw new NotReadable(`".${name}" of a time has no equal here`)
      return { value: { ...shown(moment, part, scope, ' | int'), type: 'number' }, rest: links.slice(at + 1) }
    }
    const format = formatOf(name, args)
    if (format === 'iso' && moment.type === 'text') return { value: moment, rest }
    if (format !== null) return { value: shown(moment, format, scope), rest }
    if (name === 'plus' || name === 'minus') moment = added(moment, name === 'plus' ? 1 : -1, args, scope)
    else if (name === 'startOf' && args[0]?.kind === 'value')
      moment = startOf(String(args[0].value), moment, scope)
    else if (name !== 'toUTC' || args.length > 0)
      throw new NotReadable(`".${name}()" of a time has no equal here`)
  }
  return { value: moment, rest: [] }
}

const zoneOf = ({ names }: PathScope): string =>
  names.timezone === null ? '' : `, timezone=${quoted(names.timezone)}`

const shown = (moment: Written, format: string, scope: PathScope, end = ''): Written =>
  written(`${held(moment, WHOLE)} | date(${quoted(format)}${zoneOf(scope)})${end}`, 0, 'text')

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
  toISOString: 'iso',
  toString: 'iso',
  toJSON: 'iso',
  toISODate: 'date',
  toSQLDate: 'date',
  toMillis: 'unix_ms',
  valueOf: 'unix_ms',
  toSeconds: 'unix',
  toUnixInteger: 'unix',
}

function formatOf(name: string, args: readonly Expression[]): string | null {
  const [first] = args
  if (args.length === 0) return ownOf(FORMATS, name) ?? null
  if (name !== 'toFormat' && name !== 'format') return null
  if (first?.kind !== 'value' || typeof first.value !== 'string' || args.length > 1)
    throw new NotReadable('the format of a time is calculated')
  return codesOf(first.value)
}

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

/** Luxon's tokens as codes of strftime. */
function codesOf(format: string): string {
  return format.replaceAll(/'([^']*)'|([A-Za-z])\2*|%/g, (token: string, text: string | undefined) => {
    if (text !== undefined) return text.replaceAll('%', '%%')
    if (token === '%') return '%%'
    const code = ownOf(CODES, token)
    if (code === undefined) throw new NotReadable(`"${token}" in the format of a time has no equal here`)
    return code
  })
}

const UNITS = /^(?:year|month|week|day|hour|minute|second|millisecond)s?$/

/** `plus({ days: 1 })`, and `plus(1, 'day')`. */
function added(moment: Written, sign: 1 | -1, args: readonly Expression[], scope: PathScope): Written {
  const [first, unit] = args
  const amounts =
    first?.kind === 'object'
      ? first.entries
      : first !== undefined && unit?.kind === 'value'
        ? [[String(unit.value), first] as const]
        : []
  if (amounts.length === 0 || !amounts.every(([name]) => UNITS.test(name)))
    throw new NotReadable('what is added to a time has no equal here')
  const parts = amounts.map(([name, amount]) => {
    const count = scope.write(amount)
    return `${quoted(name)}: ${sign === 1 ? count.text : `-${held(count, WHOLE)}`}`
  })
  return written(`${held(moment, WHOLE)} | date('iso', add={${parts.join(', ')}}${zoneOf(scope)})`, 0, 'text')
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  year: '%Y-01-01T00:00:00',
  month: '%Y-%m-01T00:00:00',
  day: '%Y-%m-%dT00:00:00',
  hour: '%Y-%m-%dT%H:00:00',
  minute: '%Y-%m-%dT%H:%M:00',
}

function startOf(unit: string, moment: Written, scope: PathScope): Written {
  const beginning = ownOf(BEGINNINGS, unit)
  if (beginning === undefined) throw new NotReadable(`the start of a ${unit.slice(0, 20)} has no equal here`)
  const zone = zoneOf(scope)
  const text = `${held(moment, WHOLE)} | date('${beginning}'${zone})`
  return written(`${text} | date('iso'${zone}${zone.replace('timezone', 'from_timezone')})`, 0, 'text')
}
