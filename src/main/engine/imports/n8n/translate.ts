/** n8n's expressions as template expressions, as far as both are certain to mean the same. */
import { type Expression, NotReadable, parseJavaScript } from './javascript.ts'
import { memberOf, quoted, type Source } from './source.ts'
import { ownOf } from '../plain.ts'

/** What the names in an expression stand for at its place. */
export interface Names {
  /** `$json`: what comes in. */
  readonly current: Source | null
  /** `$('Name')`: a node before; null where it has not run here, or gives several items that are not told apart. */
  node(name: string): Source | null
  /** Whether a loop is around the place. */
  readonly inLoop: boolean
  readonly workflow: string
  /** An env variable that is read. */
  env(name: string): void
}

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
  const known = source.trim().replaceAll(/new Date\(\)\.to(?:ISOString|JSON)\(\)/g, '$now.toISO()')
  return write(parseJavaScript(known), names)
}

interface Written {
  readonly text: string
  /** How strongly its parts hold together. */
  readonly strength: number
  readonly type: 'text' | 'number' | 'boolean' | 'any'
}

const CHOICE = 0
const OR = 1
const AND = 2
const NOT = 3
const COMPARISON = 4
const SUM = 5
const JOIN = 6
const PRODUCT = 7
const SIGN = 8
const WHOLE = 9

const written = (text: string, strength: number, type: Written['type'] = 'any'): Written => ({
  text,
  strength,
  type,
})

/** In parentheses where it would fall apart otherwise. */
const held = ({ text, strength }: Written, above: number): string => (strength >= above ? text : `(${text})`)

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

/** One step of `$('Name').item.json.total.toFixed(2)`. */
type Link =
  | { readonly key: string; readonly optional: boolean }
  | { readonly at: Expression; readonly optional: boolean }
  | { readonly args: readonly Expression[] }

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
  const { value, rest } = start(links, names)
  return follow(value, rest, names)
}

interface Start {
  readonly value: Written
  readonly rest: readonly Link[]
}

const keyOf = (link: Link | undefined): string | null => (link && 'key' in link ? link.key : null)
const argsOf = (link: Link | undefined): readonly Expression[] | null =>
  link && 'args' in link ? link.args : null

