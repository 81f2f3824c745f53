import { say } from '../../data/said.ts'
import { type Data, dictionaryOf, Float } from '../../data/value.ts'
import { parseJson } from '../../data/json.ts'
import type { Fault } from '../base/faults.ts'
import { tokenizeExpression } from './lexer.ts'
import { describeToken } from './token.ts'
import { TokenStream } from './stream.ts'
import { makeFloat, makeInt } from '../values/numbers.ts'
import type { Value } from '../base/value.ts'

/**
 * Parses a string as JSON or else as a Python literal: `{'a': None, 'b': (1, 2),}`. Names, calls, and operators other
 * than a sign aren't allowed. `null`, `true` and `false` are accepted too, because both notations can occur in one
 * template.
 *
 * @throws Fault if it is neither
 */
export function readLiteral(text: string): Data {
  if (IS_PYTHON.test(text)) return readPython(text)
  try {
    return parseJson(text)
  } catch {
    return readPython(text)
  }
}

/** Begins with a single quote, which JSON doesn't have, so there is no need to try JSON first. */
const IS_PYTHON = /^\s*(?:[{[(]\s*)?'/

function readPython(text: string): Data {
  const stream = new TokenStream(tokenizeExpression(text.trim()))
  const value = readItems(stream)
  if (!stream.is('end')) throw unreadable(stream)
  return value
}

/** One value, or a tuple without its parentheses. */
function readItems(stream: TokenStream, close: ')' | 'end' = 'end'): Data {
  const first = readValue(stream)
  if (!stream.is(',')) return first
  const items = [first]
  while (stream.skip(',') && !stream.is(close)) items.push(readValue(stream))
  return items
}

function readValue(stream: TokenStream): Data {
  return stream.nested(() => {
    const token = stream.current
    switch (token.kind) {
      case '{':
        return readDictionary(stream)
      case '[':
        return readList(stream)
      case '(':
        return readParentheses(stream)
      case 'string':
        return readText(stream)
      case 'integer':
      case 'float':
        return toNumber(stream.next().value)
      case '-':
      case '+':
        stream.next()
        return signed(token.kind, readNumber(stream))
      case 'name':
        return readConstant(stream)
      default:
        throw unreadable(stream)
    }
  })
}

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ['None', null],
  ['null', null],
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
])

function readConstant(stream: TokenStream): Data {
  const constant = CONSTANTS.get(stream.current.text)
  if (constant === undefined) throw unreadable(stream)
  stream.next()
  return constant
}

function readText(stream: TokenStream): string {
  let text = ''
  while (stream.is('string')) text += stream.next().text
  return text
}

function readNumber(stream: TokenStream): Data {
  if (!stream.is('integer') && !stream.is('float')) throw unreadable(stream)
  return toNumber(stream.next().value)
}

const toNumber = (value: Value): Data =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float ? value : null

function signed(sign: '-' | '+', value: Data): Data {
  if (sign === '+') return value
  if (typeof value === 'bigint') return makeInt(-value)
  if (value instanceof Float) return makeFloat(-value.value)
  return typeof value === 'number' ? 0 - value : value
}

function readList(stream: TokenStream): Data[] {
  stream.next()
  const items: Data[] = []
  while (!stream.is(']')) {
    items.push(readValue(stream))
    if (!stream.skip(',')) break
  }
  if (!stream.skip(']')) throw unreadable(stream)
  return items
}

/** A tuple, or one value in parentheses. */
function readParentheses(stream: TokenStream): Data {
  stream.next()
  if (stream.skip(')')) return []
  const items = readItems(stream, ')')
  if (!stream.skip(')')) throw unreadable(stream)
  return items
}

function readDictionary(stream: TokenStream): Data {
  stream.next()
  const entries: [string, Data][] = []
  while (!stream.is('}')) {
    const key = readKey(stream)
    if (!stream.skip(':')) throw unreadable(stream)
    entries.push([key, readValue(stream)])
    if (!stream.skip(',')) break
  }
  if (!stream.skip('}')) throw unreadable(stream)
  return dictionaryOf(entries)
}

/** JSON and the API only have strings as keys. */
function readKey(stream: TokenStream): string {
  const key = readValue(stream)
  if (typeof key === 'string') return key
  if (key === null) return 'null'
  if (typeof key === 'boolean' || typeof key === 'number' || typeof key === 'bigint') return String(key)
  throw unreadable(stream)
}

function unreadable(stream: TokenStream): Fault {
  return stream.fail(say`isn't JSON or a Python literal: unexpected '${describeToken(stream.current)}'`)
}
