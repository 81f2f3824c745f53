/** The time and randomness that templates read. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

export interface Sources {
  now(): Date
  uuid(): string
  /** From 0 to 1, excluding 1. */
  random(): number
}

const SYSTEM: Sources = { now: () => new Date(), uuid: () => randomUUID(), random: () => Math.random() }
const replaced = new AsyncLocalStorage<Sources>()

/** All templates that `work` renders, even later on, read these instead. In a test, they are the same every time. */
export const withSources = <T>(sources: Sources, work: () => T): T => replaced.run(sources, work)

export const sources = (): Sources => replaced.getStore() ?? SYSTEM
