import { z } from 'zod'
import { template } from '../parts/fields.ts'
import { textOrFileFields } from '../parts/text-or-file.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const markdown = stepType({
  family: 'files',
  label: 'Markdown',
  purpose: 'Converts Markdown to HTML, and HTML to Markdown',
  words: 'markdown md html render convert format text llm',
  icon: 'file-type',
  refId: 'converted',
  config: z
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
      examples: [{ text: '# Order {{ web1.order_id }}\n\nThank you for your **order**.' }],
    }),
  fields: {
    to: {
      label: 'Direction',
      options: {
        html: ['Markdown to HTML', 'HTML in it is shown as text'],
        markdown: ['HTML to Markdown', 'Scripts and styles are left out'],
      },
    },
    ...textOrFileFields,
  },
  result: z.string().describe('The HTML or Markdown as a string.'),
  sample: { config: { text: '# Order {{ web1.order_id }}\n\nThank you for your **order**.', to: 'html' } },
  summary: (config, { t }) => shown(config.file_id ?? config.text, t('no text yet')),
})
