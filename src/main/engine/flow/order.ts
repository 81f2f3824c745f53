/** How values stand to each other where a list is sorted, grouped or joined. */
import { writeJson } from '../data/json.ts'
import { type Data, Float } from '../data/value.ts'
import { numberIn } from './steps/support/compare.ts'

/**
 * Below 0 where `a` comes first. Numbers, also those that are written as text, come before texts, texts before all else,
 * null and the empty text last.
 */
export function orderOf(a: Data, b: Data): number {
  const [left, right] = [rankOf(a), rankOf(b)]
  if (left !== right) return left - right
  if (left === NUMBER) return sign(numberIn(a) ?? 0, numberIn(b) ?? 0)
  if (left === EMPTY) return 0
  return sign(textOf(a), textOf(b))
}

/** Whether there is nothing to order by. */
export function isEmpty(value: Data): boolean {
  return value === null || value === ''
}

/**
 * Equal for values that count as the same: `7`, `7.0` and the text `7`, which a form or CSV made of it; `007` is another.
 */
export function sameness(value: Data): string {
  if (typeof value === 'string') return value
  if (value instanceof Float) return String(value.value)
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `\0${writeJson(value)}`
}

const NUMBER = 0
const TEXT = 1
const OTHER = 2
const EMPTY = 3

function rankOf(value: Data): number {
  if (isEmpty(value)) return EMPTY
  if (numberIn(value) !== null) return NUMBER
  return typeof value === 'string' ? TEXT : OTHER
}

function textOf(value: Data): string {
  return typeof value === 'string' ? value : writeJson(value)
}

function sign<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
