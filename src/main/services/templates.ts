/** Previews of templates: with a typed context, or with what a flow run left. */
import type { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { can } from '../../shared/contract/route.ts'
import type { renderTemplateRoute } from '../../shared/contract/templates.ts'
import type { Data } from '../engine/data/value.ts'
import { evaluateTemplate, renderTemplate, TemplateError } from '../engine/template/index.ts'
import type { Authorization, Caller } from './authorization.ts'

export interface TemplatesService {
  /** @throws AppError `template_error` with line, column, token and hint */
  render(caller: Caller, body: z.output<typeof renderTemplateRoute.body>): { output: Data }
}

export interface TemplatesOptions {
  readonly authorization: Pick<Authorization, 'authorize'>
  /** Results of a run by `ref_id`, as the history shows them; null where there is no such run. */
  readonly resultsOfRun: (id: string) => Readonly<Record<string, unknown>> | null
  /** Env values by name. */
  readonly env: () => Readonly<Record<string, Data>>
}

export function createTemplatesService({
  authorization,
  resultsOfRun,
  env,
}: TemplatesOptions): TemplatesService {
  function contextOf(caller: Caller, id: string): Readonly<Record<string, unknown>> {
    authorization.authorize(can('flow_runs', 'read'), caller)
    const results = resultsOfRun(id)
    if (results === null) throw new AppError('not_found', `There is no flow run "${id.slice(0, 60)}"`)
    return { ...env(), ...results }
  }

  return {
    render(caller, { template, context = {}, flow_run_id: runId, native }) {
      const values = runId === undefined ? context : contextOf(caller, runId)
      try {
        return { output: native ? evaluateTemplate(template, values) : renderTemplate(template, values) }
      } catch (error) {
        throw toAppError(error)
      }
    },
  }
}

/** A template's own error as the caller's; what is no template error is a defect and stays one. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error
  const { message, line, column, token, hint } = error
  return new AppError('template_error', message, { data: { line, column, token, hint }, cause: error })
}
