/** if, filter and switch: their comparisons as template expressions. */
import { childOf, isRecord, ownOf, type Plain, textOf } from '../../plain.ts'
import { asStep, type Converted, type NodeContext, type NodeType } from './node-context.ts'
import type { Names } from '../expression/names.ts'
import { createParameterReaders } from './parameters.ts'
import { asList, manyItems, quoted, type Source } from '../source/values.ts'
import { listOf } from '../source/workflow.ts'

type ConditionConfig =
  | { readonly when: string }
  | { readonly a: unknown; readonly comparison: string; readonly b: unknown }

/** Two ways: output 0 where it holds, 1 where not. */
export const ifNode: NodeType = {
  runs: 'each',
  convert(context) {
    const config = conditionOf(context, readConditions(context.node.parameters, context.node.version >= 2))
    return {
      kind: 'branches',
      outputs: 2,
      gives: context.source,
      build: (branch) => [
        { ref_id: context.ref, type: 'condition', config, then: [...branch(0)], else: [...branch(1)] },
      ],
    }
  },
}

/** The items for which it holds. */
export const filterNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { node, ref, source } = context
    const rule = readConditions(node.parameters, node.version >= 2)
    const over = source === null ? '[]' : asList(source)
    const when = whenOf(perEntry(context, over), rule) ?? 'true'
    return asStep({ ref_id: ref, type: 'filter', config: { over: `{{ ${over} }}`, when } }, manyItems(ref))
  },
}

/** What comes in is one entry at a time, under the name that the step gives it. */
function perEntry(context: NodeContext, over: string): NodeContext {
  const { source, names, note } = context
  const item: Source = { whole: 'item', items: 'one', all: over }
  const entryNames: Names = {
    ...names,
    current: item,
    inLoop: true,
    node: (name) => {
      const held = names.node(name)
      return held !== null && held.whole === source?.whole ? item : held
    },
  }
  return { ...context, names: entryNames, ...createParameterReaders(entryNames, note) }
}

export const switchNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { node } = context
    if (node.parameters['mode'] === 'expression') return byNumber(context)
    return node.version >= 3 ? byConditions(context) : byValue(context)
  },
}

/** The output is calculated. */
function byNumber({ node, ref, source, value, note }: NodeContext): Converted {
  const field = node.version >= 2 ? 'numberOutputs' : 'outputsAmount'
  const outputs = Math.min(20, Math.max(1, Math.trunc(Number(node.parameters[field] ?? 4)) || 4))
  note('config.value', 'the number of the way is compared with the labels of the cases')
  return {
    kind: 'branches',
    outputs,
    mayEnd: true,
    gives: source,
    build: (branch) => [
      {
        ref_id: ref,
        type: 'switch',
        config: { value: value('config.value', node.parameters['output'] ?? 0) },
        cases: Array.from({ length: outputs }, (_, at) => ({ label: String(at), steps: [...branch(at)] })),
        default: [],
      },
    ],
  }
}

/** v1 and v2: one value against each rule. */
function byValue(context: NodeContext): Converted {
  const { node } = context
  const { parameters } = node
  const kind = textOf(parameters['dataType']) || 'number'
  const rules = listOf(childOf(parameters, 'rules')['rules']).filter(isRecord).slice(0, 20)
  const outputs = node.version >= 2 ? rules.length : 4
  const fallback = Number(parameters['fallbackOutput'] ?? -1)
  const ways = rules.map((rule, at): Way => ({
    output: node.version >= 2 ? at : Math.trunc(Number(rule['output'] ?? 0)) || 0,
    rule: {
      all: true,
      conditions: [
        {
          kind,
          operation: textOf(rule['operation']) || (kind === 'number' ? 'smaller' : 'equal'),
          left: parameters['value1'],
          right: rule['value2'],
          ignoreCase: false,
        },
      ],
    },
  }))
  // n8n leaves out what is as usual, and "equal" is what it usually is for texts.
  return severalWays(context, ways, outputs, fallback >= 0 && fallback < outputs ? fallback : null)
}

/** v3: each output with conditions of its own. */
function byConditions(context: NodeContext): Converted {
  const { parameters } = context.node
  const options = childOf(parameters, 'options')
  const rules = listOf(childOf(parameters, 'rules')['values']).filter(isRecord).slice(0, 20)
  const ways = rules.map((rule, output): Way => ({
    output,
    rule: readConditions(rule, true, options['ignoreCase'] === true),
  }))
  if (options['allMatchingOutputs'] === true) {
    context.note(null, 'sent its data to every matching way; here the first one that matches is taken')
  }
  const fallback = options['fallbackOutput']
  const extra = fallback === 'extra' ? rules.length : null
  const number = typeof fallback === 'number' && fallback < rules.length ? fallback : null
  return severalWays(context, ways, rules.length + (extra === null ? 0 : 1), extra ?? number)
}

interface Way {
  readonly output: number
  readonly rule: Rule
}

