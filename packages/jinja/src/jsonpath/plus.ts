import { say } from '../data/said.ts'
import type { Data } from '../data/value.ts'
import { JsonPathError } from './error.ts'

type Key = string | number
/** The location of a value, as the keys that lead to it, or a name that `~` selects. */
export type PlusMatch = { readonly keys: readonly string[] } | { readonly name: Key }
/** @throws JsonPathError */
export type PlusEvaluator = (path: string, data: Data) => readonly PlusMatch[]

let evaluator: PlusEvaluator | null = null

export function usePlusEvaluator(evaluate: PlusEvaluator | null): void {
  evaluator = evaluate
}

export const hasPlusEvaluator = (): boolean => evaluator !== null

export function evaluatePlus(path: string, data: Data): readonly PlusMatch[] {
  if (evaluator === null) throw new JsonPathError(say`JSONPath "${path}" needs jsonpath-plus`, 0)
  if (typeof data !== 'object' || data === null) return evaluator(path, data)
  const last = lastMatches.get(data)
  if (last?.path === path) return last.matches
  const matches = evaluator(path, data)
  lastMatches.set(data, { path, matches })
  return matches
}

/** The latest matches, because the records of a page and their places are read one after the other. */
const lastMatches = new WeakMap<object, { readonly path: string; readonly matches: readonly PlusMatch[] }>()
