/** The result of each step as the editor knows it: from a run, a single-step run, a pin, or typed. */
import type { FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import type { ScopeName } from '../../../../shared/contract/templates.ts'
import { HTTP_TRIGGER_TYPES, LOOP_TYPES, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import { requestTrigger } from '../../../../shared/request-trigger.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { declaredNode, describedNode, nodeOf } from '../../../lib/scope.ts'
import type { ScopeNode } from '../../../lib/scope.ts'
import type { DataSource, LoopValues } from './assist-store.ts'
import { declaredFields } from '../model/declared-fields.ts'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import { findStep, stepsBefore, walkSteps } from '../model/step-tree.ts'

export interface KnownValues {
  readonly records: Readonly<Record<string, FlowRunStep>>
  readonly alone: Readonly<Record<string, FlowRunStep>>
  readonly pins: Readonly<Record<string, unknown>>
  readonly source: DataSource
  readonly plugins: Plugins
}

/** Values that override those of the run, for the steps named in the text. */
export function valuesOver(
  steps: readonly Step[],
  { alone, pins, source }: Omit<KnownValues, 'records' | 'plugins'>,
  template: string,
): Record<string, unknown> {
  const ran = Object.entries(alone).filter(([, step]) => step.status === 'success')
  const over = {
    ...Object.fromEntries(ran.map(([refId, step]) => [refId, step.output])),
    ...pins,
    ...chosenValues(steps, source),
  }
  const names = new Set(template.match(/[A-Za-z_]\w*/g))
  // A loop's item comes from the loop's list, which the text doesn't name.
  const needsAll = names.has('item') || names.has('index')
  return Object.fromEntries(Object.entries(over).filter(([refId]) => needsAll || names.has(refId)))
}

function chosenValues(steps: readonly Step[], source: DataSource): Readonly<Record<string, unknown>> {
  if (source.kind === 'typed') return source.values
  const trigger = requestTrigger(steps) ?? steps[0]
  return source.kind === 'request' && trigger !== undefined ? { [trigger.ref_id]: source.input } : {}
}

/** The value of a step; undefined if unknown. */
function valueOf(steps: readonly Step[], refId: string, known: KnownValues): unknown {
  const chosen = chosenValues(steps, known.source)
  if (Object.hasOwn(chosen, refId)) return chosen[refId]
  if (Object.hasOwn(known.pins, refId)) return known.pins[refId]
  const record = known.alone[refId] ?? known.records[refId]
  return record?.status === 'success' ? record.output : undefined
}

/** What the templates of one field can read: loop names, then steps with the nearest first, then variables. */
export function readableScope(
  steps: readonly Step[],
  { refId, field }: { readonly refId: string; readonly field: string },
  known: KnownValues,
  described: readonly ScopeName[] = [],
  loopValues?: LoopValues,
): readonly ScopeNode[] {
  const rootsFrom = (from: ScopeName['from']) =>
    described
      .filter((name) => name.from === from && !/[.[]/.test(name.path))
      .map(({ path }) => describedNode(path, described))
  const results = readableSteps(steps, refId, field).map((step) => {
    const value = valueOf(steps, step.ref_id, known)
    return value === undefined
      ? declaredNode(step.ref_id, declaredFields(step, known.plugins))
      : nodeOf(step.ref_id, value)
  })
  const ofLoop =
    loopValues === undefined
      ? rootsFrom('loop')
      : [nodeOf('item', loopValues.item), nodeOf('index', loopValues.index)]
  return [...ofLoop, ...results, ...commonName(steps, refId, known), ...rootsFrom('env')]
}

/** The name that all triggers have, in a flow with several of them. */
function commonName(steps: readonly Step[], refId: string, known: KnownValues): readonly ScopeNode[] {
  const triggers = triggersOf(steps)
  if (triggers.length < 2 || triggers.some((step) => step.ref_id === refId)) return []
  const started = triggers.find((step) => valueOf(steps, step.ref_id, known) !== undefined)
  if (started === undefined) return [declaredNode('trigger', { ref_id: 'str', type: 'str', output: 'dict' })]
  const { ref_id, type } = started
  return [nodeOf('trigger', { ref_id, type, output: valueOf(steps, ref_id, known) })]
}

/** The lists of the step and of the loops around it, as one string; when it changes, so does the item. */
export function oversAround(steps: readonly Step[], refId: string): string {
  const place = findStep(steps, refId)?.path ?? []
  return walkSteps(steps)
    .filter(({ path }) => path.length <= place.length && path.every((part, at) => part === place[at]))
    .map(({ step: { config } }) => JSON.stringify(config.over ?? config.for_each) ?? '')
    .join('\n')
}

/** A webhook's response is rendered after the last step, a loop's collected value after its last step. */
function readableSteps(steps: readonly Step[], refId: string, field: string): readonly Step[] {
  const place = findStep(steps, refId)
  if (place === undefined) return []
  if (HTTP_TRIGGER_TYPES.includes(place.step.type))
    return walkSteps(steps)
      .map(({ step }) => step)
      .toReversed()
  // Triggers can't read each other, because only one of them starts a run.
  if (triggersOf(steps).includes(place.step)) return []
  const before = stepsBefore(steps, place.path)
  const isPerTurn = LOOP_TYPES.includes(place.step.type) && /^config\.(?:collect|when)/.test(field)
  const own = isPerTurn ? walkSteps(place.step.steps ?? []).map(({ step }) => step) : []
  return [...before, ...own].toReversed()
}
