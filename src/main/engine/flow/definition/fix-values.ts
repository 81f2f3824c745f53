/** Guesses the intended value of a field from a problem's message. */
import { nearest, say, type Said, englishOf } from '../../../../shared/contract/base/message.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import { childListsOf, isStepType, STEP_CONFIGS } from '../../../../shared/contract/step-types/index.ts'
import { isRaw, pointerOf, type Raw } from '../../../../shared/contract/base/edit-steps.ts'

/** Edits that may fix a problem. */
export interface Candidate {
  readonly edits: readonly StepEdit[]
  /** False if something else could have been intended. */
  readonly isCertain: boolean
  readonly title: Said
}

/** The place of a problem. */
export interface FixPlace {
  /** The step that has the problem. */
  readonly step: Raw
  /** The path within the step; empty if the problem is about the step itself. */
  readonly keys: readonly string[]
  readonly parent: unknown
  readonly held: unknown
}

/** The records that a field of a step's config can name, with their IDs: connectors, their actions, auths for them. */
export type NamedRecords = (
  field: string,
  step: Raw,
) => readonly { readonly id: string; readonly name: string }[]

/** Longer strings get no fix, because checking each candidate would take too long. */
const LONGEST = 2_000

/** The candidates, most likely first. */
export function valueFixes(place: FixPlace, ref: string, said: Said, named: NamedRecords): Candidate[] {
  const { keys, held, step } = place
  const isLong = typeof held === 'string' && held.length > LONGEST
  if (keys.length === 0 || isLong) return []
  const at = (path: readonly string[]) => ({ ref_id: ref, path: pointerOf(path) })
  const set = ({ value, isCertain, title }: Wanted): Candidate => ({
    edits: [{ op: 'set', ...at(keys), value: value as never }],
    isCertain,
    title: title ?? changeTitle(held, value),
  })
  const remove: Candidate = {
    edits: [{ op: 'unset', ...at(keys) }],
    isCertain: false,
    title: say('Remove it'),
  }
  const isOfConfig = keys.length === 2 && keys[0] === 'config'
  const records = isOfConfig ? recordsLike(held, keys[1] ?? '', named(keys[1] ?? '', step)) : []
  if (held === undefined) return [...records, ...requiredValues(said)].map(set)
  const renamed = renamings(place, said).map(({ name, isCertain }): Candidate => {
    const edits: StepEdit[] = [
      { op: 'unset', ...at(keys) },
      { op: 'set', ...at([...keys.slice(0, -1), name]), value: held as never },
    ]
    return { edits, isCertain, title: say('Rename it to "{{name}}"', { name }) }
  })
  const isExtra = isUnknown(said) || held === null
  return [...renamed, ...records.map(set), ...values(held, said).map(set), ...(isExtra ? [remove] : [])]
}

interface Wanted {
  readonly value: unknown
  readonly isCertain: boolean
  readonly title?: Said
}

const certain = (value: unknown): Wanted => ({ value, isCertain: true })
const guessed = (value: unknown): Wanted => ({ value, isCertain: false })

/**
 * The record with this name or a similar one, or the only existing record. A guess at the credentials to send is
 * never certain.
 */
function recordsLike(held: unknown, field: string, records: ReturnType<NamedRecords>): Wanted[] {
  const names = records.map(({ name }) => name)
  const wrong = typeof held === 'string' ? held : ''
  const near = names.includes(wrong) ? [wrong] : nearest(wrong, names)
  const alike = near.length === 0 ? records : records.filter(({ name }) => near.includes(name))
  const [one, other] = alike
  if (one === undefined || other !== undefined) return []
  const isCertain = near.length > 0 && field !== 'auth_id'
  return [{ value: one.id, isCertain, title: say('Use "{{name}}"', { name: one.name }) }]
}

/** The value of a required choice, if there is only one. */
function requiredValues({ key, params: { value } }: Said): Wanted[] {
  return key === 'is required: {{value}}' && typeof value === 'string' ? parsed(value).map(certain) : []
}

const isUnknown = ({ key }: Said) =>
  key.startsWith('is unknown') || key.startsWith("isn't a configuration key")

interface NewName {
  readonly name: string
  readonly isCertain: boolean
}

function renamings({ step, keys, parent }: FixPlace, said: Said): NewName[] {
  const free = (name: string) => isRaw(parent) && !Object.hasOwn(parent, name)
  const [key = ''] = keys.slice(-1)
  const { type } = said.params
  if (said.key === 'a step of type {{type}} has no list "{{list}}"' && typeof type === 'string') {
    const lists = childListsOf(type).filter(free)
    return lists.map((name) => ({ name, isCertain: lists.length === 1 }))
  }
  if (!isUnknown(said)) return []
  const near = nearest(key, knownKeys(step, keys, said).filter(free))
  return near.map((name) => ({ name, isCertain: near.length === 1 }))
}

