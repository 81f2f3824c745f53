import { z } from 'zod'
import { json, jsonObject, text } from './common.ts'
import { defineRoute } from './route.ts'

export const renderTemplateRoute = defineRoute({
  method: 'POST',
  path: '/v1/templates/render',
  summary: 'Render a template with a context, or with the results of a flow run',
  access: 'any-token',
  status: 200,
  body: z
    .strictObject({
      template: text(5_242_880),
      context: jsonObject.optional(),
      flow_run_id: z.string().optional(),
      native: z.boolean().default(false),
    })
    .refine(({ context, flow_run_id: id }) => context === undefined || id === undefined, {
      error: 'is given beside flow_run_id; send one of them',
      path: ['context'],
    }),
  bodyLimit: 'large',
  result: z.object({ output: json }),
})
