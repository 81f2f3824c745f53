/** Converts the nodes If, Filter and Switch to JavaScript that uses n8n's own comparisons. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import type { Converted, NodeContext, NodeType } from './node-context.ts'

/** Two branches: output 0 if the condition is true, otherwise 1. */
export const ifNode: NodeType = {
  runs: 'each',
  convert: branchesOf,
}

/** Drops items that don't meet its conditions. v1 and v2 can send them to another output. */
export const filterNode: NodeType = {
  runs: 'each',
  convert: (context) => ({ ...branchesOf(context), mayEnd: true }),
}

function branchesOf(context: NodeContext) {
  const when = conditionOf(context)
  return {
    kind: 'branches',
    outputs: 2,
    gives: context.source,
    build: (branch) => [
      {
        ref_id: context.ref,
        type: 'condition',
        config: { when },
        then: [...branch(0)],
        else: [...branch(1)],
      },
    ],
  } satisfies Converted
}

function conditionOf(context: NodeContext): string {
  const { node, scripts } = context
  const isNew = node.version >= 2
  const js = isNew
    ? newConditions(context, childOf(node.parameters, 'conditions'), node.parameters)
    : oldConditions(context)
  return scripts.add(js, 'result')
}

/** The conditions of v2 and later, written as `$meets([…])`. */
function newConditions(context: NodeContext, held: Plain, parameters: Plain, ignoresCase?: unknown): string {
  const options = childOf(held, 'options')
  const own = childOf(parameters, 'options')
  const ignoreCase = ignoresCase ?? own['ignoreCase'] ?? options['caseSensitive'] === false
  const isLoose = own['looseTypeValidation'] ?? parameters['looseTypeValidation']
  const strict = isLoose === undefined ? options['typeValidation'] === 'strict' : isLoose !== true
  const version = Number(options['version'] ?? 1)
  if ([ignoreCase, isLoose].some(isExpression)) refuse(say`uses an expression for how its conditions compare`)
  const conditions = listOf(held['conditions']).filter(isRecord).slice(0, 50)
  const all = (textOf(held['combinator']) || 'and') === 'and'
  return `$meets([${conditions.map((one) => `() => ${newCondition(context, one)}`).join(', ')}], ${all}, ${JSON.stringify({ strict, ignoreCase: ignoreCase === true, version })})`
}

function newCondition({ js }: NodeContext, one: Plain): string {
  const operator = childOf(one, 'operator')
  const type = textOf(operator['type']) || 'string'
  const operation = textOf(operator['operation']) || 'equals'
  if (!TYPES.test(type) || !OPERATIONS.test(operation))
    refuse(say`compares with "${`${type} ${operation}`.slice(0, 80)}"`)
  const right = textOf(operator['rightType']) || type
  const isSingle = operator['singleValue'] === true
  return `[${js(one['leftValue'] ?? '')}, ${JSON.stringify(type)}, ${JSON.stringify(operation)}, ${js(one['rightValue'] ?? '')}, ${JSON.stringify(right)}, ${isSingle}]`
}

const TYPES = /^(?:string|number|boolean|dateTime|array|object|any)$/
const OPERATIONS =
  /^(?:exists|notExists|empty|notEmpty|equals|notEquals|contains|notContains|startsWith|notStartsWith|endsWith|notEndsWith|regex|notRegex|gt|lt|gte|lte|after|before|afterOrEquals|beforeOrEquals|true|false|length(?:Equals|NotEquals|Gt|Lt|Gte|Lte))$/

const USUAL: Readonly<Record<string, string>> = { number: 'smaller', dateTime: 'after' }

function oldConditions({ node, js }: NodeContext): string {
  const { parameters } = node
  const held = childOf(parameters, 'conditions')
  const conditions = ['boolean', 'dateTime', 'number', 'string'].flatMap((kind) => {
    const usual = kind === 'boolean' ? false : kind === 'number' ? 0 : ''
    return listOf(held[kind])
      .filter(isRecord)
      .map((one) => {
        const operation = textOf(one['operation']) || (USUAL[kind] ?? 'equal')
        return oldCondition(js(one['value1'] ?? usual), kind, operation, js(one['value2'] ?? usual))
      })
  })
  const any = parameters['combineOperation'] === 'any' || parameters['combineConditions'] === 'OR'
  const test = '(one) => $compare(one())'
  return `[${conditions.map((one) => `() => ${one}`).join(', ')}].${any ? 'some' : 'every'}(${test})`
}

function oldCondition(left: string, kind: string, operation: string, right: string): string {
  if (!OLD_OPERATIONS.test(operation)) refuse(say`compares with "${operation.slice(0, 80)}"`)
  return `[${left}, '${kind}', '${operation}', ${right}]`
}

