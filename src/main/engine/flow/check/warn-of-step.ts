import type { Step } from '../../../../shared/contract/steps.ts'
import type { CheckContext } from './check-context.ts'
import { type FlowProblem, problemAt } from './problem.ts'
import type { Visit } from './visit-steps.ts'

/** What about a step can be saved but is likely not meant. */
export function warnOfStep({ step, place, loops }: Visit, context: CheckContext): FlowProblem[] {
  const warn = (field: string, reason: string) => problemAt(place, field, reason)
  const warnings: FlowProblem[] = []
  if ((step.on_error === 'skip_iteration' || step.on_error === 'break_loop') && loops.length === 0) {
    warnings.push(warn('on_error', `is ${step.on_error}, but the step is in no loop; it acts as stop`))
  }
  const { config } = step
  if (step.type === 'connector_action') {
    warnings.push(...missingRecords(config, context).map(([field, reason]) => warn(field, reason)))
  }
  if (step.type === 'condition' && config['when'] !== undefined && config['comparison'] !== undefined) {
    warnings.push(warn('config.comparison', 'is not looked at, because "when" is given'))
  }
  return warnings
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
