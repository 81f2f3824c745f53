/**
 * Edits that fix problems in a flow's steps. They are guessed from the problems, and each is only offered if a check
 * of the edited steps finds neither its problem nor a new one.
 */
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowProblem, ProblemFix } from '../../../../shared/contract/base/flow-problem.ts'
import {
  englishOf,
  type Said,
  SAID,
  say,
  sentenceOf,
  type Spoken,
} from '../../../../shared/contract/base/message.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import { CHILD_LISTS } from '../../../../shared/contract/base/step-lists.ts'
import { editSteps, isRaw, pointerOf, type Raw } from '../../../../shared/contract/base/edit-steps.ts'
import { type Candidate, changeTitle, type FixPlace, type NamedRecords, valueFixes } from './fix-values.ts'
import type { FindMend, Mend } from './problem.ts'

export type { NamedRecords }

/** A problem whose fix hasn't been looked for yet. */
export interface FoundProblem extends Omit<FlowProblem, 'fix'>, Spoken {
  readonly mend?: FindMend | undefined
  /** True if something in the list isn't a step at all, so nothing is known about the steps. */
  readonly isOfShape?: true
}

/** @param only limits the check to the step with this name */
export type CheckAgain = (steps: readonly unknown[], only?: string) => readonly FoundProblem[]

/** Tries are limited because each checks a step or the whole flow. */
const MOST_TRIES = 100
const MOST_WORK = 20_000

