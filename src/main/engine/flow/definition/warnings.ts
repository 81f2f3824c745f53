import { isStepType, type Step } from '../../../../shared/contract/steps.ts'
import { aboutUnknown } from '../unknown-step.ts'
import type { CheckContext } from '../check/check-context.ts'
import { takesPages } from './takes-pages.ts'
import type { Visit } from './walk-steps.ts'
import { checkConfig } from '../../pagination/index.ts'
import type { Data } from '../../data/value.ts'
import { type FlowProblem, warningAt } from './problem.ts'

/** What about a step can be saved but is likely not meant. */
export function warnOfStep({ step, place, before, loops }: Visit, context: CheckContext): FlowProblem[] {
  const warn = (code: string, field: string, reason: string) => warningAt(place, field, reason, { code })
  const warnings: FlowProblem[] = []
  if ((step.on_error === 'skip_iteration' || step.on_error === 'break_loop') && loops.length === 0) {
    warnings.push(
      warn('no_loop', 'on_error', `is ${step.on_error}, but the step is in no loop; it acts as stop`),
    )
  }
  const { config } = step
  if (!isStepType(step.type)) warnings.push(warn('unknown_step_type', 'type', aboutUnknown(step.type)))
  if (step.type === 'connector_action') {
    warnings.push(
      ...missingRecords(config, context).map(([field, reason]) => warn('missing_record', field, reason)),
      ...pagingOf(config, context).map(({ code, message }) =>
        warn(code, 'config.action', `follows pages as its connector says: ${message}`),
      ),
    )
  }
  if (step.type === 'loop' && config['start'] === 'first_page' && !takesPages(step, before)) {
    const reason = `is first_page, but the loop waits for the whole list: put it right behind the paginated step, and write that step alone in "over", as {{ ${before?.ref_id ?? 'its_ref_id'} }}`
    warnings.push(warn('waits_for_list', 'config.start', reason))
  }
  if (step.type === 'condition' && config['when'] !== undefined && config['comparison'] !== undefined) {
    warnings.push(warn('not_read', 'config.comparison', 'is not looked at, because "when" is given'))
  }
  return warnings
}

/** Warnings about the connector's configuration matter to the flow that pages with it; which names it reads does not. */
function pagingOf(config: Step['config'], context: CheckContext) {
  const { connector_id: connectorId, action: name, retrieve_all_data: wish } = config
  if (typeof connectorId !== 'string' || typeof name !== 'string' || wish === false) return []
  const action = context.findAction(connectorId, name)
  const pagination = action?.supports_automatic_pagination ? context.paginationOf(connectorId) : null
  if (pagination === null) return []
  return checkConfig(pagination as Data, []).problems.filter(({ severity }) => severity === 'warning')
}

/** They may be made after the flow, or be missing after an import. */
function missingRecords(config: Step['config'], context: CheckContext): [field: string, reason: string][] {
  const { connector_id: connectorId, action, auth_id: authId } = config
  if (typeof connectorId !== 'string' || typeof action !== 'string') return []
  if (!context.hasConnector(connectorId))
    return [['config.connector_id', `there is no connector ${connectorId}`]]
  const missing: [string, string][] = []
  if (!context.findAction(connectorId, action)) {
    missing.push(['config.action', `the connector has no action "${action}"`])
  }
  if (typeof authId === 'string' && authId !== '' && !authId.includes('{')) {
    const owner = context.connectorOfAuth(authId)
    if (owner === null) missing.push(['config.auth_id', `there is no connector auth ${authId}`])
    else if (owner !== connectorId)
      missing.push(['config.auth_id', 'is a connector auth for another connector'])
  }
  return missing
}