const OLD_OPERATIONS =
  /^(?:equal|notEqual|after|before|larger|largerEqual|smaller|smallerEqual|contains|notContains|startsWith|notStartsWith|endsWith|notEndsWith|isEmpty|isNotEmpty|regex|notRegex)$/

export const switchNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { node } = context
    if (node.parameters['mode'] === 'expression') return byNumber(context)
    return node.version >= 3 ? byConditions(context) : byValue(context)
  },
}

/** Switch with a computed output number. */
function byNumber(context: NodeContext): Converted {
  const { node, js } = context
  const field = node.version >= 3 ? 'numberOutputs' : 'outputsAmount'
  const outputs = node.version < 2 ? 4 : Math.trunc(Number(node.parameters[field] ?? 4))
  if (!(outputs >= 1 && outputs <= 20))
    refuse(say`uses an expression for the number of its outputs, or has more than 20`)
  const output = js(node.parameters['output'] ?? (node.version < 2 ? 0 : ''))
  const checked = `((output) => Number.isInteger(output) && output >= 0 && output < ${outputs} ? String(output) : $fail('the output ' + output + ' is none of ${outputs}'))(Number(${output}))`
  return severalWays(
    context,
    checked,
    outputs,
    null,
    Array.from({ length: outputs }, (_, at) => at),
  )
}

/** v1 and v2, which compare one value with each rule. */
function byValue(context: NodeContext): Converted {
  const { node, js } = context
  const { parameters } = node
  const kind = textOf(parameters['dataType']) || 'number'
  const rules = rulesOf(childOf(parameters, 'rules')['rules'])
  const outputs = node.version >= 2 ? rules.length : 4
  const usual = kind === 'boolean' ? false : kind === 'number' ? 0 : ''
  const ways = rules.map((rule, at) =>
    node.version >= 2 ? at : Math.trunc(Number(rule['output'] ?? 0)) || 0,
  )
  const tests = rules.map((rule) => {
    const operation = textOf(rule['operation']) || (USUAL[kind] ?? 'equal')
    const given = js(rule['value2'] ?? usual)
    return `() => $compare(${oldCondition(js(parameters['value1'] ?? usual), kind, operation, given)})`
  })
  const fallback = Number(parameters['fallbackOutput'] ?? -1)
  if (!Number.isInteger(fallback)) refuse(say`uses an expression for its fallback output`)
  return firstThatHolds(context, tests, outputs, fallback >= 0 && fallback < outputs ? fallback : null, ways)
}

/** v3, in which each output has its own conditions. */
function byConditions(context: NodeContext): Converted {
  const { parameters } = context.node
  const options = childOf(parameters, 'options')
  const rules = rulesOf(childOf(parameters, 'rules')['values'])
  if (options['allMatchingOutputs'] === true) refuse(say`sends its items to all matching outputs`)
  const tests = rules.map(
    (rule) =>
      `() => ${newConditions(context, childOf(rule, 'conditions'), parameters, options['ignoreCase'])}`,
  )
  const fallback = options['fallbackOutput']
  const extra = fallback === 'extra' ? rules.length : null
  const number = typeof fallback === 'number' && fallback >= 0 && fallback < rules.length ? fallback : null
  const outputs = rules.length + (extra === null ? 0 : 1)
  return firstThatHolds(context, tests, outputs, extra ?? number, [...rules.keys()])
}

function rulesOf(value: unknown): Plain[] {
  const rules = listOf(value).filter(isRecord)
  return rules.length > 20 ? refuse(say`has more than 20 rules`) : rules
}

function firstThatHolds(
  context: NodeContext,
  tests: readonly string[],
  outputs: number,
  fallback: number | null,
  ways: readonly number[],
): Converted {
  const place = `[${tests.join(', ')}].findIndex((test) => test())`
  const labels = [...ways.map(String), String(fallback ?? 'none')]
  const output = `${JSON.stringify(labels)}.at(${place})`
  return severalWays(context, output, outputs, fallback, ways)
}

function severalWays(
  { ref, source, scripts }: NodeContext,
  output: string,
  outputs: number,
  fallback: number | null,
  ways: readonly number[],
): Converted {
  const used = [...new Set([...ways, ...(fallback === null ? [] : [fallback])])].toSorted((a, b) => a - b)
  const value = `{{ ${scripts.add(output, 'output')} }}`
  return {
    kind: 'branches',
    outputs: Math.max(outputs, ...used.map((one) => one + 1)),
    used,
    mayEnd: fallback === null,
    gives: source,
    build: (branch) => [
      {
        ref_id: ref,
        type: 'switch',
        config: { value },
        cases: used.map((one) => ({ label: String(one), steps: [...branch(one)] })),
        default: [],
      },
    ],
  }
}
