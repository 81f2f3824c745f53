/** n8n's expressions as template expressions, as far as both are certain to mean the same. */
import { type Expression, NotReadable, readJavaScript } from './javascript.ts'
import { ownOf } from '../../plain.ts'
import { memberOf, quoted } from '../source/values.ts'
import { METHODS } from './methods.ts'
import type { Names } from './names.ts'
import { argsOf, type Link } from './path.ts'
import { ROOTS } from './roots.ts'
import {
  AND,
  CHOICE,
  COMPARISON,
  held,
  JOIN,
  NOT,
  OR,
  PRODUCT,
  SIGN,
  SUM,
  text,
  WHOLE,
  type Written,
  written,
} from './written.ts'

/** @throws NotReadable saying why it stays as it is */
export function translateExpression(source: string, names: Names): string {
  return translate(source, names).text
}

/** As text in the middle of other text: a truth value reads `true` there, as n8n has it. */
export function translateAsText(source: string, names: Names): string {
  const { text, type } = translate(source, names)
  return type === 'boolean' ? `'true' if ${text} else 'false'` : text
}

function translate(source: string, names: Names): Written {
  return write(readJavaScript(source), names)
}

function write(expression: Expression, names: Names): Written {
  switch (expression.kind) {
    case 'value':
      return writeValue(expression.value)
    case 'name':
    case 'member':
    case 'call':
      return writePath(expression, names)
    case 'not':
      return written(`not ${held(write(expression.of, names), NOT)}`, NOT, 'boolean')
    case 'minus':
      return written(`-${held(write(expression.of, names), WHOLE)}`, SIGN, 'number')
    case 'two':
      return writeTwo(expression, names)
    case 'choice': {
      const [test, yes, no] = [expression.test, expression.yes, expression.no].map((one) =>
        write(one, names),
      ) as [Written, Written, Written]
      const type = yes.type === no.type ? yes.type : 'any'
      return written(`${held(yes, OR)} if ${held(test, OR)} else ${held(no, OR)}`, CHOICE, type)
    }
    case 'object': {
      const entries = expression.entries.map(([key, item]) => `${quoted(key)}: ${write(item, names).text}`)
      return written(`{${entries.join(', ')}}`, WHOLE)
    }
    case 'list':
      return written(`[${expression.items.map((item) => write(item, names).text).join(', ')}]`, WHOLE)
    default:
      return writeText(expression.parts, names)
  }
}

function writeText(parts: readonly (string | Expression)[], names: Names): Written {
  const joined = parts
    .filter((part) => part !== '')
    .map((part) => (typeof part === 'string' ? quoted(part) : held(write(part, names), PRODUCT)))
  return text(joined.length === 0 ? "''" : `('' ~ ${joined.join(' ~ ')})`)
}

function writeValue(value: string | number | boolean | null): Written {
  if (value === null) return written('none', WHOLE)
  if (typeof value === 'string') return written(quoted(value), WHOLE, 'text')
  return typeof value === 'number'
    ? written(String(value), WHOLE, 'number')
    : written(String(value), WHOLE, 'boolean')
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '===': '==',
  '==': '==',
  '!==': '!=',
  '!=': '!=',
  '<': '<',
  '>': '>',
  '<=': '<=',
  '>=': '>=',
}

function writeTwo(expression: Extract<Expression, { kind: 'two' }>, names: Names): Written {
  const { operator } = expression
  const absence = writeAbsence(expression, names)
  if (absence !== null) return absence
  const left = write(expression.left, names)
  const right = write(expression.right, names)
  const comparison = ownOf(COMPARISONS, operator)
  if (comparison !== undefined)
    return written(`${held(left, SUM)} ${comparison} ${held(right, SUM)}`, COMPARISON, 'boolean')
  switch (operator) {
    case '&&':
      return written(`${held(left, AND)} and ${held(right, NOT)}`, AND, bothOf(left, right))
    case '||':
      return written(`${held(left, OR)} or ${held(right, AND)}`, OR, bothOf(left, right))
    case '??': {
      const value = held(left, WHOLE)
      return written(`${held(right, OR)} if ${value} is undefined or ${value} is none else ${value}`, CHOICE)
    }
    case '+':
      return writeSum(left, right)
    case '-':
      return written(`${held(left, SUM)} - ${held(right, JOIN)}`, SUM, 'number')
    default:
      return written(`${held(left, PRODUCT)} ${operator} ${held(right, SIGN)}`, PRODUCT, 'number')
  }
}

