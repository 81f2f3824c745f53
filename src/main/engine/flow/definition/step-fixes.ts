/**
 * Edits that mend problems of a flow's steps. A problem says in its sentence what was meant; an edit made from that is
 * only offered if a check of the edited steps no longer finds the problem, and nothing else.
 */
import { closest } from '@millrace/jinja'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { CHILD_LISTS } from '../../../../shared/contract/base/step-lists.ts'
import type { FlowProblem } from '../../../../shared/contract/flows.ts'
import { isStepType, STEP_CONFIGS } from '../../../../shared/contract/step-types/index.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import { editSteps, isRaw, pointerOf, type Raw } from './edit-steps.ts'

export type FixableProblem = FlowProblem & {
  /** Edits that remove the problem; null if none is known. */
  readonly fix: readonly StepEdit[] | null
}

/** What a field of a config can name, with its ID: connectors, their actions, auths for them. */
export type NamedRecords = (
  field: string,
  config: Raw,
) => readonly { readonly id: string; readonly name: string }[]

/** Each try checks the whole flow. */
const MOST_TRIES = 100

export function withFixes(
  steps: readonly unknown[],
  problems: readonly FlowProblem[],
  check: (steps: readonly unknown[]) => readonly FlowProblem[],
  named: NamedRecords,
): FixableProblem[] {
  let tries = 0
  const mends = (edits: readonly StepEdit[], problem: FlowProblem): boolean => {
    if (++tries > MOST_TRIES) return false
    try {
      return isBetter(problems, check(editSteps(steps, edits)), problem)
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }
  return problems.map((problem) => {
    const place = placeOf(steps, problem.path)
    const edits = place === null ? [] : editsFor(place, problem.message, named)
    return { ...problem, fix: edits.find((one) => mends(one, problem)) ?? null }
  })
}

/** Problems of the shape hide all others, so what follows them is no loss. */
function isBetter(
  before: readonly FlowProblem[],
  after: readonly FlowProblem[],
  { path, severity, ref_id: ref }: FlowProblem,
): boolean {
  const count = (problems: readonly FlowProblem[], at: string) =>
    problems.filter((one) => one.path === at && one.severity === severity).length
  if (count(after, path) >= count(before, path)) return false
  return ref === null || after.every((one) => before.some((known) => known.path === one.path))
}

interface Place {
  /** The step that has it. */
  readonly step: Raw
  /** From the step on. */
  readonly keys: readonly string[]
  readonly parent: unknown
  readonly held: unknown
}

const LISTS: ReadonlySet<string> = new Set(CHILD_LISTS)

/** Follows a path such as `steps[1].then[0].config.values.a`, whose keys can have dots. */
function placeOf(steps: readonly unknown[], path: string): Place | null {
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
  return step === null || keys.length === 0 ? null : { step, keys, parent, held }
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

/** From the most to the least likely. */
function editsFor(
  { step, keys, parent, held }: Place,
  message: string,
  named: NamedRecords,
): (readonly StepEdit[])[] {
  const refId = step['ref_id']
  if (typeof refId !== 'string' || held === undefined) return []
  const at = (path: readonly string[]) => ({ ref_id: refId, path: pointerOf(path) })
  if (message.startsWith('is unknown')) {
    const key = keys.at(-1) ?? ''
    const free = knownKeys(step, keys, message).filter((name) => valueAt(parent, name) === undefined)
    const near = meantIn(message) ?? closest(key, free)
    const renamed = [...keys.slice(0, -1), near ?? '']
    return near === undefined
      ? []
      : [
          [
            { op: 'unset', ...at(keys) },
            { op: 'set', ...at(renamed), value: held as never },
          ],
        ]
  }
  const config = isRaw(step['config']) ? step['config'] : {}
  const records = keys.length === 2 && keys[0] === 'config' ? named(keys[1] ?? '', config) : []
  return [...idsLike(held, records), ...valuesFor(held, message)].map((value) => [
    { op: 'set', ...at(keys), value: value as never },
  ])
}

/** The one with this name, or with one like it; otherwise the only one there is. */
function idsLike(held: unknown, records: ReturnType<NamedRecords>): string[] {
  const names = records.map(({ name }) => name)
  const wrong = typeof held === 'string' ? held : ''
  const near = names.find((name) => name === wrong) ?? closest(wrong, names)
  const alike = near === undefined ? records : records.filter(({ name }) => name === near)
  return alike.length === 1 ? alike.map(({ id }) => id) : []
}

function knownKeys({ type }: Raw, keys: readonly string[], message: string): readonly string[] {
  if (keys.length === 2 && keys[0] === 'config' && typeof type === 'string' && isStepType(type))
    return Object.keys(STEP_CONFIGS[type].shape)
  return message.split('known are ')[1]?.split(', ') ?? []
}

function valuesFor(held: unknown, message: string): unknown[] {
  const isOfOtherType = /^must be (?:a|an|true)\b/.test(message)
  if (typeof held !== 'string') {
    if (!isOfOtherType) return []
    if (Array.isArray(held)) return held.length === 1 ? [held[0]] : []
    return typeof held === 'number' || typeof held === 'boolean' ? [String(held), [held]] : []
  }
  if (isOfOtherType) return [...parsed(held), [held]]
  const names = /^(?:must be|line \d+, column \d+: must be) /.test(message) ? quotedIn(message) : []
  const chosen = names.length === 1 ? names[0] : closest(held, names)
  return [
    ...(chosen === undefined ? [] : [chosen]),
    ...respelt(held, meantIn(message)),
    ...inBody(held, message),
    ...asJson(held, message),
    ...(/^has an invalid format|^must begin with a letter/.test(message)
      ? [held.trim().replaceAll(/\W+/g, '_')]
      : []),
  ]
}

const SAID: Readonly<Record<string, unknown>> = { yes: true, no: false, on: true, off: false }

function parsed(text: string): unknown[] {
  const word = text.trim().toLowerCase()
  if (Object.hasOwn(SAID, word)) return [SAID[word]]
  try {
    return [JSON.parse(word === 'true' || word === 'false' ? word : text) as unknown]
  } catch {
    return []
  }
}

const meantIn = (message: string) => /[Dd]id you mean "([^"]+)"/.exec(message)?.[1]

const quotedIn = (message: string) => [...message.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)

const WORD = /[A-Za-z_][\w]*/g

/** Replaces the word that is most like the intended one. */
function respelt(text: string, meant: string | undefined): string[] {
  if (meant === undefined) return []
  if (!/^\w+$/.test(meant)) return [meant]
  const wrong = closest(meant, new Set(text.match(WORD)))
  return wrong === undefined ? [] : [text.replaceAll(WORD, (word) => (word === wrong ? meant : word))]
}

/** A member that was read of a rest step's result, and is in its body. */
function inBody(text: string, message: string): string[] {
  const [, key = '', owner = '', path = ''] =
    /^reads "([^"]+)" of the rest step "([^"]+)".* it is (\S+)$/.exec(message) ?? []
  return key === '' ? [] : [text.replaceAll(`${owner}.${key}`, path)]
}

function asJson(text: string, message: string): string[] {
  const [, output = ''] = /^is JSON, and (\{\{.*\}\}) may break it/.exec(message) ?? []
  if (output === '') return []
  const safe = `${output.slice(0, -2).trimEnd()} | tojson }}`
  return [text.replaceAll(`"${output}"`, safe).replaceAll(output, safe)]
}
