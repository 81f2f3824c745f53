/** A problem with the HTML, with Markdown, or with a selector. */
export class HtmlError extends Error {
  override readonly name = 'HtmlError'
  /** The field of the step's config, such as `fields.price.selector`; null if the problem is in the text. */
  readonly field: string | null

  constructor(message: string, field: string | null = null) {
    super(message)
    this.field = field
  }
}
