/** Stops a run at a breakpoint before a step, until somebody decides how it continues. */
import { say } from '../../../../shared/contract/base/message.ts'
import { evaluateCondition } from '@millrace/jinja'
import { type Data, dictionaryOf, entriesOf, estimateBytes, isDictionary, isList } from '@millrace/jinja/data'
import { withConfig } from '../definition/compile-flow.ts'
import type { CompiledStep, StepScope } from '../model/compiled-step.ts'
import type { RunBreakpoints, StopDecision } from '../model/run-breakpoints.ts'
import { type ResumedStep, stepKey } from '../model/run-events.ts'
import { RunHalt } from '../model/run-halt.ts'
import type { RunState } from './run-state.ts'

/** A step after a decision at its breakpoint. */
export interface Passed {
  readonly step: CompiledStep
  readonly literals: ReadonlySet<string> | null
  /** Undefined if the step is to run. */
  readonly result: Data | undefined
}

/**
 * Stops the run if a breakpoint is due. Returns null if the step runs as it is.
 *
 * @param scope the step's scope, to render its input
 * @throws RunHalt `parked`
 */
export async function passBreakpoint(
  run: RunState,
  breakpoints: RunBreakpoints,
  scope: StepScope & { readonly step: CompiledStep },
  resumed: ResumedStep | undefined,
): Promise<Passed | null> {
  const { step } = scope
  const key = stepKey(step.path, run.iteration)
  const known = breakpoints.decisionAt(key)
  const isDue = known === null && stopsAt(run, breakpoints, step, key, resumed)
  const decision = isDue ? await stop(run, breakpoints, scope, key) : known
  if (decision === null) return null
  run.stepping = decision.do === 'step'
  if (decision.do === 'skip') return { step, literals: null, result: decision.result }
  const { edited } = decision
  if (edited === null) return null
  return { step: withConfig(step, edited.config), literals: edited.literals, result: undefined }
}

function stopsAt(
  run: RunState,
  { conditions, reached }: RunBreakpoints,
  step: CompiledStep,
  key: string,
  resumed: ResumedStep | undefined,
): boolean {
  if (reached.has(key)) return true
  const isInProgress = resumed !== undefined || [...reached].some((one) => isBelow(one, step, run.iteration))
  if (isInProgress || run.unwinding !== null) return false
  if (run.stepping) return true
  const condition = conditions.get(step.ref)
  if (condition === undefined || condition === '') return condition === ''
  try {
    return evaluateCondition(condition, run.context)
  } catch {
    return true // Stop, so that whoever set the breakpoint sees in the data why its condition failed.
  }
}

/** Whether a key is that of a step inside this one, in the same iterations of the loops around it. */
function isBelow(key: string, { path }: CompiledStep, iteration: readonly number[]): boolean {
  const [inner = '', turns = ''] = key.split('#')
  return inner.startsWith(`${path}.`) && iteration.every((turn, at) => turns.split('.')[at] === `${turn}`)
}

async function stop(
  run: RunState,
  breakpoints: RunBreakpoints,
  scope: StepScope & { readonly step: CompiledStep },
  key: string,
): Promise<StopDecision> {
  const { ref, type, config } = scope.step
  for (;;) {
    await run.recorder.commit()
    const id = await breakpoints.stop({ key, refId: ref, type, config, ...shownOf(scope) })
    const decision = breakpoints.decisionAt(key)
    if (decision !== null) return decision
    if (run.resumable) {
      const said = say('Stopped before the step "{{ref}}"', { ref })
      throw new RunHalt('parked', said, run.ports.clock.now() + LONGEST_STOP_MS, { kind: 'stop', id })
    }
    await scope.waitUncounted(() => breakpoints.wait(id, scope.signal))
  }
}

function shownOf(scope: StepScope & { readonly step: CompiledStep }): {
  readonly input: Data
  readonly data: Data
} {
  const config = scope.step.config as Data
  const input = rendered(config, scope)
  return {
    input: isSmall(input) ? input : config,
    data: isSmall(scope.results) ? scope.results : null,
  }
}

/** The rendered value. Templates that can't be rendered now, such as one over the items of a list, stay unchanged. */
function rendered(value: Data, scope: StepScope): Data {
  if (typeof value === 'string') {
    try {
      return scope.evaluate('config', value)
    } catch {
      return value
    }
  }
  if (isList(value)) return value.map((item) => rendered(item, scope))
  if (!isDictionary(value)) return value
  return dictionaryOf(entriesOf(value).map(([key, item]) => [key, rendered(item, scope)]))
}

const isSmall = (value: Data) => estimateBytes(value, MOST_SHOWN_BYTES) <= MOST_SHOWN_BYTES

const MOST_SHOWN_BYTES = 262_144
/** In effect without limit: only a decision continues the run. */
const LONGEST_STOP_MS = 10 * 365 * 86_400_000
