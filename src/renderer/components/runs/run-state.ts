import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { State } from '../values/status-badge.tsx'

/**
 * The state to show. A success is in doubt if a list that was read may be incomplete. A run that asks a person is
 * waiting; one at a breakpoint has stopped.
 */
export function stateOf({
  status,
  warnings,
  asks,
  stopped,
}: Pick<FlowRun | FlowRunStep, 'status' | 'warnings'> & Pick<FlowRun, 'asks' | 'stopped'>): State {
  if (stopped === true) return 'stopped'
  if (asks === true) return 'waiting'
  return status === 'success' && warnings.some((warning) => warning.in_doubt === true) ? 'in_doubt' : status
}