const bothOf = (left: Written, right: Written): Written['type'] =>
  left.type === right.type ? left.type : 'any'

function writeSum(left: Written, right: Written): Written {
  if (left.type === 'text' || right.type === 'text')
    return written(`${held(left, JOIN)} ~ ${held(right, PRODUCT)}`, JOIN, 'text')
  if (left.type === 'number' && right.type === 'number')
    return written(`${held(left, SUM)} + ${held(right, JOIN)}`, SUM, 'number')
  throw new NotReadable('"+" adds numbers or joins texts there, which cannot be told')
}

/** `x === undefined`, `x != null` and the like: in templates what is missing is another thing than none. */
function writeAbsence(
  { operator, left, right }: Extract<Expression, { kind: 'two' }>,
  names: Names,
): Written | null {
  const isEqual = operator === '===' || operator === '=='
  if (!isEqual && operator !== '!==' && operator !== '!=') return null
  const absent = [left, right].find(isAbsent)
  if (absent === undefined) return null
  const value = held(write(absent === left ? right : left, names), WHOLE)
  const isLoose = operator.length === 2
  const isUndefined = absent.kind === 'name'
  const test = isLoose
    ? `(${value} is undefined or ${value} is none)`
    : `${value} is ${isUndefined ? 'undefined' : 'none'}`
  if (isEqual) return written(test, COMPARISON, 'boolean')
  return isLoose
    ? written(`not ${test}`, NOT, 'boolean')
    : written(`${value} is not ${isUndefined ? 'undefined' : 'none'}`, COMPARISON, 'boolean')
}

const isAbsent = (one: Expression): boolean =>
  (one.kind === 'name' && one.name === 'undefined') || (one.kind === 'value' && one.value === null)

function writePath(expression: Expression, names: Names): Written {
  const links: Link[] = []
  let first = expression
  while (first.kind === 'member' || first.kind === 'call') {
    if (first.kind === 'call') links.unshift({ args: first.args })
    else if (first.key.kind === 'value' && typeof first.key.value === 'string')
      links.unshift({ key: first.key.value, optional: first.optional })
    else links.unshift({ at: first.key, optional: first.optional })
    first = first.of
  }
  if (first.kind !== 'name') return follow(write(first, names), links, names)
  const start = ownOf(ROOTS, first.name)
  if (start === undefined) throw new NotReadable(`"${first.name}" has no equal here`)
  const { value, rest } = start(links, { names, write: (part) => write(part, names) })
  return follow(value, rest, names)
}

/** Members and methods behind a value. */
function follow(start: Written, links: readonly Link[], names: Names): Written {
  let value = start
  let mayMiss = false
  for (let at = 0; at < links.length; at++) {
    const link = links[at] as Link
    if ('args' in link) throw new NotReadable('it calls a function that has no equal here')
    mayMiss ||= link.optional
    const args = argsOf(links[at + 1])
    const of = (text = value) => (mayMiss ? `(${held(text, WHOLE)} | default({}, true))` : held(text, WHOLE))
    if ('at' in link) value = written(`${of()}[${write(link.at, names).text}]`, WHOLE)
    else if (args !== null) {
      const method = ownOf(METHODS, link.key)
      if (method === undefined) throw new NotReadable(`".${link.key}()" has no exact equal here`)
      value = method(
        pathLike(held(value, WHOLE)),
        args.map((one) => write(one, names)),
      )
      at++
    } else if (link.key === 'length' && at === links.length - 1)
      value = written(`${held(value, WHOLE)} | length`, WHOLE, 'number')
    else value = written(memberOf(pathLike(of()), link.key), WHOLE)
  }
  return value
}

/** A filter binds weaker than a dot: `(x | upper).y`. */
const pathLike = (text: string): string =>
  /^[\w.[\]']*$/.test(text) || text.startsWith('(') ? text : `(${text})`
