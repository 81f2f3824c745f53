import { type Section, searchSections, splitSections } from '../../../../shared/docs.ts'

type Documents = ReadonlyMap<string, string>

/**
 * @param read returns the documents by name; called at the first search
 * @param readMore returns further ones, which can change
 */
export function createDocsService(read: () => Documents, readMore: () => Documents) {
  let ours: readonly Section[] | null = null

  function withMost(sections: readonly Section[], text: string): readonly Section[] {
    const words = text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_-]+/u)
      .filter((word) => word.length > 2)
    const counted = sections.map((section) => {
      const held = `${section.docTitle} ${section.heading} ${section.text}`.toLowerCase()
      const heading = section.heading.toLowerCase()
      const found = words.filter((word) => held.includes(word)).length
      return { section, found: found + words.filter((word) => heading.includes(word)).length / 2 }
    })
    return counted
      .filter(({ found }) => found > 0)
      .toSorted((a, b) => b.found - a.found)
      .map(({ section }) => section)
  }

  return {
    /** Finds sections as the app does; if none contains every word, returns those with the most. */
    search(text: string): readonly Section[] {
      ours ??= sectionsOf(read())
      const sections = [...ours, ...sectionsOf(readMore())]
      const found = searchSections(sections, text)
      return found.length > 0 ? found : withMost(sections, text)
    },
  }
}

const sectionsOf = (documents: Documents): readonly Section[] =>
  [...documents].flatMap(([name, markdown]) => splitSections(name, markdown))