function severalWays(
  context: NodeContext,
  ways: readonly Way[],
  outputs: number,
  fallback: number | null,
): Converted {
  const { ref, source } = context
  const used = [...ways.map(({ output }) => output), ...(fallback === null ? [] : [fallback])]
  const common = { kind: 'branches' as const, outputs, used, mayEnd: fallback === null, gives: source }
  const shared = sharedValue(ways)
  if (shared !== null) {
    const { left, labels } = shared
    const value = context.value('config.value', left)
    return {
      ...common,
      build: (branch) => [
        {
          ref_id: ref,
          type: 'switch',
          config: { value },
          cases: ways.map(({ output }, at) => ({ label: labels[at] ?? '', steps: [...branch(output)] })),
          default: fallback === null ? [] : [...branch(fallback)],
        },
      ],
    }
  }
  const configs = ways.map(({ rule }) => conditionOf(context, rule))
  const refs = ways.map((_, at) => (at === 0 ? ref : context.newRef(`${ref}_${at + 1}`)))
  return {
    ...common,
    build: (branch) =>
      ways.reduceRight(
        (otherwise, { output }, at) => [
          {
            ref_id: refs[at] ?? ref,
            type: 'condition',
            config: configs[at] ?? { when: 'false' },
            then: [...branch(output)],
            else: otherwise,
          },
        ],
        fallback === null ? [] : [...branch(fallback)],
      ),
  }
}

/** Where all ways compare the same value with fixed ones, it is a switch of ours. */
function sharedValue(
  ways: readonly Way[],
): { readonly left: unknown; readonly labels: readonly string[] } | null {
  const labels: string[] = []
  const [first] = ways
  for (const { rule } of ways) {
    const [only, ...more] = rule.conditions
    if (only === undefined || more.length > 0 || only.left !== first?.rule.conditions[0]?.left) return null
    const isText = only.kind === 'string' && !only.ignoreCase
    if (!(isText || only.kind === 'number') || !/^equals?$/.test(only.operation)) return null
    const label = typeof only.right === 'number' ? String(only.right) : only.right
    if (typeof label !== 'string' || label.startsWith('=') || label.length > 200 || labels.includes(label))
      return null
    labels.push(label)
  }
  return first === undefined ? null : { left: first.rule.conditions[0]?.left, labels }
}

interface Condition {
  readonly kind: string
  readonly operation: string
  readonly left: unknown
  readonly right: unknown
  readonly ignoreCase: boolean
}

interface Rule {
  readonly all: boolean
  readonly conditions: readonly Condition[]
}

function readConditions(parameters: Plain, isNew: boolean, ignoresCase?: boolean): Rule {
  const held = childOf(parameters, 'conditions')
  return isNew ? newConditions(held, parameters, ignoresCase) : oldConditions(held, parameters)
}

function newConditions(held: Plain, parameters: Plain, ignoresCase?: boolean): Rule {
  const options = childOf(held, 'options')
  const ignoreCase =
    (ignoresCase ?? childOf(parameters, 'options')['ignoreCase'] === true) ||
    options['caseSensitive'] === false
  const conditions = listOf(held['conditions']).filter(isRecord).slice(0, 50)
  return {
    all: held['combinator'] !== 'or',
    conditions: conditions.map((one) => {
      const operator = childOf(one, 'operator')
      return {
        kind: textOf(operator['type']) || 'string',
        operation: textOf(operator['operation']) || 'equals',
        left: one['leftValue'],
        right: one['rightValue'],
        ignoreCase,
      }
    }),
  }
}

const USUAL: Readonly<Record<string, string>> = { number: 'smaller', dateTime: 'after' }

function oldConditions(held: Plain, parameters: Plain): Rule {
  const conditions = ['string', 'number', 'boolean', 'dateTime'].flatMap((kind) =>
    listOf(held[kind])
      .filter(isRecord)
      .map((one): Condition => ({
        kind,
        operation: textOf(one['operation']) || (USUAL[kind] ?? 'equal'),
        left: one['value1'] ?? (kind === 'boolean' ? false : ''),
        right: one['value2'] ?? (kind === 'number' ? 0 : kind === 'boolean' ? false : ''),
        ignoreCase: false,
      })),
  )
  const any = parameters['combineOperation'] === 'any' || parameters['combineConditions'] === 'OR'
  return { all: !any, conditions: conditions.slice(0, 50) }
}

const COMPARISONS: Readonly<Record<string, string>> = {
  'string equals': 'string_is',
  'string equal': 'string_is',
  'string contains': 'string_includes',
  'string startsWith': 'string_begins',
  'string endsWith': 'string_ends',
  'number equals': 'equal',
  'number equal': 'equal',
  'number gt': 'greater',
  'number larger': 'greater',
  'number gte': 'greater_equal',
  'number largerEqual': 'greater_equal',
  'number lt': 'smaller',
  'number smaller': 'smaller',
}

