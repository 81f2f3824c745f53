import type { Section } from '../../../../shared/docs.ts'
import type { Topic } from './content/help.ts'

export interface Help {
  readonly section: Section
  /** Header and row of the table that explains the term; null if none does. */
  readonly entry: string | null
}

/** The section about a topic: the one headed by the term, preceded by its row in a table. */
export function findHelp(sections: readonly Section[], { doc, heading, term }: Topic): Help | null {
  const ofDoc = sections.filter((section) => section.doc === doc)
  const named = term === undefined ? undefined : ofDoc.find((one) => one.heading.includes(`\`${term}\``))
  const asked = ofDoc.find((one) => one.heading === heading)
  const section = named ?? asked ?? ofDoc[0]
  return section === undefined ? null : { section, entry: term === undefined ? null : entryOf(ofDoc, term) }
}

/** The row of a table whose first cell has the term, with that table's header. */
function entryOf(sections: readonly Section[], term: string): string | null {
  for (const { text } of sections) {
    const lines = text.split('\n')
    const at = lines.findIndex(
      (line) => line.startsWith('|') && (line.split('|')[1] ?? '').includes(`\`${term}\``),
    )
    if (at === -1) continue
    const head = lines.findLastIndex((line, index) => index < at && /^\|[\s|:-]+\|$/.test(line))
    return head < 1 ? (lines[at] ?? null) : [lines[head - 1], lines[head], lines[at]].join('\n')
  }
  return null
}
