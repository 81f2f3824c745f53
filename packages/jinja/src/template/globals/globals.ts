import { say } from '../../data/said.ts'
import { GlobalFunction } from '../calls/call.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { argumentFault, Fault } from '../base/faults.ts'
import { current, limitFault, checkListSize } from '../base/limits.ts'
import { sources } from '../base/sources.ts'
import { addEntries } from '../methods/dict.ts'
import { needInt } from '../methods/arguments.ts'
import { Dict } from '../values/containers.ts'
import { isTrue } from '../values/truth.ts'
import { type Value, Markup } from '../base/value.ts'
import { textOf } from '../values/repr.ts'
import { Range } from '../values/views.ts'
import { Cycler, Joiner } from './helpers.ts'
import { AUTO_CALLED_GLOBALS } from './moment.ts'
import { Namespace } from './namespace.ts'
import { escapeHtml } from '../values/markup.ts'

const global = (
  name: string,
  signature: string,
  help: string,
  run: Operation<null>['run'],
  typeName?: string,
): GlobalFunction => new GlobalFunction(operation(name, signature, help, run), typeName)

const dictFrom: Operation<null>['run'] = (_subject, _args, { rest, names }) => {
  if (rest.length > 1) throw argumentFault(say`dict expected at most 1 argument, got ${rest.length}`)
  const dict = new Dict()
  if (rest[0] !== undefined) addEntries(dict, rest[0])
  for (const [name, value] of names) dict.set(name, value)
  return dict
}

export const GLOBAL_LIST: readonly GlobalFunction[] = [
  global(
    'cycler',
    '*items',
    'Cycles through its values with next().',
    (_subject, _args, { rest }) => {
      if (rest.length === 0) throw argumentFault(say`at least one item has to be provided`)
      return new Cycler(rest)
    },
    'type',
  ),
  global('dict', '*other, **entries', 'A dictionary.', dictFrom, 'type'),
  global(
    'joiner',
    "sep=', '",
    'Empty at the first call, then the separator.',
    (_subject, [separator]) => new Joiner(separator),
    'type',
  ),
  global('lipsum', 'n=5, html=true, min=20, max=100', 'Filler text.', (_subject, [n, html, min, max]) =>
    loremIpsum(Number(needInt(n)), isTrue(html), Number(needInt(min)), Number(needInt(max))),
  ),
  global(
    'namespace',
    '*other, **members',
    'An object whose attributes can be set inside a loop.',
    (subject, args, extra) => new Namespace(dictFrom(subject, args, extra) as Dict),
    'type',
  ),
  global(
    'not_imported',
    'what, /',
    'Fails with this message; an import inserts it for parts without an equivalent.',
    (_subject, [what]) => {
      throw new Fault(
        'runtime',
        say`Not imported: ${textOf(what ?? null)}; put it here, or remove this placeholder`,
      )
    },
  ),
  global(
    'range',
    'start, stop=none, step=none, /',
    'Numbers from start up to, but not including, stop.',
    (_subject, args) => {
      const [start, stop, step] = args
        .slice(0, 3)
        .map((value) => (value === null ? null : Number(needInt(value))))
      const range =
        stop === null || stop === undefined
          ? new Range(0, start ?? 0, 1)
          : new Range(start ?? 0, stop, step ?? 1)
      if (range.length > current.limits.rangeItems) throw limitFault('rangeItems')
      return range
    },
  ),
]

/** Names that are defined in every template. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  [...GLOBAL_LIST, ...AUTO_CALLED_GLOBALS].map((entry) => [entry.operation.name, entry]),
)

/** Paragraphs of filler text; each has between `min` and `max` words. */
function loremIpsum(paragraphs: number, html: boolean, min: number, max: number): Value {
  if (max <= min) throw argumentFault(say`empty range for lipsum (${min}, ${max})`)
  checkListSize(Math.max(0, paragraphs) * max)
  const texts = Array.from({ length: Math.max(0, paragraphs) }, () => paragraph(randomBetween(min, max)))
  if (!html) return texts.join('\n\n')
  return new Markup(texts.map((text) => `<p>${escapeHtml(text).text}</p>`).join('\n'))
}

function paragraph(length: number): string {
  const words: string[] = []
  let sentence = 0
  for (let index = 0; index < length; index++) {
    const word = WORDS[randomBetween(0, WORDS.length)] ?? ''
    const begins = index === sentence
    const ends = index - sentence > randomBetween(8, 18) || index === length - 1
    if (ends) sentence = index + 1
    const text = begins ? word.charAt(0).toUpperCase() + word.slice(1) : word
    words.push(ends ? `${text}.` : text)
  }
  return words.join(' ')
}

const randomBetween = (min: number, max: number) => min + Math.floor(sources().random() * (max - min))

const WORDS =
  `lorem ipsum dolor sit amet consectetuer adipiscing elit sed diam nonummy nibh euismod tincidunt ut
   laoreet dolore magna aliquam erat volutpat wisi enim ad minim veniam quis nostrud exerci tation
   ullamcorper suscipit lobortis nisl aliquip ex ea commodo consequat duis autem vel eum iriure in
   hendrerit vulputate velit esse molestie illum feugiat nulla facilisis at vero eros et accumsan
   iusto odio dignissim qui blandit praesent luptatum zzril delenit augue te feugait facilisi nam
   liber tempor cum soluta nobis eleifend option congue nihil imperdiet doming id quod mazim placerat
   facer possim assum`.split(/\s+/)
