/** Questions that runs ask people. */
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { idParams, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'

export const runQuestion = z.object({
  id: z.string().describe('ID of the question.'),
  ref_id: z.string().meta(doc('Reference name of the step that asks.', 'approval')),
  question: z.string().meta(doc('Heading of its page.', 'Pay invoice 4711?')),
  choices: z
    .array(z.string())
    .describe('Labels of the buttons. Empty if there is only one button without its own label.')
    .meta({ examples: [['Approve', 'Reject']] }),
  has_fields: z.boolean().describe('Whether its page has fields to fill in, besides the buttons.'),
  url: z.string().describe('Link to the page, on this computer. Whoever has it can answer, once.'),
  public_url: z
    .string()
    .nullable()
    .meta(doc('Link to the page for other devices. Null if there is no public URL.', null)),
  asked_at: timestamp.describe('When it was asked, in UTC.').meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  expires_at: timestamp.meta(doc('When the link expires, in UTC.', '2026-03-08T12:00:00.000Z')),
})
export type RunQuestion = z.output<typeof runQuestion>

/** Anybody who can read the links can answer, so permission to read runs isn't enough. */
export const listRunQuestionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/questions',
  name: 'list_questions_of_flow_run',
  summary: 'List the questions of a run that wait for an answer, with their links',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  result: z.array(runQuestion),
})

export const questionRoutes = {
  listRunQuestionsRoute,
}
