/** Steps that work with HTML and Markdown. */
import { z } from 'zod'
import { text } from '../base/common.ts'
import { flag, template } from './fields.ts'

const TAKES = ['text', 'own_text', 'html', 'attribute', 'value'] as const

const selector = text(1_000)
const MOST_FIELDS = 100

export interface ExtractedField {
  selector: string
  take: (typeof TAKES)[number]
  attribute?: string | undefined
  list: boolean
  fields?: Record<string, ExtractedField> | undefined
}
type GivenField = { [K in keyof Omit<ExtractedField, 'fields'>]?: ExtractedField[K] | undefined } & {
  fields?: Record<string, GivenField> | undefined
}

const field: z.ZodType<ExtractedField, GivenField> = z.lazy(() =>
  z.strictObject({
    selector: selector
      .default('')
      .describe('CSS selector of the element, such as `.price`. Empty: the element around it.'),
    take: z
      .enum(TAKES)
      .default('text')
      .describe(
        '`text` (with that of inner elements), `own_text` (without), the `html` inside, an `attribute`, or `value`, which a form would send.',
      ),
    attribute: text(200).optional().describe('For `attribute`: its name, such as `href`.'),
    list: flag.default(false).describe('True returns all elements as a list, false the first or null.'),
    fields: fields.optional().describe('Fields within the element: it becomes an object with them.'),
  }),
)

const fields: z.ZodType<Record<string, ExtractedField>, Record<string, GivenField>> = z
  .record(text(200), field)
  .refine((given) => Object.keys(given).length <= MOST_FIELDS, `must have at most ${MOST_FIELDS} fields`)

export const htmlExtract = z
  .strictObject({
    text: template.optional().describe('The HTML. Either this or `file_id`.'),
    file_id: template
      .nullable()
      .optional()
      .describe('ID of an HTML file, uploaded or received with a request. Either this or `text`.'),
    each: selector
      .min(1)
      .optional()
      .describe('CSS selector of the rows, such as `table tr`. Without it, the fields are read once.'),
    fields: fields.describe(
      'Fields by name, each an object with `selector`, `take` (`text`, `own_text`, `html`, `attribute` or `value`), `attribute`, `list`, and `fields` for those within. Not templates.',
    ),
  })
  .meta({
    description: 'Reads values from HTML with CSS selectors.',
    result: 'An object with the fields, or with `each` a list of such objects.',
    examples: [
      {
        text: '<li><a href="/tea">Tea</a> <b>4.50</b></li><li><a href="/cake">Cake</a> <b>3.00</b></li>',
        each: 'li',
        fields: {
          name: { selector: 'a' },
          url: { selector: 'a', take: 'attribute', attribute: 'href' },
          price: { selector: 'b' },
        },
      },
    ],
  })

export type HtmlExtract = z.output<typeof htmlExtract>

export const markdown = z
  .strictObject({
    text: template
      .optional()
      .describe('The Markdown, or the HTML if `to` is `markdown`. Either this or `file_id`.'),
    file_id: template
      .nullable()
      .optional()
      .describe('ID of a file, uploaded or received with a request. Either this or `text`.'),
    to: z
      .enum(['html', 'markdown'])
      .default('html')
      .describe('`html` renders Markdown, `markdown` writes HTML as Markdown.'),
  })
  .meta({
    description:
      'Renders Markdown as HTML, or writes HTML as Markdown. HTML in Markdown is shown as text; links other than to http, https and mailto are left out.',
    result: 'The HTML or Markdown as a string.',
    examples: [{ text: '# Order {{ web1.order_id }}\n\nThank you for your **order**.' }],
  })