function knownKeys({ type }: Raw, keys: readonly string[], { params }: Said): readonly string[] {
  if (keys.length === 2 && keys[0] === 'config' && typeof type === 'string' && isStepType(type))
    return Object.keys(STEP_CONFIGS[type].shape)
  const { near, other, keys: known, known: names } = params
  return [near, other, known, names].flatMap((text) => (typeof text === 'string' ? text.split(', ') : []))
}

function values(held: unknown, said: Said): Wanted[] {
  const { key, params } = said
  const { near, other, limit, wanted } = params
  if (typeof near === 'string')
    return isUnknown(said)
      ? []
      : [near, other].flatMap((name) =>
          typeof name === 'string' ? [{ value: name, isCertain: other === undefined }] : [],
        )
  if (key === 'is {{value}}, but must be {{wanted}}' && typeof wanted === 'string')
    return parsed(wanted).map(certain)
  if (/but must be (?:at least|at most) /.test(key)) return [guessed(Number(limit))]
  if (key === 'is {{value}}, but must be a whole number' && typeof held === 'number')
    return [guessed(Math.round(held))]
  if (held === true && key.startsWith('is true, but ')) return [guessed(false)]
  const message = englishOf(said)
  const isOfOtherType = /^must be (?:a|an|true)\b/.test(message)
  if (Array.isArray(held)) return held.length === 1 ? [guessed(held[0])] : []
  if (typeof held !== 'string') return isOfOtherType ? otherTypes(held) : []
  if (isOfOtherType) return [...parsed(held).map(certain), guessed([held])]
  if (/^has an invalid format|^must begin with a letter/.test(message))
    return [guessed(held.trim().replaceAll(/\W+/g, '_'))]
  return [...inBody(held, said), ...asJson(held, said)]
}

function otherTypes(held: unknown): Wanted[] {
  return typeof held === 'number' || typeof held === 'boolean' ? [certain(String(held)), guessed([held])] : []
}

const SPELT: Readonly<Record<string, unknown>> = { yes: true, no: false, on: true, off: false }

/** The values of a string that is JSON or almost JSON. */
function parsed(text: string): unknown[] {
  const word = text.trim().toLowerCase()
  if (Object.hasOwn(SPELT, word)) return [SPELT[word]]
  try {
    return [JSON.parse(word === 'true' || word === 'false' ? word : text) as unknown]
  } catch {
    return []
  }
}

/** Corrects the path of a property that is elsewhere in the step's result. */
function inBody(text: string, { params: { key, owner, path } }: Said): Wanted[] {
  if (typeof key !== 'string' || typeof owner !== 'string' || typeof path !== 'string') return []
  const read = `${owner}.${key}`
  const parts = text.split(read)
  const whole = parts.reduce((before, part) => before + (/^\w/.test(part) ? read : path) + part)
  return [certain(whole)]
}

function asJson(text: string, { key, params: { template } }: Said): Wanted[] {
  if (typeof template !== 'string' || !key.startsWith('is JSON, and ') || !template.endsWith('}}')) return []
  const safe = `${template.slice(0, -2).trimEnd()} | tojson }}`
  return [guessed(text.replaceAll(`"${template}"`, safe).replaceAll(template, safe))]
}

const LONGEST_SHOWN = 60

/** Describes the change; for strings, only the words that differ. */
export function changeTitle(before: unknown, after: unknown): Said {
  if (before === undefined) return say('Set it to {{value}}', { value: shown(after) })
  if (typeof before !== 'string' || typeof after !== 'string')
    return say('Change {{before}} to {{after}}', { before: shown(before), after: shown(after) })
  const [start, end] = differing(before, after)
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (old.trim() === '') return say('Insert {{text}}', { text: shown(next.trim()) })
  if (next.trim() === '') return say('Remove {{text}}', { text: shown(old.trim()) })
  return say('Change {{before}} to {{after}}', { before: shown(old), after: shown(next) })
}

/** The lengths of the common prefix and suffix of two strings, without parts of words that differ. */
function differing(before: string, after: string): [start: number, end: number] {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const isWord = (text: string, at: number) => /\w/.test(text[at] ?? '')
  const differs = (text: string) =>
    start < text.length - end && (isWord(text, start) || isWord(text, text.length - end - 1))
  if (differs(before) || differs(after)) {
    while (start > 0 && isWord(before, start - 1)) start--
    while (end > 0 && isWord(before, before.length - end)) end--
  }
  return [start, end]
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}
