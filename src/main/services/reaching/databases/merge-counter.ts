import { hash } from 'node:crypto'
import type { MergeCounts } from '../../../engine/flow/model/ports.ts'

/**
 * Counts the changes that a merge makes to a file. Remembers a digest of the record that each staged record replaces.
 */
export function createMergeCounter() {
  const replaced = new Map<number, string>()
  const counts = { new: 0, changed: 0, unchanged: 0 }
  return {
    counts: counts satisfies MergeCounts,
    /** @param at position of the staged record that replaces the old one */
    replace(at: number, before: string): void {
      replaced.set(at, digestOf(before))
    },
    write(at: number, after: string): void {
      const before = replaced.get(at)
      counts[before === undefined ? 'new' : before === digestOf(after) ? 'unchanged' : 'changed']++
    },
  }
}

/** Has a fixed length, however long the record is. */
const digestOf = (text: string) => hash('sha1', text, 'base64')
