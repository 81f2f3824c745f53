/** An import's remarks on the nodes, without repetitions. */
import { englishOf, type Said } from '@millrace/jinja/said'

export interface ImportNote {
  /** The step it is about; null if the node didn't become a step. */
  readonly ref_id: string | null
  readonly node: string
  readonly field: string | null
  /** A sentence without its subject, which is the node's name: `took GET requests; …` */
  readonly message: Said
}

export interface Notes {
  readonly all: readonly ImportNote[]
  add(note: ImportNote): void
}

const MOST_NOTES = 500

export function createNotes(): Notes {
  const all: ImportNote[] = []
  return {
    all,
    add(note) {
      if (all.length >= MOST_NOTES) return
      const isKnown = all.some(
        (one) =>
          one.node === note.node &&
          one.field === note.field &&
          englishOf(one.message) === englishOf(note.message),
      )
      if (!isKnown) all.push(note)
    },
  }
}
