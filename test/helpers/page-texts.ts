import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import type { z } from 'zod'
import { STEP_DEFINITIONS } from '../../src/shared/contract/step-types/index.ts'
import type { StepDefinition } from '../../src/shared/contract/step-types/parts/step-type.ts'

/** The sentences in the page's sources, read by a parser. */
export interface PageTexts {
  /** Keys of the catalogue, each with the places that use it; plural ones with their `_one` and `_other`. */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** Visible literals outside of `t`, as `file:line: text`. */
  readonly bare: readonly string[]
  /** Calls whose values and placeholders differ, or whose sentence isn't a literal. */
  readonly wrong: readonly string[]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const STEP_TYPES = join(import.meta.dirname, '../../src/shared/contract/step-types')
const RENDERER = join(import.meta.dirname, '../../src/renderer')

const VISIBLE = new Set(['aria-label', 'aria-description', 'aria-valuetext', 'title', 'alt', 'label', 'hint'])
/** These contain data or names, the same in every language. */
const CODE = new Set(['code', 'kbd', 'pre', 'Pre', 'Keys'])

export function readPageTexts(): PageTexts {
  const keys = new Map<string, string[]>()
  const bare: string[] = []
  const wrong: string[] = []
  for (const path of globSync([`${RENDERER}/**/*.{ts,tsx}`, `${STEP_TYPES}/**/*.ts`]).sort()) {
    const source = readFileSync(path, 'utf8')
    const place = (node: Node) =>
      `${relative(RENDERER, path)}:${source.slice(0, node.start).split('\n').length}`
    const use = (key: string, node: Node) => keys.set(key, [...(keys.get(key) ?? []), place(node)])
    const sentence = (node: Node | undefined, values: Node | undefined, suffixes: readonly string[]) => {
      if (node === undefined) return
      if (node.type === 'TemplateLiteral' || node.type === 'ConditionalExpression')
        wrong.push(`${place(node)}: a sentence that is put together`)
      const text = literalOf(node)
      if (text === null) return
      for (const suffix of suffixes) use(text + suffix, node)
      const given = namesOf(values)
      if (given !== null && given.toSorted().join() !== placeholdersOf(text).join())
        wrong.push(`${place(node)}: “${text}” is given ${given.join() || 'nothing'}`)
    }
    const shown = (node: Node | undefined, counts: (text: string) => boolean) => {
      for (const one of branchesOf(node)) {
        const text = literalOf(one) ?? templateOf(one)
        if (text !== null && counts(text)) bare.push(`${place(one)}: ${text}`)
      }
    }
    const visit = (node: Node, isCode: boolean, isChild = false) => {
      if (node.type === 'CallExpression') {
        const name = (node['callee'] as Node)['name']
        const args = node['arguments'] as Node[]
        if (name === 't') sentence(args[0], args[1] ?? NOTHING, [''])
        if (name === 'english') sentence(args[0], undefined, [''])
        if (name === 'tn') sentence(args[2], undefined, ['_one', '_other'])
        if (name === 'plural') countNoun(args, (key) => use(key, node))
      }
      if (node.type === 'JSXElement') {
        const opening = node['openingElement'] as Node
        const name = (opening['name'] as Node)['name'] as string
        const attributes = (opening['attributes'] as Node[]).filter(({ type }) => type === 'JSXAttribute')
        const find = (wanted: string) =>
          attributes.find((one) => (one['name'] as Node)['name'] === wanted)?.['value'] as Node | undefined
        if (name === 'Trans') sentence(valueOf(find('text')), valueOf(find('values')) ?? NOTHING, [''])
        else
          for (const attribute of attributes) {
            if (VISIBLE.has((attribute['name'] as Node)['name'] as string))
              shown(valueOf(attribute['value'] as Node | undefined), isWords)
          }
        for (const child of opening['attributes'] as Node[]) visit(child, isCode)
        for (const child of node['children'] as Node[]) visit(child, isCode || CODE.has(name), true)
        return
      }
      if (node.type === 'JSXText' && !isCode && isWords(node['value'] as string))
        bare.push(`${place(node)}: ${(node['value'] as string).trim()}`)
      if (node.type === 'JSXExpressionContainer' && !isCode && isChild) shown(valueOf(node), isWords)
      if (
        node.type === 'Property' &&
        !path.startsWith(STEP_TYPES) &&
        VISIBLE.has(String((node['key'] as Node)['name']))
      )
        shown(node['value'] as Node, isSentence)
      for (const child of childrenOf(node)) visit(child, isCode)
    }
    // All kinds of nodes are read in the same way, by the names of their fields.
    visit(parseSync(path, source).program as unknown as Node, false)
  }
  for (const [type, text] of textsOfStepTypes()) keys.set(text, [...(keys.get(text) ?? []), type])
  return { keys, bare, wrong }
}

/** The texts of the definitions of step types that the page shows: labels, hints and choices, but not names. */
function textsOfStepTypes(): readonly (readonly [type: string, text: string])[] {
  return Object.entries(STEP_DEFINITIONS).flatMap(([type, definition]) => {
    const { label, purpose, words, trigger, casesLabel, fields } = definition as unknown as StepDefinition<
      z.ZodObject,
      string
    >
    const ofFields = Object.values(fields)
      .flatMap((faces) => faces)
      .flatMap(({ label: own, hint, example, noun, options = {} }) => [
        own,
        hint,
        example,
        noun,
        ...(options === 'values' ? [] : Object.values(options).flat()),
      ])
    return [label, purpose, words, trigger?.hint, casesLabel, ...ofFields]
      .filter((text) => text !== undefined && !TERMS.has(text))
      .map((text) => [type, String(text)] as const)
  })
}

/** Choices that are names. */
const TERMS: ReadonlySet<unknown> = new Set(['Base64', 'CSV', 'JSON', 'Latin 1', 'UTF-8', 'XML'])

const NOTHING: Node = { type: 'ObjectExpression', start: 0, properties: [] }

/** `{{name}}`, not `{{ web1.id }}`, which is a template and stays as it is. */
export function placeholdersOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ''))].toSorted()
}

