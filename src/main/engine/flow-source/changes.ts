/** The differences between two sources of a flow, by step and field. */
import { CHILD_LISTS } from '../../../shared/contract/base/step-lists.ts'
import {
  type Data,
  dataDifference,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  equalData,
  getKey,
  isDictionary,
  isList,
  writePath,
} from '@millrace/jinja/data'
import type { NormalSource } from './normal-form.ts'

export interface SourceChange {
  /** Reference name of the step; null for the flow itself. */
  readonly step: string | null
  readonly what: 'added' | 'removed' | 'moved' | 'changed'
  /** Path of the changed field; null for a whole step. */
  readonly field: string | null
  readonly before?: Data
  readonly after?: Data
}

export function sourceChanges(before: NormalSource, after: NormalSource): SourceChange[] {
  const own = (source: NormalSource) => dictionaryOf(entriesOf(source).filter(([key]) => key !== 'steps'))
  const [old, current] = [stepsOf(before.steps), stepsOf(after.steps)]
  const changes = fieldChanges(null, own(before), own(after))
  for (const [ref, { step }] of old)
    if (!current.has(ref)) changes.push({ step: ref, what: 'removed', field: null, before: step })
  for (const [ref, { step, inside }] of current) {
    const former = old.get(ref)
    if (former === undefined) {
      changes.push({ step: ref, what: 'added', field: null, after: step })
      continue
    }
    if (former.inside !== inside) changes.push({ step: ref, what: 'moved', field: null })
    changes.push(...fieldChanges(ref, former.step, step))
  }
  return [...changes, ...reordered(old, current)]
}

interface PlacedStep {
  /** The step without the steps nested in it. */
  readonly step: Data
  /** The list that contains the step, such as `loop1.steps`. */
  readonly inside: string
}

type PlacedSteps = ReadonlyMap<string, PlacedStep>

const LISTS: readonly string[] = CHILD_LISTS

function stepsOf(steps: readonly Data[], inside = '', found = new Map<string, PlacedStep>()): PlacedSteps {
  for (const step of steps) {
    if (!isDictionary(step)) continue
    const ref = textAt(step, 'ref_id')
    found.set(ref, { step: withoutChildren(step), inside })
    for (const list of LISTS) {
      const children = getKey(step, list)
      if (isList(children)) stepsOf(children, `${ref}.${list}`, found)
    }
    const cases = getKey(step, 'cases')
    for (const [at, branch] of (isList(cases) ? cases : []).entries()) {
      const children = isDictionary(branch) ? getKey(branch, 'steps') : null
      if (isList(children)) stepsOf(children, `${ref}.cases[${at}]`, found)
    }
  }
  return found
}

function withoutChildren(step: Dictionary): Data {
  const entries = entriesOf(step).flatMap(([key, value]): [string, Data][] => {
    if (LISTS.includes(key)) return []
    const labels = key === 'cases' && isList(value) ? value.map(labelOf) : null
    return [[key, labels ?? value]]
  })
  return dictionaryOf(entries)
}

function textAt(value: Dictionary, key: string): string {
  const held = getKey(value, key)
  return typeof held === 'string' ? held : ''
}

const labelOf = (branch: Data) => (isDictionary(branch) ? (getKey(branch, 'label') ?? null) : branch)

const MOST_CHANGES = 200

function fieldChanges(step: string | null, before: Data, after: Data): SourceChange[] {
  return dataDifference(before, after, MOST_CHANGES).map(({ at, before: left, after: right }) => ({
    step,
    what: left === undefined ? 'added' : right === undefined ? 'removed' : 'changed',
    field: writePath(at),
    ...(left === undefined ? {} : { before: left }),
    ...(right === undefined ? {} : { after: right }),
  }))
}

/** Steps that stayed in their list, but in a different order. */
function reordered(old: PlacedSteps, current: PlacedSteps): SourceChange[] {
  const stayed = (steps: PlacedSteps, others: PlacedSteps) => {
    const lists = new Map<string, string[]>()
    for (const [ref, { inside }] of steps) {
      if (others.get(ref)?.inside === inside) lists.set(inside, [...(lists.get(inside) ?? []), ref])
    }
    return lists
  }
  const former = stayed(old, current)
  return [...stayed(current, old)].flatMap(([inside, refs]): SourceChange[] => {
    const before = former.get(inside) ?? []
    if (equalData(before, refs)) return []
    const first = refs.findIndex((ref, at) => ref !== before[at])
    return [{ step: refs[first] ?? null, what: 'moved', field: null, before, after: refs }]
  })
}
