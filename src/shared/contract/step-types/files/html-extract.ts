import { doc } from '../../base/doc.ts'
import { say, fault } from '../../base/message.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { template, flag } from '../parts/fields.ts'
import { textOrFileFields } from '../parts/text-or-file.ts'
import { stepType, shown, type FieldProblem } from '../parts/step-type.ts'
import { objectOf, asObject } from '../parts/values.ts'

const TAKES = ['text', 'own_text', 'html', 'attribute', 'value'] as const

const selector = text(1_000)

const MOST_FIELDS = 50

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
      .describe('CSS selector of the element, such as `.price`. Leave empty for the element around it.'),
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
  .refine(
    (given) => Object.keys(given).length <= MOST_FIELDS,
    fault('must have at most {{limit}} fields', { limit: MOST_FIELDS }),
  )

export const htmlExtract = stepType({
  family: 'files',
  label: 'Read HTML',
  purpose: 'Reads values from a web page with CSS selectors',
  words: 'scrape scraper scraping crawl web page website html css selector extract parse table links xpath',
  icon: 'scan-text',
  refId: 'extracted',
  config: z
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
        'Fields by name, each an object with `selector`, `take` (`text`, `own_text`, `html`, `attribute` or `value`), `attribute`, `list`, and `fields` for nested ones. Strings in them aren’t templates.',
      ),
    })
    .meta(
      doc('Reads values from HTML with CSS selectors.', {
        text: '<li><a href="/tea">Tea</a> <b>4.50</b></li><li><a href="/cake">Cake</a> <b>3.00</b></li>',
        each: 'li',
        fields: {
          name: { selector: 'a' },
          url: { selector: 'a', take: 'attribute', attribute: 'href' },
          price: { selector: 'b' },
        },
      }),
    ),
  fields: {
    ...textOrFileFields,
    each: {
      label: 'Rows',
      optional: true,
      hint: 'CSS selector of the elements that become records, for example table tr. Leave empty to read one object.',
      placeholder: 'ul.products > li',
    },
    fields: {
      label: 'Fields',
      plain: true,
      hint: 'CSS selectors, for example .price. Leave empty for the row itself.',
    },
  },
  result: json.describe('An object with the fields or, with `each`, a list of such objects.'),
  resultOf: ({ each, fields }) => (each ? undefined : objectOf(Object.entries(asObject(fields)))),
  rules: ({ fields }) => fieldProblems('config.fields', fields),
  first: { fields: {} },
  sample: {
    config: {
      text: '{{ web1.html }}',
      each: 'ul.products > li',
      fields: {
        name: { selector: 'h3' },
        price: { selector: '.price' },
        url: { selector: 'a', take: 'attribute', attribute: 'href' },
      },
    },
  },
  summary: (config, { t }) =>
    shown(config.each, Object.keys(config.fields ?? {}).join(', ') || t('no fields yet')),
})

function fieldProblems(place: string, extracted: Readonly<Record<string, ExtractedField>>): FieldProblem[] {
  return Object.entries(extracted).flatMap(([name, { take, attribute, fields: inner }]): FieldProblem[] => [
    ...(take === 'attribute' && !attribute
      ? [[`${place}.${name}.attribute`, say('is required if "take" is attribute')] as const]
      : []),
    ...(inner === undefined ? [] : fieldProblems(`${place}.${name}.fields`, inner)),
  ])
}

export type HtmlExtract = z.output<typeof htmlExtract.config>
