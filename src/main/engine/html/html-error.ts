/** A problem with the HTML, with Markdown, or with a selector. */
export class HtmlError extends Error {
  override readonly name = 'HtmlError'
  /** The field of the step's config, if it isn't the text: `fields.price.selector`. */
  readonly field: string | null

  constructor(message: string, field: string | null = null) {
    super(message)
    this.field = field
  }
}
