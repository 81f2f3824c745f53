/** Time and random numbers in a test, which are the same every time. */
import { createHash } from 'node:crypto'
import type { Clock, Random, Sleep } from '../../ports.ts'

/** A clock that only moves when the flow waits. The time that real work takes only counts towards limits. */
export class PinnedClock implements Clock {
  readonly #real: Clock
  readonly #start: number
  #moved = 0

  constructor(start: number, real: Clock) {
    this.#start = start
    this.#real = real
  }

  now(): number {
    return this.#start + this.#moved
  }

  monotonic(): number {
    return this.#real.monotonic() + this.#moved
  }

  /** Waits that began at the same time end at their own times, regardless of the order in which they resolve. */
  sleepWith(rest: () => Promise<void>): Sleep {
    return async (ms, signal) => {
      const until = this.#moved + Math.max(0, ms)
      await rest()
      signal?.throwIfAborted()
      this.#moved = Math.max(this.#moved, until)
    }
  }
}

export interface Chance {
  readonly random: Random
  readonly uuid: () => string
  readonly seed: readonly number[]
}

/** Random numbers that are the same for the same string. */
export function chanceOf(text: string): Chance {
  const seed = [...createHash('sha256').update(text).digest().subarray(0, 16)]
  let [a = 0, b = 0, c = 0, count = 0] = new Int32Array(new Uint8Array(seed).buffer)
  // sfc32
  const next = (): number => {
    const sum = (a + b + count++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  const uuid = () => {
    const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  return { random: () => next() / 4_294_967_296, uuid, seed }
}
