/** The browser build accepts a tree, and leaves out the parser that the package includes for Node. */
declare module 'turndown/lib/turndown.browser.cjs.js' {
  /** The part of a DOM that turndown needs. */
  export interface TurndownNode {
    readonly nodeName: string
    readonly parentNode: TurndownNode | null
    readonly previousSibling: TurndownNode | null
    readonly nextSibling: TurndownNode | null
    getAttribute(name: string): string | null
  }

  interface Rule {
    readonly filter: string | readonly string[] | ((node: TurndownNode) => boolean)
    replacement(content: string, node: TurndownNode): string
  }

  export default class TurndownService {
    constructor(options: Readonly<Record<string, string>>)
    addRule(name: string, rule: Rule): this
    remove(filter: readonly string[]): this
    turndown(node: TurndownNode): string
  }
}