function countNoun([, one, many]: readonly Node[], use: (key: string) => void): void {
  const noun = many === undefined ? literalOf(one) : literalOf(many)
  if (noun === null) return
  const other = `{{count}} ${many === undefined ? `${noun}s` : noun}`
  use(`${other}_one`)
  use(`${other}_other`)
}

/** The possible values of an expression: both sides of a choice, not its condition. */
function branchesOf(node: Node | undefined): readonly Node[] {
  if (node === undefined) return []
  if (node.type === 'ConditionalExpression')
    return [...branchesOf(node['consequent'] as Node), ...branchesOf(node['alternate'] as Node)]
  if (node.type === 'LogicalExpression')
    return [...branchesOf(node['left'] as Node), ...branchesOf(node['right'] as Node)]
  return [node]
}

/** The words of a template literal. */
function templateOf(node: Node): string | null {
  if (node.type !== 'TemplateLiteral') return null
  const words = (node['quasis'] as Node[]).map(({ value }) => (value as { cooked: string }).cooked).join(' ')
  return words.replaceAll(/\{\{[^}]*\}\}/g, '')
}

function literalOf(node: Node | undefined): string | null {
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null
}

function valueOf(node: Node | undefined): Node | undefined {
  return node?.type === 'JSXExpressionContainer' ? (node['expression'] as Node) : node
}

/** Names of the values if they can be read from the call; otherwise null. */
function namesOf(node: Node | undefined): readonly string[] | null {
  if (node?.type !== 'ObjectExpression') return null
  const properties = node['properties'] as Node[]
  if (properties.some(({ type }) => type !== 'Property')) return null
  return properties.map(({ key }) => String((key as Node)['name'] ?? (key as Node)['value']))
}

/** Names that are the same in every language. */
const NAMES = new Set(['Millrace', 'English', 'Deutsch', 'Alt'])

function isSentence(text: string): boolean {
  return isWords(text) && (/^\p{Lu}\p{Ll}/u.test(text) || /\p{L}{2} \p{L}{2}/u.test(text))
}

function isWords(text: string): boolean {
  if (NAMES.has(text.trim()) || /^\p{Lu}+$/u.test(text) || text.startsWith('?')) return false
  return /\p{L}{2}/u.test(text) && !/^\s*[\w.-]*[_./][\w./-]*\s*$/.test(text)
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (value): value is Node =>
        typeof value === 'object' && value !== null && 'type' in value && 'start' in value,
    )
}