/** A single comparison as the three fields of the form, anything else as one expression. */
function conditionOf(context: NodeContext, rule: Rule): ConditionConfig {
  const [only, ...more] = rule.conditions
  const comparison = only && ownOf(COMPARISONS, `${only.kind} ${only.operation}`)
  if (only !== undefined && more.length === 0 && comparison !== undefined && !only.ignoreCase) {
    const b = context.value('config.b', only.right ?? '')
    return {
      a: context.value('config.a', only.left ?? ''),
      comparison,
      b: only.kind === 'number' && typeof b === 'string' && /^-?\d+(\.\d+)?$/.test(b) ? Number(b) : b,
    }
  }
  return { when: whenOf(context, rule) ?? 'false' }
}

/** Null where it cannot be told; said then. */
function whenOf(context: NodeContext, { all, conditions }: Rule): string | null {
  const parts = conditions.map((one) => oneCondition(context, one))
  if (parts.includes(null) || parts.length === 0) {
    context.note('config.when', 'a condition of it could not be taken over; write it again')
    return null
  }
  return parts.length === 1
    ? (parts[0] ?? null)
    : parts.map((part) => `(${part})`).join(all ? ' and ' : ' or ')
}

function oneCondition(context: NodeContext, condition: Condition): string | null {
  const { kind, operation, ignoreCase } = condition
  const left = context.expression('config.when', condition.left ?? '')
  const right = rightOf(context, condition)
  if (left === null || right === null) return null
  const lower = (text: string) => (ignoreCase && kind === 'string' ? `(${text} | lower)` : held(text))
  const isPattern = operation === 'regex' || operation === 'notRegex'
  return ownOf(OPERATIONS, operation)?.(lower(left), isPattern ? right : lower(right), kind) ?? null
}

function rightOf(context: NodeContext, { kind, operation, right, ignoreCase }: Condition): string | null {
  if (operation === 'regex' || operation === 'notRegex') return patternOf(context, right, ignoreCase)
  if (kind === 'number' && typeof right === 'string' && /^-?\d+(\.\d+)?$/.test(right)) return right
  if (kind === 'boolean' && (right === 'true' || right === 'false')) return right
  return context.expression('config.when', right ?? '')
}

/** A name, a path, a text or a number holds together; anything else in parentheses. */
const held = (text: string) =>
  /^(?:[\w.[\]]+|'[^'\\]*'|[\w.]+\['[^'\\]*'\])$/.test(text) ? text : `(${text})`

/** `/pattern/i`, or the pattern alone. */
function patternOf(context: NodeContext, right: unknown, ignoreCase: boolean): string | null {
  if (typeof right !== 'string') return null
  if (right.startsWith('=')) return context.expression('config.when', right)
  const parts = /^\/(.*)\/([a-z]*)$/s.exec(right)
  const insensitive = ignoreCase || parts?.[2]?.includes('i') === true
  return `${quoted(parts?.[1] ?? right)}${insensitive ? ', ignorecase=true' : ''}`
}

type Operation = (left: string, right: string, kind: string) => string

const missing = (left: string) => `${left} is undefined or ${left} is none`
const isEmpty = (left: string) => `${missing(left)} or ${left} in ['', [], {}]`
const two =
  (sign: string): Operation =>
  (left, right) =>
    `${left} ${sign} ${right}`
const contains: Operation = (left, right) => `${right} in ${left}`
const begins: Operation = (left, right) => `${left}.startswith(${right})`
const ends: Operation = (left, right) => `${left}.endswith(${right})`
const matches: Operation = (left, right) => `${left} | regex_search(${right})`
const not =
  (operation: Operation): Operation =>
  (left, right, kind) =>
    `not (${operation(left, right, kind)})`
const counted =
  (sign: string): Operation =>
  (left, right) =>
    `(${left} | length) ${sign} ${right}`

const OPERATIONS: Readonly<Record<string, Operation>> = {
  exists: (left) => `not (${missing(left)})`,
  notExists: missing,
  empty: isEmpty,
  isEmpty,
  notEmpty: not(isEmpty),
  isNotEmpty: not(isEmpty),
  equals: two('=='),
  equal: two('=='),
  notEquals: two('!='),
  notEqual: two('!='),
  gt: two('>'),
  larger: two('>'),
  after: two('>'),
  gte: two('>='),
  largerEqual: two('>='),
  afterOrEquals: two('>='),
  lt: two('<'),
  smaller: two('<'),
  before: two('<'),
  lte: two('<='),
  smallerEqual: two('<='),
  beforeOrEquals: two('<='),
  true: (left) => `${left} == true`,
  false: (left) => `${left} == false`,
  contains,
  notContains: not(contains),
  startsWith: begins,
  notStartsWith: not(begins),
  endsWith: ends,
  notEndsWith: not(ends),
  regex: matches,
  notRegex: not(matches),
  lengthEquals: counted('=='),
  lengthNotEquals: counted('!='),
  lengthGt: counted('>'),
  lengthLt: counted('<'),
  lengthGte: counted('>='),
  lengthLte: counted('<='),
}
