/** The position of a template in a flow, and the values it can read there. */
import { can } from '../../../../shared/contract/base/route.ts'
import { hasCallback, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import { type Step, step as stepShape } from '../../../../shared/contract/steps.ts'
import type { ScopeName, TemplatePreview } from '../../../../shared/contract/templates.ts'
import { type Data, isList } from '@millrace/jinja/data'
import { visitSteps } from '../../../engine/flow/definition/walk-steps.ts'
import { withTriggerName } from '../../../engine/flow/run/trigger-name.ts'
import { reachOf, readsJob, readsRequest } from '../../../engine/flow/definition/reach.ts'
import { JinjaEnvironment, TemplateError, timeLimit } from '@millrace/jinja/environment'
import type { Store } from '../../../store/index.ts'
import type { Authorization } from '../../keeping/access/authorization.ts'
import type { ChosenRecords } from '../../keeping/access/chosen-records.ts'
import type { Env } from '../../keeping/env/env.ts'
import { type Caller, may } from '../../kit/caller.ts'
import { indexInList, type LoopTurn, turnsOf } from '../../kit/loop-turn.ts'
import { flowNotFound, runNotFound } from '../../kit/not-found.ts'

/** Has half of a run's limits, because the whole process waits for a preview, and no run depends on it. */
export const PREVIEW = new JinjaEnvironment({
  limits: {
    get milliseconds() {
      return timeLimit() / 2
    },
  },
})

export interface TemplatePlace {
  readonly flow_id?: string | undefined
  readonly ref_id?: string | undefined
  readonly field?: string | undefined
  readonly flow_run_id?: string | undefined
  readonly iteration?: string | undefined
}

export interface TemplateScope {
  /** Names that can be read here, whether or not their value is known. */
  readonly names: ReadonlyMap<string, ScopeName['from']>
  /** Steps that haven't run yet when the template is rendered. */
  readonly later: ReadonlySet<string>
  readonly loops: TemplatePreview['loops']
  readonly values: Readonly<Record<string, unknown>>
}

export interface TemplatePlacesOptions {
  readonly authorization: Pick<Authorization, 'authorize'>
  readonly chosenRecords: Pick<ChosenRecords, 'requireFlow' | 'requireRun'>
  readonly store: Pick<Store, 'flows'>
  readonly resultsOfRun: RunResults
  readonly env: Pick<Env, 'shown'>
}

/** Results of a run by `ref_id`, as the history shows them; null if the run doesn't exist. */
type RunResults = (id: string, turn?: LoopTurn) => Readonly<Record<string, unknown>> | null

/** @throws AppError `not_found`, `forbidden` */
export type SurveyPlace = (
  caller: Caller,
  place: TemplatePlace,
  given?: Readonly<Record<string, unknown>>,
) => TemplateScope

export function createTemplatePlaces(options: TemplatePlacesOptions) {
  const { authorization, chosenRecords, store, resultsOfRun, env } = options

  function stepsOf(caller: Caller, flowId: string): readonly Step[] {
    authorization.authorize(can('flows', 'read'), caller)
    chosenRecords.requireFlow(caller, flowId)
    const flow = store.flows.get(flowId)
    if (flow === null) throw flowNotFound(flowId)
    const copy = store.flows.workingCopy(flowId)
    return copy === null ? flow.steps : readableSteps(copy.steps)
  }

  function resultsOf(caller: Caller, runId: string, turn?: LoopTurn): Readonly<Record<string, unknown>> {
    authorization.authorize(can('flow_runs', 'read'), caller)
    chosenRecords.requireRun(caller, runId)
    const results = resultsOfRun(runId, turn)
    if (results === null) throw runNotFound(runId)
    return results
  }

  /** Any token can try a template; the user's variables require permission to read them. */
  function envOf(caller: Caller): Readonly<Record<string, Data>> {
    return env.shown(may(caller, 'env_variables', 'read'))
  }

  const survey: SurveyPlace = (caller, place, given = {}) => {
    const { flow_id: flowId, ref_id: refId = '', field = '', flow_run_id: runId, iteration } = place
    const steps = flowId === undefined ? [] : stepsOf(caller, flowId)
    const reach = reachOf(steps, refId, field)
    const turn = { loops: reach?.loops ?? [], iteration: turnsOf(iteration) }
    const results = runId === undefined ? {} : resultsOf(caller, runId, turn)
    const envValues = envOf(caller)
    const known = withTriggerName(steps, { ...envValues, ...results, ...given })
    const { values, loops } = withLoopNames(known, turn)
    const names = new Map<string, ScopeName['from']>()
    for (const ref of reach?.before.toReversed() ?? Object.keys(results)) names.set(ref, 'step')
    for (const name of Object.keys(given)) if (!names.has(name)) names.set(name, 'step')
    if ((reach?.loops.length ?? 0) > 0) for (const name of ['item', 'index']) names.set(name, 'loop')
    for (const name of Object.keys(envValues)) if (!names.has(name)) names.set(name, 'env')
    const step = [...visitSteps(steps)].find((visit) => visit.step.ref_id === refId)?.step
    if (step !== undefined && readsJob(step, field))
      for (const name of ['job', 'poll']) names.set(name, 'step')
    if (
      triggersOf(steps).length > 1 &&
      !names.has('trigger') &&
      !readsRequest({ type: step?.type ?? '' }, field)
    )
      names.set('trigger', 'step')
    const callbacks = [...eachWithCallback(steps)]
    if (callbacks.length === 0) return { names, later: new Set(reach?.later), loops, values }
    names.set('callbacks', 'step')
    const urls = Object.fromEntries(callbacks.map(({ ref_id: ref }) => [ref, { url: SAMPLE_URL }]))
    return { names, later: new Set(reach?.later), loops, values: { callbacks: urls, ...values } }
  }
  return { survey, resultsOf, envOf }
}

function* eachWithCallback(steps: readonly Step[]): Generator<Step> {
  for (const { step } of visitSteps(steps)) if (hasCallback(step.type)) yield step
}

/** Stands in for a URL that only a run has. */
const SAMPLE_URL = 'https://example.test/callback'

/** The editor's steps can be incomplete: invalid ones are skipped. */
function readableSteps(sources: readonly unknown[]): readonly Step[] {
  return sources.flatMap((source) => {
    const result = stepShape.safeParse(source)
    return result.success ? [result.data] : []
  })
}

/** Adds `item` and `index` of the chosen iteration of each loop, from the list it iterates over. */
function withLoopNames(
  given: Readonly<Record<string, unknown>>,
  { loops, iteration }: LoopTurn,
): Pick<TemplateScope, 'values' | 'loops'> {
  let values = given
  const turns: TemplateScope['loops'] = []
  for (const [depth, { ref_id, config }] of loops.entries()) {
    const list = listOf(config['over'] ?? config['for_each'], values)
    if (!list?.length) break
    const index = indexInList(iteration[depth], list.length)
    turns.push({ ref_id, index, count: list.length })
    values = { ...values, item: list[index], index }
  }
  return { values, loops: turns }
}

function listOf(over: unknown, values: Readonly<Record<string, unknown>>): readonly Data[] | null {
  if (typeof over !== 'string') return isList(over as Data) ? (over as Data[]) : null
  try {
    const value = PREVIEW.evaluate(over, values)
    return isList(value) ? value : null
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
