import { joinLines } from '../../../shared/trim.ts'
import { type AnyNode, type Document, isTag, isText } from 'domhandler'
import TurndownService, { type TurndownNode } from 'turndown/lib/turndown.browser.cjs.js'
import { parseHtml } from './parse-html.ts'
import { isSafeUrl } from './safe-url.ts'

/** Writes HTML as Markdown, with tables. Scripts, styles and links that could run code are left out. */
export function htmlToMarkdown(html: string): string {
  return turndown.turndown(treeOf(parseHtml(html)))
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
})
  .remove(['script', 'style', 'template', 'noscript', 'head', 'iframe', 'object'])
  .addRule('strikethrough', {
    filter: ['del', 's', 'strike'],
    replacement: (content) => `~~${content}~~`,
  })
  .addRule('cell', {
    filter: ['th', 'td'],
    replacement: (content) => ` ${joinLines(content.trim()).replaceAll('|', String.raw`\|`)} |`,
  })
  .addRule('row', {
    filter: 'tr',
    replacement(content, row) {
      const cells = content.match(/(?<!\\)\|/g)?.length ?? 0
      return `\n|${content}${isFirstRow(row) ? `\n|${' --- |'.repeat(cells)}` : ''}`
    },
  })
  .addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  .addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })

/** Markdown tables must have a heading, so the first row becomes one. */
function isFirstRow(row: TurndownNode): boolean {
  const { parentNode: parent } = row
  if (previousElement(row) !== null) return false
  return parent === null || parent.nodeName === 'TABLE' || previousElement(parent)?.nodeName !== 'THEAD'
}

function previousElement(node: TurndownNode): TurndownNode | null {
  let before = node.previousSibling
  while (before !== null && before.nodeName === '#text') before = before.previousSibling
  return before
}

function treeOf(document: Document): TreeNode {
  const root = new TreeNode(1, 'BODY', '', {})
  for (const child of document.children) addTo(root, child)
  return root
}

function addTo(parent: TreeNode, node: AnyNode): void {
  if (isText(node)) parent.append(new TreeNode(3, '#text', node.data, {}))
  else if (isTag(node)) {
    const element = new TreeNode(1, node.name.toUpperCase(), '', node.attribs)
    parent.append(element)
    for (const child of node.children) addTo(element, child)
  }
}

/** The part of a DOM that turndown uses. It first removes whitespace, and then only reads. */
class TreeNode implements TurndownNode {
  readonly nodeType: number
  readonly nodeName: string
  data: string
  parentNode: TreeNode | null = null
  previousSibling: TreeNode | null = null
  nextSibling: TreeNode | null = null
  firstChild: TreeNode | null = null
  lastChild: TreeNode | null = null
  readonly #attributes: Readonly<Record<string, string>>
  #childNodes: readonly TreeNode[] | null = null
  #children: readonly TreeNode[] | null = null

  constructor(
    nodeType: number,
    nodeName: string,
    data: string,
    attributes: Readonly<Record<string, string>>,
  ) {
    this.nodeType = nodeType
    this.nodeName = nodeName
    this.data = data
    this.#attributes = attributes
  }

  get nodeValue(): string {
    return this.data
  }

  get childNodes(): readonly TreeNode[] {
    if (this.#childNodes !== null) return this.#childNodes
    const nodes: TreeNode[] = []
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node)
    this.#childNodes = nodes
    return nodes
  }

  /** Only the elements among the child nodes. */
  get children(): readonly TreeNode[] {
    this.#children ??= this.childNodes.filter(({ nodeType }) => nodeType === 1)
    return this.#children
  }

  get lastElementChild(): TreeNode | null {
    return this.children.at(-1) ?? null
  }

  get textContent(): string {
    if (this.nodeType === 3) return this.data
    return this.childNodes.map((node) => node.textContent).join('')
  }

  getAttribute(name: string): string | null {
    const value = Object.hasOwn(this.#attributes, name) ? (this.#attributes[name] ?? null) : null
    const isLink = (this.nodeName === 'A' && name === 'href') || (this.nodeName === 'IMG' && name === 'src')
    return isLink && value !== null && !isSafeUrl(value) ? null : value
  }

  getElementsByTagName(name: string): readonly TreeNode[] {
    return this.children.flatMap((node) => [
      ...(node.nodeName === name ? [node] : []),
      ...node.getElementsByTagName(name),
    ])
  }

  append(node: TreeNode): void {
    node.parentNode = this
    node.previousSibling = this.lastChild
    if (this.lastChild === null) this.firstChild = node
    else this.lastChild.nextSibling = node
    this.lastChild = node
  }

  removeChild(node: TreeNode): void {
    const { previousSibling: before, nextSibling: after } = node
    if (before === null) this.firstChild = after
    else before.nextSibling = after
    if (after === null) this.lastChild = before
    else after.previousSibling = before
    this.#childNodes = null
    this.#children = null
  }

  /** Returns the tree itself, because it is used only once. */
  cloneNode(): TreeNode {
    return this
  }
}