export function withFixes(
  steps: readonly unknown[],
  problems: readonly FoundProblem[],
  check: CheckAgain,
  named: NamedRecords,
): FlowProblem[] {
  let work = 0
  const most = Math.min(MOST_TRIES * (1 + steps.length), MOST_WORK)
  const mends = ({ edits }: Candidate, problem: FoundProblem): boolean => {
    work += 1 + steps.length
    if (work > most) return false
    const { ref_id: ref } = problem
    const only = ref !== null && edits.every(({ op }) => op === 'set' || op === 'unset') ? ref : undefined
    const before = only === undefined ? problems : problems.filter((one) => one.ref_id === only)
    try {
      return isBetter(before, check(editSteps(steps, edits), only), problem)
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }
  return problems.map(({ mend, isOfShape: _isOfShape, ...problem }) => {
    const place = placeOf(steps, problem.path)
    const candidates = place === null ? [] : candidatesFor(steps, place, { ...problem, mend }, named)
    const found = candidates.find((one) => mends(one, problem))
    return { ...problem, fix: found === undefined ? null : fixOf(found) }
  })
}

function fixOf({ edits, isCertain, title }: Candidate): ProblemFix & Spoken {
  return { title: englishOf(title), safe: isCertain, edits: [...edits], [SAID]: title }
}

/** A problem with a step's shape hides the problems of all steps, so fixing it can reveal new ones. */
function isBetter(
  before: readonly FoundProblem[],
  after: readonly FoundProblem[],
  problem: FoundProblem,
): boolean {
  const keyOf = ({ severity, ref_id: ref, path, field }: FoundProblem) =>
    JSON.stringify([severity, ref ?? path, field])
  const count = (problems: readonly FoundProblem[]) => {
    const counts = new Map<string, number>()
    for (const one of problems) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
    return counts
  }
  const [held, left] = [count(before), count(after)]
  const key = keyOf(problem)
  if ((left.get(key) ?? 0) >= (held.get(key) ?? 0)) return false
  const isOfShape = before.some((one) => one.isOfShape)
  return isOfShape || [...left].every(([one, times]) => times <= (held.get(one) ?? 0))
}

const LISTS: ReadonlySet<string> = new Set(CHILD_LISTS)

/** Follows a path such as `steps[1].then[0].config.values.a`, whose keys can contain dots. */
function placeOf(steps: readonly unknown[], path: string): FixPlace | null {
  let rest = path
  let parent: unknown = null
  let held: unknown = { steps }
  let step: Raw | null = null
  let keys: string[] = []
  while (rest !== '') {
    const key = nextKey(rest, held)
    if (key === null) return null
    const inList = LISTS.has(keys.at(-1) ?? '') || step === null
    rest = rest.slice(Array.isArray(held) ? key.length + 2 : key.length).replace(/^\./, '')
    parent = held
    held = valueAt(held, key)
    keys.push(key)
    if (inList && Array.isArray(parent) && isRaw(held) && !keys.includes('config')) [step, keys] = [held, []]
  }
  return step === null ? null : { step, keys, parent, held }
}

function nextKey(rest: string, held: unknown): string | null {
  if (Array.isArray(held)) return /^\[(\d+)\]/.exec(rest)?.[1] ?? null
  if (!isRaw(held)) return null
  const known = Object.keys(held)
    .filter((key) => rest.startsWith(key) && /^(?:$|[.[])/.test(rest.slice(key.length)))
    .toSorted((a, b) => b.length - a.length)
  return known[0] ?? rest
}

function valueAt(held: unknown, key: string): unknown {
  if (Array.isArray(held)) return held[Number(key)] as unknown
  return isRaw(held) && Object.hasOwn(held, key) ? held[key] : undefined
}

/** The candidates, most likely first. */
function candidatesFor(
  steps: readonly unknown[],
  place: FixPlace,
  problem: FoundProblem,
  named: NamedRecords,
): Candidate[] {
  const { ref_id: ref } = place.step
  if (typeof ref !== 'string') return []
  const mend = problem.mend?.(place.held) ?? null
  const mended = mend === null ? [] : mendedBy(steps, mend, ref, place)
  return [...mended, ...valueFixes(place, ref, saidOf(problem), named)]
}

/** The sentence without its subject, for problems that name their own field. */
function saidOf(problem: FoundProblem): Said {
  const said = sentenceOf(problem)
  const { rest } = said.params
  return said.key === '"{{field}}" {{rest}}' && typeof rest === 'object' ? rest : said
}

function mendedBy(steps: readonly unknown[], mend: Mend, ref: string, { keys, held }: FixPlace): Candidate[] {
  if ('move' in mend) return moved(steps, mend)
  if ('remove' in mend) {
    const { remove: name } = mend
    const title = say('Remove the step "{{name}}"', { name })
    return [{ edits: [{ op: 'delete', ref_id: name }], isCertain: false, title }]
  }
  const { value, isCertain } = mend
  const edit: StepEdit = { op: 'set', ref_id: ref, path: pointerOf(keys), value: value as never }
  return [{ edits: [edit], isCertain, title: changeTitle(held, value) }]
}

function moved(
  steps: readonly unknown[],
  { move, after }: Extract<Mend, { readonly move: string }>,
): Candidate[] {
  const step = findStep(steps, move)
  const first = steps[0]
  const before = isRaw(first) ? first['ref_id'] : undefined
  if (step === null || (after === null && typeof before !== 'string')) return []
  const place = after === null ? { before: before as string } : { after }
  return [
    {
      edits: [
        { op: 'delete', ref_id: move },
        { op: 'insert', step: step as never, list: 'steps', ...place },
      ],
      isCertain: false,
      title:
        after === null
          ? say('Move "{{name}}" to the beginning', { name: move })
          : say('Move "{{name}}" below "{{other}}"', { name: move, other: after }),
    },
  ]
}

function findStep(steps: readonly unknown[], ref: string): Raw | null {
  for (const step of steps) {
    if (!isRaw(step)) continue
    if (step['ref_id'] === ref) return step
    const cases = step['cases']
    const lists = (Array.isArray(cases) ? cases : []).map((one) => valueAt(one, 'steps'))
    for (const list of [...lists, ...CHILD_LISTS.map((name) => step[name])]) {
      const found = Array.isArray(list) ? findStep(list, ref) : null
      if (found !== null) return found
    }
  }
  return null
}
