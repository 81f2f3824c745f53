/** The differences between two versions of a flow's steps, in words. */
import type { Step } from '../../../../shared/contract/steps.ts'
import { t } from '../../../lib/i18n.ts'
import { fieldLabel } from './step-errors.ts'
import { walkSteps } from './step-tree.ts'

export interface StepChange {
  readonly refId: string
  /** `Condition changed` */
  readonly words: string
  /** Both texts, if they are short enough to be read. */
  readonly texts?: { readonly before: string; readonly after: string } | undefined
}

const LONGEST_TEXT = 300

/** The changes in the order of the new steps; removed ones come last. */
export function stepChanges(before: readonly Step[], after: readonly Step[]): readonly StepChange[] {
  const [old, now] = [placed(before), placed(after)]
  const kept = [...now].flatMap(([refId, step]): readonly StepChange[] => {
    const was = old.get(refId)
    return was === undefined ? [{ refId, words: t('Step added') }] : changesOf(was, step)
  })
  const removed = [...old.keys()].filter((refId) => !now.has(refId))
  return [...kept, ...removed.map((refId) => ({ refId, words: t('Step removed') }))]
}

interface Placed extends Step {
  /** The list that contains it, and the step before it there. */
  readonly place: string
}

function placed(steps: readonly Step[]): ReadonlyMap<string, Placed> {
  const all = walkSteps(steps)
  const refs = new Map(all.map(({ step, path }) => [path.join('.'), step.ref_id]))
  return new Map(
    all.map(({ step, path }) => {
      // Uses only the names of the surrounding steps, because a position changes with each step before it.
      const around = path.slice(0, -1).map((part, at) => refs.get(path.slice(0, at + 1).join('.')) ?? part)
      return [step.ref_id, { ...step, place: around.join('.') }]
    }),
  )
}

function changesOf(before: Placed, after: Placed): readonly StepChange[] {
  const refId = after.ref_id
  const change = (words: string, texts?: StepChange['texts']): StepChange => ({ refId, words, texts })
  const isConditionChanged = conditionOf(before) !== conditionOf(after)
  const fields = [...new Set([...Object.keys(before.config), ...Object.keys(after.config)])].filter(
    (field) =>
      !(isConditionChanged && CONDITION_FIELDS.has(field)) && differs(before.config, after.config, field),
  )
  const others = (['title', 'description', 'on_error', 'retry'] as const).filter((field) =>
    differs(before, after, field),
  )
  return [
    ...(before.place === after.place ? [] : [change(t('Step moved'))]),
    ...(before.type === after.type ? [] : [change(t('Type changed'), textsOf(before.type, after.type))]),
    ...(before.disabled === after.disabled
      ? []
      : [change(after.disabled ? t('Turned off') : t('Turned on'))]),
    ...(isConditionChanged
      ? [change(t('Condition changed'), textsOf(conditionOf(before), conditionOf(after)))]
      : []),
    ...(labelsOf(before) === labelsOf(after)
      ? []
      : [change(t('Cases changed'), textsOf(labelsOf(before), labelsOf(after)))]),
    ...fields.map((field) =>
      change(
        t('“{{field}}” changed', { field: fieldLabel(after.type, field) }),
        textsOf(before.config[field], after.config[field]),
      ),
    ),
    ...others.map((field) =>
      change(t('“{{field}}” changed', { field }), textsOf(before[field], after[field])),
    ),
  ]
}

const CONDITION_FIELDS: ReadonlySet<string> = new Set(['when', 'a', 'comparison', 'b'])

/** The condition as one text, however it is written. */
function conditionOf({ config: { when, a, comparison, b } }: Step): string {
  if (comparison === undefined) return textOf(when)
  return `${textOf(a)} ${textOf(comparison)} ${textOf(b)}`
}

const labelsOf = ({ cases }: Step) => (cases ?? []).map(({ label }) => label).join(', ')

function differs<T extends object>(before: T, after: T, field: string): boolean {
  return (
    textOf((before as Record<string, unknown>)[field]) !== textOf((after as Record<string, unknown>)[field])
  )
}

function textsOf(before: unknown, after: unknown): StepChange['texts'] {
  const texts = { before: textOf(before), after: textOf(after) }
  return texts.before.length > LONGEST_TEXT || texts.after.length > LONGEST_TEXT ? undefined : texts
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
