import type { Section } from './docs.ts'

/** Sections with every word, those with it in their heading first. */
export function searchSections(sections: readonly Section[], typed: string): readonly Section[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  return sections
    .filter(({ docTitle, heading, text }) => holds(`${docTitle} ${heading} ${text}`))
    .toSorted((a, b) => Number(holds(b.heading)) - Number(holds(a.heading)))
    .slice(0, MOST_FOUND)
}

const MOST_FOUND = 30
