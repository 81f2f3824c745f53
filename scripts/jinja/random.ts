/** Seeded random numbers, so that a failure can be reproduced. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** A number from 0 to 1, excluding 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}
