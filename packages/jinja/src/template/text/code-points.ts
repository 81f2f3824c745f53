import { spend } from '../base/limits.ts'

/**
 * Lengths and positions count code points, as in Python. Most strings have one code unit per code point and need no
 * conversion.
 */
export function isPlainText(text: string): boolean {
  spend(text.length / 64)
  return !SURROGATE.test(text)
}

const SURROGATE = /[\ud800-\udfff]/

export function pointLength(text: string): number {
  if (isPlainText(text)) return text.length
  spend(text.length / 16)
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isPairEnd(text, at)) count--
  return count
}

/** A string as its code points. */
export class Points {
  readonly length: number
  private readonly text: string
  private readonly points: readonly string[] | null

  constructor(text: string) {
    this.text = text
    this.points = isPlainText(text) ? null : pointsOf(text)
    this.length = this.points === null ? text.length : this.points.length
  }

  at(index: number): string {
    return (this.points === null ? this.text[index] : this.points[index]) ?? ''
  }

  slice(start: number, end: number): string {
    return this.points === null ? this.text.slice(start, end) : this.points.slice(start, end).join('')
  }

  all(): readonly string[] {
    spend(this.length)
    return this.points ?? [...this.text]
  }
}

/** An array of code points takes many times the memory and time of the string. */
function pointsOf(text: string): readonly string[] {
  spend(text.length)
  return Array.from(text)
}

/** Converts a position in a JavaScript string to code points. */
export function pointIndex(text: string, at: number): number {
  return at <= 0 || isPlainText(text) ? at : pointLength(text.slice(0, at))
}

function isPairEnd(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const here = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && here >= 0xdc00 && here <= 0xdfff
}

/** Compares two strings by code points: -1, 0 or 1. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return sortKey(left) < sortKey(right) ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** Surrogates represent code points above all single units. */
const sortKey = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
