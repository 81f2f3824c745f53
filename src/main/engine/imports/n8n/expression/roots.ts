/** Where an expression begins: `$json`, `$('Name')`, `Math` and the like. */
import { DATE_ROOTS } from './dates.ts'
import { quoted, type Source } from '../source/values.ts'
import { type Expression, NotReadable } from './javascript.ts'
import type { Names } from './names.ts'
import { argsOf, keyOf, type Link, type PathScope, type Start } from './path.ts'
import { held, WHOLE, written } from './written.ts'

/** Names at which an expression begins, each with how far it is read. */
export const ROOTS: Readonly<Record<string, (links: readonly Link[], scope: PathScope) => Start>> = {
  $json: (links, { names }) => inSource(present(names.current, 'nothing comes in here'), links),
  $input: (links, { names }) => itemOf(names.current, 'what comes in', links),
  $: (links, { names }) => {
    const [call, ...rest] = links
    return itemOf(nodeOf(argsOf(call)?.[0], names), 'that node', rest)
  },
  $node: (links, { names }) => {
    const [name, json, ...rest] = links
    const key = keyOf(name)
    if (key === null || keyOf(json) !== 'json')
      throw new NotReadable('"$node" is read there in an unusual way')
    return inSource(single(present(names.node(key), `"${key}" has not run at this place`)), rest)
  },
  $items: (links, { names }) => {
    const [call, at, json, ...rest] = links
    const isFirst = at !== undefined && 'at' in at && at.at.kind === 'value' && at.at.value === 0
    const [name] = argsOf(call) ?? []
    if (!isFirst || keyOf(json) !== 'json') throw new NotReadable('"$items" is read there in an unusual way')
    return inSource(firstOf(name === undefined ? names.current : nodeOf(name, names)), rest)
  },
  ...DATE_ROOTS,
  $env: variable,
  $vars: variable,
  $itemIndex: (links, { names }) => ({
    value: written(names.inLoop ? 'index' : '0', WHOLE, 'number'),
    rest: links,
  }),
  $workflow: (links, { names }) => {
    if (keyOf(links[0]) !== 'name') throw new NotReadable('only the name of the workflow has an equal here')
    return { value: written(quoted(names.workflow), WHOLE, 'text'), rest: links.slice(1) }
  },
  JSON: (links, { write }) => {
    const [method, call, ...rest] = links
    const args = argsOf(call) ?? []
    const value = args[0] && held(write(args[0]), WHOLE)
    if (keyOf(method) === 'parse' && value !== undefined && args.length === 1)
      return { value: written(`${value} | parse_json`, WHOLE), rest }
    if (keyOf(method) !== 'stringify' || value === undefined)
      throw new NotReadable('"JSON" is used in an unusual way')
    const indent = args[2]?.kind === 'value' && typeof args[2].value === 'number' ? `(${args[2].value})` : ''
    return { value: written(`${value} | jsonify${indent}`, WHOLE, 'text'), rest }
  },
  Math: (links, { write }) => {
    const [method, call, ...rest] = links
    const args = (argsOf(call) ?? []).map((one) => write(one))
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
  String: (links, { write }) => {
    const [call, ...rest] = links
    const [value] = argsOf(call) ?? []
    if (value === undefined) throw new NotReadable('"String" is used in an unusual way')
    return { value: written(`${held(write(value), WHOLE)} | string`, WHOLE, 'text'), rest }
  },
  Object: (links, { write }) => {
    const [method, call, ...rest] = links
    const [value] = argsOf(call) ?? []
    if (keyOf(method) !== 'keys' || value === undefined)
      throw new NotReadable(`"Object.${keyOf(method) ?? ''}" has no exact equal here`)
    return { value: written(`${held(write(value), WHOLE)} | list`, WHOLE), rest }
  },
}

function variable(links: readonly Link[], { names }: PathScope): Start {
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
