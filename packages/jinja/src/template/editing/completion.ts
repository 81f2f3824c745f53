import { TABLES } from '../methods/attributes.ts'
import { hostFilters } from '../base/host-filters.ts'
import type { Operation } from '../base/operation.ts'
import { LOOP_METHODS } from '../compile/loop-state.ts'
import { FILTERS } from '../filters/filters.ts'
import { GLOBAL_LIST } from '../globals/globals.ts'
import { CYCLER_METHODS } from '../globals/helpers.ts'
import { AUTO_CALLED_GLOBALS } from '../globals/moment.ts'
import { type TemplateContext, withinLimits } from '../render/render.ts'
import { TEST_LIST } from '../predicates/predicates.ts'
import { Dict, fromData, List } from '../values/containers.ts'
import { textOf } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import type { Value } from '../base/value.ts'

/** A suggestion for an editor, built from the tables that implement what it suggests. */
export interface CompletionEntry {
  readonly kind: 'filter' | 'test' | 'global' | 'method' | 'tag'
  readonly name: string
  readonly aliases: readonly string[]
  /** The parameters, such as `length=255, end='...'`; empty if there are none. */
  readonly signature: string
  /** One line of documentation. */
  readonly help: string
  /** For a method, the types that have it. */
  readonly types: readonly string[]
}

/** Everything that can be written in a template. */
export function completionEntries(): readonly CompletionEntry[] {
  return [
    ...[...new Set(FILTERS.values()), ...hostFilters.all()].map((filter) => entryOf('filter', filter)),
    ...TEST_LIST.map((test) => entryOf('test', test)),
    ...[...GLOBAL_LIST, ...AUTO_CALLED_GLOBALS].map((global) => entryOf('global', global.operation)),
    ...methodEntries(),
    ...TAGS.map(([name, signature, help]) => ({
      kind: 'tag' as const,
      name,
      aliases: [],
      signature,
      help,
      types: [],
    })),
  ]
}

/** A name in the context or a path below one, with a sample value. */
export interface ScopeName {
  readonly path: string
  /** Python's name of its type: `str`, `int`, `list`, `dict` … */
  readonly type: string
  /** The value's string form, shortened. */
  readonly sample: string
}

const MAX_NAMES = 500
const MAX_DEPTH = 4
const SAMPLE_LENGTH = 60

/** Names in scope with types and sample values, outer ones first; lists are described by their first item. */
export function describeContext(context: TemplateContext): ScopeName[] {
  return withinLimits(undefined, () => {
    const names: ScopeName[] = []
    let level: { path: string; value: Value }[] = childrenOf('', fromData(context))
    for (let depth = 0; depth < MAX_DEPTH && names.length < MAX_NAMES; depth++) {
      for (const { path, value } of level.slice(0, MAX_NAMES - names.length)) {
        names.push({ path, type: typeName(value), sample: sampleOf(value) })
      }
      level = level.flatMap(({ path, value }) => childrenOf(path, value)).slice(0, MAX_NAMES)
    }
    return names
  })
}

function entryOf<Subject, Result>(
  kind: CompletionEntry['kind'],
  { name, aliases, signature, help }: Operation<Subject, Result>,
): CompletionEntry {
  return { kind, name, aliases, signature: signature.text, help, types: [] }
}

/** Methods that several types share with the same signature are suggested once. */
function methodEntries(): CompletionEntry[] {
  const entries = new Map<string, CompletionEntry>()
  const tables = { ...TABLES, loop: LOOP_METHODS, cycler: CYCLER_METHODS }
  for (const [type, table] of Object.entries(tables)) {
    for (const method of table.values() as Iterable<Operation<never>>) {
      const key = `${method.name}(${method.signature.text})`
      const entry = entries.get(key) ?? entryOf('method', method)
      entries.set(key, { ...entry, types: [...entry.types, type] })
    }
  }
  return [...entries.values()]
}

const TAGS: readonly (readonly [name: string, signature: string, help: string])[] = [
  ['autoescape', 'true', 'Escapes inserted values for HTML up to endautoescape.'],
  ['block', 'name', 'A named part, which self.name() inserts again.'],
  ['break', '', 'Ends the loop.'],
  ['call', 'macro(…)', 'Calls a macro with the text up to endcall as caller().'],
  ['continue', '', 'Continues with the next iteration of the loop.'],
  ['do', 'expression', 'Evaluates an expression without writing it.'],
  ['elif', 'condition', 'A further condition of an if.'],
  ['else', '', 'Used if no condition is true, or if a loop has no items.'],
  ['filter', 'name', 'Applies a filter to the text up to endfilter.'],
  ['for', 'item in list', 'Repeats for every item; loop.index counts.'],
  ['if', 'condition', 'Outputs a part only if the condition is true.'],
  ['macro', 'name(parameters)', 'Defines a piece of template to call by name.'],
  ['raw', '', 'Outputs everything up to endraw unchanged.'],
  ['set', 'name = expression', 'Assigns a value to a name.'],
  ['with', 'name = expression', 'Assigns a value to a name up to endwith.'],
]

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function childrenOf(path: string, value: Value): { path: string; value: Value }[] {
  if (value instanceof List) return value.length === 0 ? [] : [{ path: `${path}[0]`, value: value.at(0) }]
  if (!(value instanceof Dict)) return []
  return value
    .pairs()
    .slice(0, MAX_NAMES)
    .map(([key, item]) => {
      const name = textOf(key)
      if (!PLAIN_NAME.test(name)) return { path: `${path}[${JSON.stringify(name)}]`, value: item }
      return { path: path === '' ? name : `${path}.${name}`, value: item }
    })
}

function sampleOf(value: Value): string {
  if (value instanceof List) return value.length === 0 ? '[]' : `[${value.length} items]`
  if (value instanceof Dict)
    return value.size === 0 ? '{}' : `{${value.keys().slice(0, 5).map(textOf).join(', ')}}`
  const text = textOf(value)
  return text.length <= SAMPLE_LENGTH ? text : `${text.slice(0, SAMPLE_LENGTH)}…`
}
