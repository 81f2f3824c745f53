import { hash as digest } from 'node:crypto'
import { writeJson } from './json.ts'
import { type Data, Float, isList } from './value.ts'

/**
 * A string that only equal values share, even if others are built to collide: short values whole, longer ones as 192
 * bits of SHA-256. At most 34 characters, so a million of them fit in memory.
 */
export function identityOf(value: Data): string {
  const text = writeJson(value)
  // No JSON begins with "#". Copying through Latin-1 releases the response that the string is a part of.
  return text.length <= SHORT_TEXT && IS_LATIN.test(text)
    ? Buffer.from(text, 'latin1').toString('latin1')
    : `#${digest('sha256', text, 'base64url').slice(0, 32)}`
}

const SHORT_TEXT = 34
const IS_LATIN = /^[ -\xff]*$/

/**
 * A short string that is the same for equal values: keys in order, numbers by their form. It is computed without
 * writing JSON, which would take several times as long. Collisions can be constructed, so it isn't for secrets.
 * Use `identityOf` if a collision would hide a record.
 */
export function hashData(value: Data): string {
  return hashNumber(value).toString(36)
}

/** The hash of `hashData` as a 53-bit number, for hashes that are compared but not stored. */
export function hashNumber(value: Data): number {
  left = 0xdeadbeef | 0
  right = 0x41c6ce57 | 0
  add(value)
  const first = mix(left, right)
  const second = mix(right, first)
  return (second & 0x1fffff) * 2 ** 32 + (first >>> 0)
}

/** The two lanes (cyrb53 by bryc, public domain) of the current hash; computing one is synchronous. */
let left = 0
let right = 0

function add(value: Data): void {
  if (typeof value === 'string') addText(value)
  else if (typeof value === 'number') addNumber(value)
  else if (typeof value === 'bigint') addTagged(BIGINT, value.toString())
  else if (typeof value !== 'object' || value === null) addCode(value === null ? NULL : value ? TRUE : FALSE)
  else if (isList(value)) addList(value)
  else if (value instanceof Float) addTagged(FLOAT, String(value.value))
  else if (value instanceof Map) addMap(value)
  else {
    addCode(DICTIONARY)
    for (const key in value) {
      addText(key)
      add(value[key] ?? null)
    }
    addCode(END)
  }
}

function addList(list: readonly Data[]): void {
  addCode(LIST)
  for (const item of list) add(item)
  addCode(END)
}

function addMap(map: ReadonlyMap<string, Data>): void {
  addCode(DICTIONARY)
  for (const [key, item] of map) {
    addText(key)
    add(item)
  }
  addCode(END)
}

function addNumber(value: number): void {
  addCode(NUMBER)
  if (value === (value | 0)) return addCode(value)
  BITS[0] = value
  addCode(HALVES[0] ?? 0)
  addCode(HALVES[1] ?? 0)
}

function addTagged(tag: number, text: string): void {
  addCode(tag)
  addText(text)
}

/** Two UTF-16 units per step, because this loop takes most of the time. */
function addText(text: string): void {
  // Native hashing is faster for long strings, this one for short strings.
  const content = text.length > LONG_TEXT ? digest('sha1', text, 'base64') : text
  const pairs = content.length - 1
  let a = Math.imul(left ^ text.length, LEFT)
  let b = Math.imul(right ^ TEXT, RIGHT)
  let at = 0
  for (; at < pairs; at += 2) {
    const code = content.charCodeAt(at) | (content.charCodeAt(at + 1) << 16)
    a = Math.imul(a ^ code, LEFT)
    b = Math.imul(b ^ code, RIGHT)
  }
  if (at === pairs) {
    const code = content.charCodeAt(at)
    a = Math.imul(a ^ code, LEFT)
    b = Math.imul(b ^ code, RIGHT)
  }
  left = a
  right = b
}

function addCode(code: number): void {
  left = Math.imul(left ^ code, LEFT)
  right = Math.imul(right ^ code, RIGHT)
}

function mix(lane: number, other: number): number {
  return Math.imul(lane ^ (lane >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
}

const LEFT = -1640531535
const RIGHT = 1597334677
const LONG_TEXT = 256
const BITS = new Float64Array(1)
const HALVES = new Int32Array(BITS.buffer)
const [NULL, TRUE, FALSE, NUMBER, BIGINT, FLOAT, TEXT, LIST, DICTIONARY, END] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const
