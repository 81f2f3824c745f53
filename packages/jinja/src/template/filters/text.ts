import { say } from '../../data/said.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { formatPercent } from '../format/percent.ts'
import { checkTextSize, current, spend, spendText } from '../base/limits.ts'
import { needInt, needText } from '../methods/arguments.ts'
import { capitalize } from '../text/letter-case.ts'
import { replaceText } from '../methods/text.ts'
import { splitLines, stripText } from '../text/split.ts'
import { Dict } from '../values/containers.ts'
import { changeText, escapeHtml } from '../values/markup.ts'
import { pointLength, Points } from '../text/code-points.ts'
import { textOf } from '../values/repr.ts'
import { isTrue, lengthOf, typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Markup, Tuple, type Value } from '../base/value.ts'
import { filter } from '../calls/operation.ts'
import { prettyText } from './pretty.ts'
import { wrapText } from './wrap.ts'

export const TEXT_FILTERS = [
  filter('capitalize', '', 'First letter upper case, the rest lower.', (value) =>
    changeText(value, capitalize),
  ),
  filter('center', 'width=80', 'Centered in a field of that width.', (value, [width]) =>
    changeText(value, (text) => center(text, Number(needInt(width)))),
  ),
  filter(
    'format',
    '*args, **kwargs',
    "Fills a printf format: '%s of %d' | format('a', 2).",
    (value, _args, { rest, names }) => {
      if (rest.length > 0 && names.size > 0) {
        throw argumentFault(say`can't handle positional and keyword arguments at the same time`)
      }
      const values = names.size > 0 ? Dict.from(names) : new Tuple(rest)
      if (value instanceof Markup)
        return new Markup(formatPercent(value.text, values, (item) => escapeHtml(item).text))
      return formatPercent(textOf(value), values)
    },
  ),
  filter(
    'indent',
    'width=4, first=false, blank=false',
    'Indents the lines.',
    (value, [width, first, blank]) => indent(value, width, isTrue(first), isTrue(blank)),
  ),
  filter('lower', '', 'Lower case.', (value) =>
    typeof value === 'string' ? value.toLowerCase() : changeText(value, (text) => text.toLowerCase()),
  ),
  filter('pprint', '', "The value as Python prints it, on several lines if it's long.", (value) =>
    prettyText(value),
  ),
  filter('replace', 'old, new, count=none', 'Replaces every old with new.', (value, [old, next, count]) =>
    replace(value, old, next, count === null ? -1 : Number(needInt(count))),
  ),
  filter('string', '', 'Converts to a string.', (value) => (value instanceof Markup ? value : textOf(value))),
  filter('title', '', 'Every Word Begins In Upper Case.', (value) => changeText(value, title)),
  filter(
    'trim',
    'chars=none',
    'Removes white space, or these characters, from both ends.',
    (value, [chars]) =>
      changeText(value, (text) =>
        stripText(text, chars === null ? undefined : needText('trim', chars), 'both'),
      ),
  ),
  filter(
    'truncate',
    "length=255, killwords=false, end='...', leeway=none",
    'Cuts to a length, at a word unless killwords is true.',
    (value, [length, killWords, end, leeway]) =>
      truncate(
        value,
        Number(needInt(length)),
        isTrue(killWords),
        textOf(end),
        leeway === null ? 5 : Number(needInt(leeway)),
      ),
  ),
  filter('upper', '', 'Upper case.', (value) =>
    typeof value === 'string' ? value.toUpperCase() : changeText(value, (text) => text.toUpperCase()),
  ),
  filter('wordcount', '', 'Number of words.', (value) => {
    const text = textOf(value)
    spendText(text.length * 24)
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  }),
  filter(
    'wordwrap',
    'width=79, break_long_words=true, wrapstring=none, break_on_hyphens=true',
    'Wraps to lines of at most that width.',
    (value, [width, breakLong, wrapString, breakHyphens]) => {
      const text = needLines(value)
      checkTextSize(text.length)
      return wrapText(text, {
        width: Number(needInt(width)),
        breakLongWords: isTrue(breakLong),
        breakOnHyphens: isTrue(breakHyphens),
        lineEnd: wrapString === null ? '\n' : textOf(wrapString),
      })
    },
  ),
]

function center(text: string, width: number): string {
  const missing = width - pointLength(text)
  if (missing <= 0) return text
  checkTextSize(missing)
  const before = Math.floor(missing / 2) + (missing & width & 1)
  return ' '.repeat(before) + text + ' '.repeat(missing - before)
}

/** For methods that only strings have. A number, for example, has no lines. */
function needLines(value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) return value.text
  if (value instanceof Undefined) throw value.fault()
  throw typeFault(
    say`'${typeName(value)}' object has no attribute 'splitlines'`,
    say`Convert it to a string first: | string`,
  )
}

function indent(value: Value, width: Value, first: boolean, blank: boolean): Value {
  const text = needLines(value)
  const by =
    typeof width === 'string' || width instanceof Markup ? textOf(width) : repeatSpace(Number(needInt(width)))
  const lines = splitLines(`${text}\n`)
  checkTextSize(text.length + lines.length * by.length)
  const moved = lines.map((line, index) => (index === 0 || (line === '' && !blank) ? line : by + line))
  return changeText(value instanceof Markup ? value : '', () => (first ? by : '') + moved.join('\n'))
}

function repeatSpace(count: number): string {
  checkTextSize(count)
  return ' '.repeat(Math.max(0, count))
}

function replace(value: Value, old: Value, next: Value, count: number): Value {
  if (!current.escaping) return replaceText(textOf(value), textOf(old), textOf(next), count)
  const html = old instanceof Markup || (next instanceof Markup && !(value instanceof Markup))
  const subject = html ? escapeHtml(value) : value
  if (!(subject instanceof Markup)) return replaceText(textOf(subject), textOf(old), textOf(next), count)
  return new Markup(replaceText(subject.text, escapeHtml(old).text, escapeHtml(next).text, count))
}

/** Words begin after whitespace, hyphens and opening brackets but, unlike in `str.title`, not after an apostrophe. */
function title(text: string): string {
  spendText(text.length * 16)
  return text.replace(/[^-\s({[<]+/g, (word) => {
    spend(2)
    const first = String.fromCodePoint(word.codePointAt(0) ?? 0)
    return first.toUpperCase() + word.slice(first.length).toLowerCase()
  })
}

function truncate(value: Value, length: number, killWords: boolean, end: string, leeway: number): Value {
  if (length < pointLength(end))
    throw argumentFault(say`expected length >= ${pointLength(end)}, got ${length}`)
  if (leeway < 0) throw argumentFault(say`expected leeway >= 0, got ${leeway}`)
  if (value instanceof Undefined) return value
  if (typeof value !== 'string' && !(value instanceof Markup)) {
    if (lengthOf(value) <= length + leeway) return value
    throw typeFault(say`truncate needs a string, not ${typeName(value)}`, say`Write | string before it`)
  }
  const points = new Points(textOf(value))
  if (points.length <= length + leeway) return value
  const kept = points.slice(0, length - pointLength(end))
  const cut = killWords ? kept.length : kept.lastIndexOf(' ')
  return changeText(value, () => (cut === -1 ? kept : kept.slice(0, cut)) + end)
}
