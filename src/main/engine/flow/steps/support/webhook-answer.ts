import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import type { Data } from '@millrace/jinja/data'
import { renderTemplate, TemplateError } from '@millrace/jinja'
import {
  buildWebhookResponse,
  constantHeaderProblem,
  constantStatusProblem,
  HeaderError,
  type ResponseConfig,
  type WebhookResponse,
} from '../../../webhook/build-response.ts'
import type { CompiledStep } from '../../model/compiled-step.ts'
import { toStepError } from '../../model/to-step-error.ts'

/** The fields of the step's config that define a response. */
export interface AnswerFields {
  readonly statusCode: string
  readonly body: string
  readonly headers: string
}

/** Problems with a status and headers that aren't templates. */
export function constantProblems(
  { statusCode, headers }: Pick<ResponseConfig, 'statusCode' | 'headers'>,
  fields: AnswerFields,
): FieldProblem[] {
  const status = constantStatusProblem(statusCode)
  return [
    ...(status === undefined ? [] : [[fields.statusCode, status] as const]),
    ...Object.entries(headers).flatMap(([name, template]): FieldProblem[] => {
      const problem = constantHeaderProblem(name, template)
      return problem === undefined ? [] : [[`${fields.headers}["${name}"]`, problem]]
    }),
  ]
}

export const WEBHOOK_FIELDS: AnswerFields = {
  statusCode: 'config.response_status_code',
  body: 'config.response_body',
  headers: 'config.response_headers',
}

export function webhookResponse({
  response_status_code: statusCode,
  response_body: body,
  response_headers: headers,
}: StepConfig<'webhook'>): ResponseConfig {
  return { statusCode, body, headers }
}

/** A page for a person. Values that people have entered can't become part of its HTML. */
export function pageResponse({ response_body: body }: StepConfig<'form_trigger'>): ResponseConfig {
  return {
    statusCode: 200,
    body: `{% autoescape true %}${body}{% endautoescape %}`,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  }
}

export type { ResponseConfig } from '../../../webhook/build-response.ts'

/**
 * Renders the response for a waiting caller from the results so far.
 *
 * @throws StepError naming the field
 */
export function renderAnswer(
  step: CompiledStep,
  config: ResponseConfig,
  fields: AnswerFields,
  context: Readonly<Record<string, Data>>,
): WebhookResponse {
  try {
    return buildWebhookResponse(config, context)
  } catch (error) {
    throw toStepError(error, step, fieldOf(error, config, fields, context))
  }
}

/** Finds the failing template by rendering each one again, since only the error case may be slow. */
function fieldOf(
  error: unknown,
  { statusCode, body, headers }: ResponseConfig,
  fields: AnswerFields,
  context: Readonly<Record<string, Data>>,
): string {
  if (error instanceof HeaderError) return headerField(fields, error.header)
  if (!(error instanceof TemplateError)) return fields.statusCode
  const headerFields = Object.keys(headers).map(
    (name) => [headerField(fields, name), headers[name] ?? ''] as const,
  )
  const sources = [[fields.statusCode, String(statusCode)] as const, ...headerFields]
  const [field] = sources.find(([, source]) => fails(source, context)) ?? [fields.body, body]
  return field
}

function headerField(fields: AnswerFields, name: string): string {
  return `${fields.headers}["${name}"]`
}

function fails(source: string, context: Readonly<Record<string, Data>>): boolean {
  try {
    renderTemplate(source, context)
    return false
  } catch {
    return true
  }
}
