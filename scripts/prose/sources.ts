import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** A piece of text that people read, and its location. */
export interface Passage {
  readonly path: string
  readonly line: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const MARKDOWN = [
  '*.md',
  'docs/**/*.md',
  'src/**/*.md',
  'packages/*/{*.md,src/**/*.md}',
  'bench/**/*.md',
  'test/**/*.md',
]
const SOURCES = ['{src,packages/*/src}/**/*.{ts,tsx}', 'scripts/*.ts', 'bench/*.ts']
const DATA = ['resources/**/*.json']

/** Every passage of the documents, and every sentence in the program's strings. */
export function readPassages(root: string): readonly Passage[] {
  const files = (patterns: readonly string[]) =>
    globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] })
      .sort()
      .map((path) => ({ path, source: readFileSync(`${root}/${path}`, 'utf8') }))
  return [
    ...files(MARKDOWN).flatMap(({ path, source }) => passagesOfMarkdown(path, source)),
    ...files(SOURCES).flatMap(({ path, source }) => passagesOfSource(path, source)),
    ...files(DATA).flatMap(({ path, source }) => passagesOfJson(path, source)),
  ]
}

/** Paragraphs, list items, headings and cells, without code, URLs and comments. */
export function passagesOfMarkdown(path: string, source: string): readonly Passage[] {
  const passages: Passage[] = []
  let open: { line: number; words: string[] } | null = null
  let fence: string | null = null
  const close = () => {
    if (open !== null) passages.push({ path, line: open.line, text: open.words.join(' ') })
    open = null
  }
  for (const [index, line] of source.replaceAll('\r\n', '\n').split('\n').entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (fence === null ? mark !== undefined : mark?.startsWith(fence) === true) {
      close()
      fence = fence === null ? (mark ?? null) : null
      continue
    }
    if (fence !== null) continue
    if (/^\s*(?:\||[-*+] |\d+\. |#|>|$)/.test(line)) close()
    const words = withoutCode(line)
      .replace(/^\s*(?:[-*+]|\d+\.|#+|>) /, '')
      .trim()
    for (const cell of /^\s*\|/.test(line) ? words.split('|') : []) {
      if (cell.trim() !== '') passages.push({ path, line: index + 1, text: cell.trim() })
    }
    if (words === '' || /^\s*\|/.test(line)) continue
    open ??= { line: index + 1, words: [] }
    open.words.push(words)
    if (/^\s*#/.test(line)) close()
  }
  close()
  return passages
}

/** Strings of a source file that contain a sentence: at least three words. Interpolated values become `{}`. */
export function passagesOfSource(path: string, source: string): readonly Passage[] {
  const passages: Passage[] = []
  const add = (node: Node, text: string) => {
    if (isSentence(text)) passages.push({ path, line: lineOf(source, node.start), text })
  }
  const visit = (node: Node) => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') add(node, node['value'])
    if (node.type === 'JSXText') add(node, String(node['value']).replaceAll(/\s+/g, ' ').trim())
    if (node.type === 'TemplateLiteral') {
      const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[]
      const text = quasis.map(({ value }) => value.cooked).join('{}')
      // A string of several lines is code, such as SQL or a script. People read only the strings in it.
      for (const said of text.includes('\n') ? stringsOf(text) : [text]) add(node, said)
    }
    if (node.type === 'ImportDeclaration') return
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
      }
    }
  }
  visit(parseSync(path, source).program as unknown as Node)
  return passages
}

/** Values that hold a sentence; keys are names. */
export function passagesOfJson(path: string, source: string): readonly Passage[] {
  const lines = source.split('\n')
  return lines.flatMap((line, index) =>
    [...line.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)]
      .filter(([, , colon]) => colon === undefined)
      .map(([, text]) => (text ?? '').replaceAll(String.raw`\"`, '"'))
      .filter((text) => isSentence(text))
      .map((text) => ({ path, line: index + 1, text })),
  )
}

const stringsOf = (code: string) =>
  [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(
    ([, single, double]) => single ?? double ?? '',
  )

function withoutCode(line: string): string {
  return line
    .replaceAll(/<!--.*?-->/g, '')
    .replaceAll(/`[^`]*`/g, '`…`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\S+/g, '…')
    .replaceAll(/<[^>]+>/g, '')
}

const isSentence = (text: string) => /[A-Za-z]{2,}[,:]? [a-z]+\b.* [A-Za-z]+/.test(text)
const lineOf = (source: string, offset: number) => source.slice(0, offset).split('\n').length
