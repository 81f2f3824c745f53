import { type Data, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import { readsResponse } from '../model/page-config.ts'
import type { UsedValue } from '../model/page-run.ts'

/**
 * Whether the cursors of the next request mean that the list has ended: all of them are dead, or one that was alive in
 * this run is dead now. A cursor that was never alive is an optional value.
 *
 * @param liveCursors places where a live cursor was rendered so far
 * @returns those places plus the ones of this request; null at the end of the list
 */
export function followCursors(
  usedValues: readonly UsedValue[],
  liveCursors: ReadonlySet<string>,
): ReadonlySet<string> | null {
  const living = new Map<string, boolean>()
  for (const { place, names, value } of usedValues) {
    if (!readsResponse(names)) continue
    // A place inside a {% for %} has several values.
    living.set(place, living.get(place) === true || isAlive(value))
  }
  if (living.size === 0) return liveCursors
  const places = [...living]
  if (places.every(([, lives]) => !lives)) return null
  if (places.some(([place, lives]) => !lives && liveCursors.has(place))) return null
  return new Set([...liveCursors, ...places.filter(([, lives]) => lives).map(([place]) => place)])
}

/** 0 is alive: it is the first offset of many APIs. `{}` and `[]` are how PHP and DynamoDB write "nothing". */
function isAlive(value: Data | undefined): boolean {
  if (value === undefined || value === null || value === false) return false
  if (isList(value)) return value.length > 0
  if (isDictionary(value)) return keysOf(value).length > 0
  return typeof value !== 'string' || value.trim() !== ''
}