const ROOTS: Readonly<Record<string, (links: readonly Link[], names: Names) => Start>> = {
  $json: (links, names) => inSource(present(names.current, 'nothing comes in here'), links),
  $input: (links, names) => itemOf(names.current, 'what comes in', links),
  $: (links, names) => {
    const [call, ...rest] = links
    return itemOf(nodeOf(argsOf(call)?.[0], names), 'that node', rest)
  },
  $node: (links, names) => {
    const [name, json, ...rest] = links
    const key = keyOf(name)
    if (key === null || keyOf(json) !== 'json')
      throw new NotReadable('"$node" is read there in an unusual way')
    return inSource(single(present(names.node(key), `"${key}" has not run at this place`)), rest)
  },
  $items: (links, names) => {
    const [call, at, json, ...rest] = links
    const isFirst = at !== undefined && 'at' in at && at.at.kind === 'value' && at.at.value === 0
    const [name] = argsOf(call) ?? []
    if (!isFirst || keyOf(json) !== 'json') throw new NotReadable('"$items" is read there in an unusual way')
    return inSource(firstOf(name === undefined ? names.current : nodeOf(name, names)), rest)
  },
  $now: (links) => {
    const method = keyOf(links[0])
    if (links.length === 0) return { value: written('now', WHOLE, 'text'), rest: [] }
    if (
      (method === 'toISO' || method === 'toISOString' || method === 'toString') &&
      argsOf(links[1])?.length === 0
    )
      return { value: written('now', WHOLE, 'text'), rest: links.slice(2) }
    throw new NotReadable('it calculates with the time; use the filter "date"')
  },
  $env: variable,
  $vars: variable,
  $itemIndex: (links, names) => ({
    value: written(names.inLoop ? 'index' : '0', WHOLE, 'number'),
    rest: links,
  }),
  $workflow: (links, names) => {
    if (keyOf(links[0]) !== 'name') throw new NotReadable('only the name of the workflow has an equal here')
    return { value: written(quoted(names.workflow), WHOLE, 'text'), rest: links.slice(1) }
  },
  JSON: (links, names) => {
    const [method, call, ...rest] = links
    const args = argsOf(call) ?? []
    const value = args[0] && held(write(args[0], names), WHOLE)
    if (keyOf(method) === 'parse' && value !== undefined && args.length === 1)
      return { value: written(`${value} | parse_json`, WHOLE), rest }
    if (keyOf(method) !== 'stringify' || value === undefined)
      throw new NotReadable('"JSON" is used in an unusual way')
    const indent = args[2]?.kind === 'value' && typeof args[2].value === 'number' ? `(${args[2].value})` : ''
    return { value: written(`${value} | jsonify${indent}`, WHOLE, 'text'), rest }
  },
  Math: (links, names) => {
    const [method, call, ...rest] = links
    const args = (argsOf(call) ?? []).map((one) => write(one, names))
    const name = keyOf(method) ?? ''
    const value = args[0] && held(args[0], WHOLE)
    if (value !== undefined && args.length === 1 && (name === 'floor' || name === 'ceil'))
      return { value: written(`${value} | round(0, '${name}') | int`, WHOLE, 'number'), rest }
    if (value !== undefined && args.length === 1 && name === 'abs')
      return { value: written(`${value} | abs`, WHOLE, 'number'), rest }
    if (args.length > 1 && (name === 'min' || name === 'max'))
      return {
        value: written(`[${args.map(({ text }) => text).join(', ')}] | ${name}`, WHOLE, 'number'),
        rest,
      }
    throw new NotReadable(`"Math.${name}" has no exact equal here`)
  },
  String: (links, names) => {
    const [call, ...rest] = links
    const [value] = argsOf(call) ?? []
    if (value === undefined) throw new NotReadable('"String" is used in an unusual way')
    return { value: written(`${held(write(value, names), WHOLE)} | string`, WHOLE, 'text'), rest }
  },
  Object: (links, names) => {
    const [method, call, ...rest] = links
    const [value] = argsOf(call) ?? []
    if (keyOf(method) !== 'keys' || value === undefined)
      throw new NotReadable(`"Object.${keyOf(method) ?? ''}" has no exact equal here`)
    return { value: written(`${held(write(value, names), WHOLE)} | list`, WHOLE), rest }
  },
}

function variable(links: readonly Link[], names: Names): Start {
  const name = keyOf(links[0])
  if (name === null || !/^[A-Za-z_]\w{0,99}$/.test(name))
    throw new NotReadable('the variable has no plain name')
  names.env(name)
  return { value: written(name, WHOLE), rest: links.slice(1) }
}

function nodeOf(name: Expression | undefined, names: Names): Source {
  if (name?.kind !== 'value' || typeof name.value !== 'string')
    throw new NotReadable('the name of the node is calculated')
  return present(names.node(name.value), `"${name.value}" has not run at this place`)
}

function present<T>(value: T | null, why: string): T {
  if (value === null) throw new NotReadable(why)
  return value
}

function single(source: Source): Source {
  if (source.items === 'many') throw new NotReadable('it is one of several items; use a loop over them')
  return source
}

/** `.item.json`, `.first().json`, `.last().json`, `.all()[2].json`, `.params` and what else there is. */
function itemOf(source: Source | null, what: string, links: readonly Link[]): Start {
  const found = present(source, `${what} is not known here`)
  const [method, second, third, ...rest] = links
  const name = keyOf(method)
  if (name === 'item' && keyOf(second) === 'json')
    return inSource(single(found), third === undefined ? [] : [third, ...rest])
  if ((name === 'first' || name === 'last') && argsOf(second)?.length === 0 && keyOf(third) === 'json') {
    return inSource(name === 'first' ? firstOf(found) : lastOf(found), rest)
  }
  throw new NotReadable(
    name === 'all'
      ? `it reads all items of ${what} at once`
      : `"${name ?? '[…]'}" of ${what} has no equal here`,
  )
}

const firstOf = (source: Source | null) => endOf(source, 'first')
const lastOf = (source: Source | null) => endOf(source, 'last')

