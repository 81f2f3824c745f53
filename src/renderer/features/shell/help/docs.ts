/** The project's documentation, included when the page was built: offline, and for this exact version. */
const FILES = import.meta.glob<string>(
  [
    '../../../../../docs/**/*.md',
    '!../../../../../docs/internals/**', // For contributors to Millrace.
  ],
  { query: '?raw', import: 'default', eager: true },
)

export interface Section {
  /** `pagination`, the file's name. */
  readonly doc: string
  readonly docTitle: string
  readonly heading: string
  /** The text under the heading and its subheadings. */
  readonly text: string
}

export const SECTIONS: readonly Section[] = Object.entries(FILES).flatMap(([path, text]) =>
  splitSections(/([\w-]+)\.md$/.exec(path)?.[1] ?? path, text),
)

/** The first heading has the text before the second; every other one has the text below it. */
export function splitSections(doc: string, markdown: string): readonly Section[] {
  const lines = markdown.split('\n').filter((line) => !line.startsWith('<!-- '))
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

/** The section that a link in a document leads to: `../how-to/large-lists.md`, `steps.md#limits`, `#limits`. */
export function linkedSection(
  sections: readonly Section[],
  from: string,
  target: string,
): Section | undefined {
  if (/^[a-z]+:/.test(target)) return undefined
  const [path = '', anchor] = target.split('#')
  const doc = path === '' ? from : /([\w-]+)\.md$/.exec(path)?.[1]
  const ofDoc = sections.filter((section) => section.doc === doc)
  return anchor === undefined ? ofDoc[0] : ofDoc.find(({ heading }) => anchorOf(heading) === anchor)
}

/** Like GitHub's. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
