import { diffArrays } from 'diff'

/** A line of a comparison: in both texts, only in the old one, only in the new one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/**
 * The shortest edit from one text to the other. If the texts are too different, the old one is removed and the new one
 * added.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const changes = diffArrays(a, b, { timeout: LONGEST_MS }) ?? [
    { removed: true, added: false, value: a },
    { removed: false, added: true, value: b },
  ]
  return changes.flatMap(({ removed, added, value }) =>
    value.map((text): DiffLine => ({ kind: removed ? 'removed' : added ? 'added' : 'same', text })),
  )
}

/** The duration grows with the square of the number of changed lines. */
const LONGEST_MS = 300