function endOf(source: Source | null, end: 'first' | 'last'): Source {
  const found = present(source, 'what comes in is not known here')
  if (found.all === null) throw new NotReadable(`it reads the ${end} of all items inside a loop`)
  if (found.all !== undefined) return { whole: `(${found.all} | ${end})`, items: 'one' }
  return found.items === 'many' ? { whole: `(${found.whole} | ${end})`, items: 'one' } : found
}

function inSource(source: Source, links: readonly Link[]): Start {
  const one = single(source)
  const [link, ...rest] = links
  const key = keyOf(link)
  const elsewhere =
    key === null || one.fields === undefined || !Object.hasOwn(one.fields, key) ? undefined : one.fields[key]
  if (elsewhere === undefined) return { value: written(one.whole, WHOLE), rest: links }
  if (elsewhere === null) throw new NotReadable(`"${key}" is not kept here`)
  return { value: written(elsewhere, WHOLE), rest }
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

type Method = (of: string, args: readonly Written[]) => Written

const text = (source: string) => written(source, WHOLE, 'text')
const flag = (source: string) => written(source, COMPARISON, 'boolean')

function exactly(count: number, args: readonly Written[]): readonly Written[] {
  if (args.length !== count) throw new NotReadable('a function in it is called in an unusual way')
  return args
}

function onlyText(args: readonly Written[]): readonly Written[] {
  if (args.some(({ type }) => type !== 'text'))
    throw new NotReadable('it replaces something else than a text')
  return args
}

const METHODS: Readonly<Record<string, Method>> = {
  toUpperCase: (of, args) => text(`${of}${filter('upper', exactly(0, args))}`),
  toLowerCase: (of, args) => text(`${of}${filter('lower', exactly(0, args))}`),
  trim: (of, args) => text(`${of}${filter('trim', exactly(0, args))}`),
  toString: (of: string, args: readonly Written[]) => text(`${of}${filter('string', exactly(0, args))}`),
  replaceAll: (of, args) => text(`${of}${filter('replace', onlyText(exactly(2, args)))}`),
  replace: (of, args) =>
    text(
      `${of} | replace(${onlyText(exactly(2, args))
        .map((one) => one.text)
        .join(', ')}, 1)`,
    ),
  toFixed: (of, args) => {
    const digits = args[0]?.text ?? '0'
    if (!/^\d{1,2}$/.test(digits)) throw new NotReadable('a number of digits is calculated')
    return text(`'%.${digits}f' | format(${of})`)
  },
  join: (of, args) => text(`${of} | join(${args[0]?.text ?? "','"})`),
  split: (of, args) => {
    const [separator] = exactly(1, args)
    if (separator === undefined || separator.text === "''")
      throw new NotReadable('it splits a text into characters')
    return written(`${of}.split(${separator.text})`, WHOLE)
  },
  includes: (of, args) => flag(`${held(exactly(1, args)[0] as Written, SUM)} in ${of}`),
  startsWith: (of, args) => written(`${of}.startswith(${exactly(1, args)[0]?.text})`, WHOLE, 'boolean'),
  endsWith: (of, args) => written(`${of}.endswith(${exactly(1, args)[0]?.text})`, WHOLE, 'boolean'),
  slice: (of, args) => {
    if (args.length === 0 || args.length > 2) throw new NotReadable('".slice()" is used in an unusual way')
    return written(`${of}[${args.map((one) => one.text).join(':')}${args.length === 1 ? ':' : ''}]`, WHOLE)
  },
  first: (of, args) => written(`${of}${filter('first', exactly(0, args))}`, WHOLE),
  last: (of, args) => written(`${of}${filter('last', exactly(0, args))}`, WHOLE),
  unique: (of, args) => written(`${of}${filter('unique', exactly(0, args))} | list`, WHOLE),
  toJsonString: (of, args) => text(`${of}${filter('jsonify', exactly(0, args))}`),
}

function filter(name: string, args: readonly Written[]): string {
  return args.length === 0 ? ` | ${name}` : ` | ${name}(${args.map((one) => one.text).join(', ')})`
}
