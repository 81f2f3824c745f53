import { type Section, splitSections } from '../../../../shared/docs.ts'

/** The project's documentation, included when the page was built, so that it works offline and fits this version. */
const FILES = import.meta.glob<string>(
  [
    '../../../../../docs/**/*.md',
    '!../../../../../docs/internals/**', // For contributors to Millrace.
  ],
  { query: '?raw', import: 'default', eager: true },
)

export const SECTIONS: readonly Section[] = Object.entries(FILES).flatMap(([path, text]) =>
  splitSections(nameOf(path) ?? path, text),
)

function nameOf(path: string): string | undefined {
  return /^([\w-]+)\.md$/.exec(path.split('/').at(-1) ?? '')?.[1]
}

/** The section that a link in a document leads to: `../how-to/large-lists.md`, `steps.md#limits`, `#limits`. */
export function linkedSection(
  sections: readonly Section[],
  from: string,
  target: string,
): Section | undefined {
  if (/^[a-z]+:/.test(target)) return undefined
  const [path = '', anchor] = target.split('#')
  const doc = path === '' ? from : nameOf(path)
  const ofDoc = sections.filter((section) => section.doc === doc)
  return anchor === undefined ? ofDoc[0] : ofDoc.find(({ heading }) => anchorOf(heading) === anchor)
}

/** The same anchors as GitHub's. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
