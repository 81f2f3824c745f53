/** Splits the documentation into sections and searches them. */

export interface Section {
  /** The file's name, such as `pagination`. */
  readonly doc: string
  readonly docTitle: string
  readonly heading: string
  /** The text under the heading and its subheadings. */
  readonly text: string
}

/** Sections that contain every word, with those that have it in their heading first. */
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

/** A top-level heading's text ends at the next heading. That of any other heading includes its subheadings. */
export function splitSections(doc: string, markdown: string): readonly Section[] {
  const lines = markdown.split(/\r?\n/).filter((line) => !line.startsWith('<!-- '))
  const headings = lines.flatMap((line, at) => {
    const found = isInCode(lines, at) ? null : /^(#{1,3}) (.*)$/.exec(line)
    return found === null ? [] : [{ at, level: found[1]?.length ?? 1, heading: found[2] ?? '' }]
  })
  const docTitle = headings[0]?.heading ?? doc
  return headings.map(({ at, level, heading }, index) => {
    const after = headings.slice(index + 1)
    const next = level === 1 ? after[0] : after.find((one) => one.level <= level)
    return {
      doc,
      docTitle,
      heading,
      text: lines
        .slice(at + 1, next?.at)
        .join('\n')
        .trim(),
    }
  })
}

function isInCode(lines: readonly string[], at: number): boolean {
  return lines.slice(0, at).filter((line) => line.startsWith('```')).length % 2 === 1
}
