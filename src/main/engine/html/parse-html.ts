import { type Document, DomHandler, type ParentNode } from 'domhandler'
import { Parser } from 'htmlparser2'

/** Parses HTML as browsers do, repairing whatever is broken. */
export function parseHtml(text: string): Document {
  const handler = new FlatHandler()
  new Parser(handler).end(text)
  return handler.root
}

/** Elements nested deeper become siblings, as in browsers, so that whatever walks the tree can be recursive. */
class FlatHandler extends DomHandler {
  /** Open elements that would be around the last one. */
  readonly #waiting: ParentNode[] = []

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MOST_NESTED) this.#waiting.push(this.tagStack.pop() as ParentNode)
    super.onopentag(name, attributes)
  }

  override onclosetag(): void {
    super.onclosetag()
    const element = this.#waiting.pop()
    if (element !== undefined) this.tagStack.push(element)
  }
}

const MOST_NESTED = 512
