/**
 * Checks a flow in the form of its file, which has names instead of the IDs of connectors and auths, and placeholders
 * for secrets.
 */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowProblem } from '../../../../shared/contract/base/flow-problem.ts'
import { spoken } from '../../../../shared/contract/base/message.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import { CHILD_LISTS } from '../../../../shared/contract/base/step-lists.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { flowSource } from '../../../../shared/contract/flow-files.ts'
import { isRaw, type Raw } from '../../../../shared/contract/base/edit-steps.ts'
import { NAMED_INSTEAD } from '../../../engine/flow-source/normal-form.ts'

export interface SourceChecks {
  /** The ID of the only record with this name; null if there is none, or several. */
  idOf(key: string, name: string, connector: string | null): string | null
  nameOf(id: string): string | null
  checkSteps(id: string, steps: readonly unknown[]): readonly FlowProblem[]
}

const MOST_STEPS = 1_000

export function checkSource(source: Raw, checks: SourceChecks): FlowProblem[] {
  const written = new Map<unknown, Raw>()
  const named = new Map<string, ReadonlySet<string>>()
  const { steps } = source
  const list = Array.isArray(steps) ? (steps as readonly unknown[]).slice(0, MOST_STEPS) : []
  const withIds = list.map((step) => stepWithIds(step, { checks, written, named }))
  const id = typeof source['id'] === 'string' ? source['id'].toLowerCase() : ''
  const ofSteps = checks
    .checkSteps(id, withIds)
    .map((problem) => asWritten(problem, { checks, written, named }))
  return [
    ...ofFlow({ ...source, steps: Array.isArray(steps) && steps.length <= MOST_STEPS ? [] : steps }),
    ...ofSteps,
  ]
}

/** Problems of the flow apart from those of its steps. */
function ofFlow(source: Raw): FlowProblem[] {
  try {
    parseInput(flowSource, source, '')
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const none = { severity: 'error', ref_id: null, line: null, column: null, fix: null } as const
    return Object.entries(error.saidFields ?? {}).flatMap(([path, sentences]) =>
      sentences.map((said) => ({ ...none, path, field: path, ...spoken(said) })),
    )
  }
}

interface Walk {
  readonly checks: SourceChecks
  /** Steps as written in the file, by reference name. */
  readonly written: Map<unknown, Raw>
  /** The names that each step's config has instead of IDs. */
  readonly named: Map<string, ReadonlySet<string>>
}

function stepWithIds(step: unknown, walk: Walk): unknown {
  if (!isRaw(step)) return step
  const { ref_id: ref, config, cases } = step
  if (!walk.written.has(ref)) walk.written.set(ref, step)
  const changed: Record<string, unknown> = { ...step }
  if (isRaw(config)) changed['config'] = configWithIds(config, String(ref), walk)
  for (const name of CHILD_LISTS) {
    const inner = step[name]
    if (Array.isArray(inner)) changed[name] = inner.map((one) => stepWithIds(one, walk))
  }
  if (Array.isArray(cases))
    changed['cases'] = cases.map((one: unknown) => {
      const inner = isRaw(one) ? one['steps'] : null
      return isRaw(one) && Array.isArray(inner)
        ? { ...one, steps: inner.map((two) => stepWithIds(two, walk)) }
        : one
    })
  return changed
}

function configWithIds(config: Raw, ref: string, { checks, named }: Walk): Raw {
  let connector = typeof config['connector_id'] === 'string' ? config['connector_id'] : null
  const names = new Set<string>()
  const entries = Object.entries(config).map(([key, value]): [string, unknown] => {
    const [idKey] = NAMED_INSTEAD.find(([, name]) => name === key) ?? []
    if (idKey === undefined || typeof value !== 'string' || Object.hasOwn(config, idKey))
      return [key, unhidden(value)]
    names.add(key)
    const id = checks.idOf(key, value, connector)
    if (key === 'connector') connector = id
    return [idKey, id ?? value]
  })
  named.set(ref, names)
  return Object.fromEntries(entries)
}

/** Replaces placeholders with their text, which is as good for the check as the secret itself. */
function unhidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unhidden)
  if (!isRaw(value)) return value
  const { $secret: secret, ...others } = value
  if (typeof secret === 'string' && Object.keys(others).length === 0) return secret
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unhidden(item)]))
}

/** Translates the problem's field and edits to the form of the file. */
function asWritten({ ...problem }: FlowProblem, walk: Walk): FlowProblem {
  const names = walk.named.get(problem.ref_id ?? '')
  const pair = NAMED_INSTEAD.find(([id, name]) => problem.field === `config.${id}` && names?.has(name))
  if (pair !== undefined) {
    const [id, name] = pair
    problem.path = problem.path.slice(0, problem.path.length - id.length) + name
    problem.field = `config.${name}`
  }
  const { fix } = problem
  return fix === null
    ? problem
    : { ...problem, fix: { ...fix, edits: fix.edits.map((edit) => editAsWritten(edit, walk)) } }
}

function editAsWritten(edit: StepEdit, { checks, written, named }: Walk): StepEdit {
  if (edit.op === 'insert') return { ...edit, step: (written.get(edit.step['ref_id']) ?? edit.step) as never }
  if (edit.op !== 'set' || typeof edit.value !== 'string') return edit
  const pair = NAMED_INSTEAD.find(
    ([id, name]) => edit.path === `/config/${id}` && named.get(edit.ref_id)?.has(name),
  )
  return pair === undefined
    ? edit
    : { ...edit, path: `/config/${pair[1]}`, value: checks.nameOf(edit.value) ?? edit.value }
}
