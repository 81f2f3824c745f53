/** Mistakes such as people make, planted into the steps of a flow. */
import { stepsIn } from '../../src/shared/contract/base/step-lists.ts'
import { closest } from '../../packages/jinja/src/template/text/closest.ts'
import { definitionOf } from '../../src/shared/contract/step-types/index.ts'
import type { Step } from '../../src/shared/contract/steps.ts'

type Random = (below: number) => number
type Json = Record<string, unknown>

export interface Mistake {
  readonly kind: string
  readonly steps: Step[]
  /** Where it is: the name of the step, and the field in it. */
  readonly ref: string
  readonly field: string
  readonly what: string
}

interface Plan {
  readonly steps: Step[]
  readonly random: Random
  readonly isConnector: (id: string) => boolean
}

/** Returns the step and the field that were changed; null if the flow has no place for such a mistake. */
type Plant = (plan: Plan) => Omit<Mistake, 'kind' | 'steps'> | null

export function plantMistake(
  kind: string,
  flow: readonly Step[],
  random: Random,
  isConnector: Plan['isConnector'],
) {
  const steps = structuredClone(flow) as Step[]
  const planted = PLANTS[kind]?.({ steps, random, isConnector }) ?? null
  return planted === null ? null : ({ kind, steps, ...planted } satisfies Mistake)
}

const allOf = (steps: readonly Step[]): Step[] => steps.flatMap((step) => [step, ...allOf(stepsIn(step))])

const pick = <T>(list: readonly T[], random: Random): T | undefined => list[random(list.length)]

/** A letter is left out, doubled, swapped with the next one or replaced. */
export function misspelt(word: string, random: Random): string {
  const at = random(word.length)
  const [before, letter, after] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)]
  const other = pick([...'aeiourstnl'], random) ?? 'e'
  const results = [
    before + after,
    before + letter + letter + after,
    before + (after[0] ?? '') + letter + after.slice(1),
    before + other + after,
  ]
  return results[random(4)] ?? word
}

interface Place {
  readonly holder: Json | unknown[]
  readonly key: string | number
  readonly path: string
  readonly value: unknown
}

function placesIn(value: unknown, path: string): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value)
    ? value.map((item, at) => [at, item, `${path}[${at}]`] as const)
    : Object.entries(value).map(([key, item]) => [key, item, `${path}.${key}`] as const)
  return entries.flatMap(([key, item, at]) => [
    { holder: value as Json, key, path: at, value: item },
    ...placesIn(item, at),
  ])
}

function put({ holder, key }: Place, value: unknown): void {
  ;(holder as Json)[key] = value
}

/** Strings that are templates, with their steps. */
function templatesOf(steps: readonly Step[]) {
  return allOf(steps).flatMap((step) =>
    placesIn(step.config, 'config')
      .filter(
        ({ value, path }) =>
          typeof value === 'string' &&
          (value.includes('{{') || value.includes('{%')) &&
          !/code|pagination/.test(path),
      )
      .map((place) => ({ step, place, text: place.value as string })),
  )
}

/** Replaces one match of a pattern in one template. */
function inTemplate(
  pattern: RegExp,
  change: (match: RegExpExecArray, plan: Plan) => string | null,
  where = templatesOf,
): Plant {
  return (plan) => {
    const found = where(plan.steps).flatMap(({ step, place, text }) =>
      [...text.matchAll(pattern)].map((match) => ({ step, place, text, match })),
    )
    const one = pick(
      found.filter(({ text, match }) => isInTag(text, match.index)),
      plan.random,
    )
    const replaced = one && change(one.match, plan)
    if (!one || replaced === null || replaced === undefined) return null
    const { step, place, text, match } = one
    const next = text.slice(0, match.index) + replaced + text.slice(match.index + match[0].length)
    if (next === text) return null
    put(place, next)
    return { ref: step.ref_id, field: place.path, what: `${match[0]} → ${replaced}` }
  }
}

/** Whether the position is in a tag, or at its beginning or end. */
function isInTag(text: string, at: number): boolean {
  const before = text.slice(0, at)
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'))
  return (
    /^\{[{%]/.test(text.slice(at)) || opened > Math.max(before.lastIndexOf('}}'), before.lastIndexOf('%}'))
  )
}

function misspeltName(match: RegExpExecArray, { steps, random }: Plan): string | null {
  const [, before = '', name = ''] = match
  const known = new Set([...allOf(steps).map((step) => step.ref_id), 'item', 'index'])
  const wrong = misspelt(name, random)
  return name.length < 3 || !known.has(name) || known.has(wrong) || !/^[a-z_]\w*$/i.test(wrong)
    ? null
    : before + wrong
}

const word = (match: RegExpExecArray, { random }: Plan) => {
  const wrong = misspelt(match[2] ?? '', random)
  return /^[a-z_]\w*$/i.test(wrong) ? `${match[1] ?? ''}${wrong}` : null
}

/** Strings in the pagination of a step. */
const ofPagination = (steps: readonly Step[]) =>
  allOf(steps).flatMap((step) =>
    placesIn(step.config['pagination'], 'config.pagination')
      .filter(({ value }) => typeof value === 'string')
      .map((place) => ({ step, place, text: place.value as string })),
  )

/** Renames, removes or changes a field of a step's config. */
function inConfig(
  wanted: (place: Place, step: Step) => boolean,
  change: (place: Place, plan: Plan, step: Step) => string | null,
): Plant {
  return (plan) => {
    const found = allOf(plan.steps).flatMap((step) =>
      placesIn(step.config, 'config')
        .filter((place) => wanted(place, step))
        .map((place) => ({ step, place })),
    )
    const one = pick(found, plan.random)
    const field = one && change(one.place, plan, one.step)
    return one && typeof field === 'string'
      ? { ref: one.step.ref_id, field, what: JSON.stringify(one.place.value) }
      : null
  }
}

/** Renames the key at a place, and returns the path of the place under its new name. */
function rename({ holder, key, value, path }: Place, name: string): string | null {
  if (Array.isArray(holder) || name in holder || !/^\w+$/.test(name)) return null
  const entries = Object.entries(holder).map(([one, held]) => [
    one === key ? name : one,
    one === key ? value : held,
  ])
  for (const one of Object.keys(holder)) delete holder[one]
  Object.assign(holder, Object.fromEntries(entries))
  return `${path.slice(0, path.length - String(key).length)}${name}`
}

const isTop = ({ path }: Place) => /^config\.\w+$/.test(path)
const isPaging = ({ path }: Place) => /^config\.pagination(?:\[\d+\])?\.\w+$/.test(path)

function misspeltChoice(place: Place, { random }: Plan): string | null {
  const wrong = misspelt(String(place.value), random)
  if (wrong === place.value || wrong === '') return null
  put(place, wrong)
  return place.path
}

function isChoice({ key, value }: Place, { type }: Step): boolean {
  const schema = definitionOf(type)?.config.shape[key as string]
  return (
    typeof value === 'string' &&
    value.length >= 3 &&
    schema?.safeParse(misspelt(value, () => 1) + 'zzzz').success === false
  )
}

const WHOLE = (steps: Step[], ref: string): Step[] | null =>
  steps.some((step) => step.ref_id === ref) ? steps : null

const PLANTS: Readonly<Record<string, Plant>> = {
  reference: inTemplate(/((?:\{\{|\{% if|\bin|\(|not|and) ?)([A-Za-z_]\w*)/g, misspeltName),
  filter: inTemplate(/(\| ?)([a-z_]{4,})/g, word),
  braces: inTemplate(/ ?\}\}|\{\{ ?/g, (match, { random }) =>
    match[0].startsWith('{') ? match[0].slice(1) : (['}', '', ' %}'][random(3)] ?? ''),
  ),
  tag: inTemplate(/(\{% ?)(if|for|set|else|elif|endif|endfor)(?= )/g, (match, plan) =>
    (match[2] ?? '').length < 3 ? null : word(match, plan),
  ),
  block: inTemplate(/\{% end(?:if|for) %\}/g, () => ''),
  bracket: inTemplate(/\)|\(|'(?=[),])|'(?= )/g, () => ''),
  operator: inTemplate(
    / (and|or|==|not) /g,
    (match) => ({ and: ' && ', or: ' || ', '==': ' = ', not: ' !' })[match[1] as 'and'] ?? null,
  ),
  type: inConfig(
    (place, { type }) =>
      isTop(place) &&
      (typeof place.value === 'number' || typeof place.value === 'boolean') &&
      definitionOf(type)?.config.shape[place.key as string]?.safeParse(String(place.value)).success === false,
    (place) => {
      put(place, String(place.value))
      return place.path
    },
  ),
  list: inConfig(
    (place, step) =>
      isTop(place) &&
      typeof place.value === 'string' &&
      definitionOf(step.type)?.config.shape[place.key as string]?.safeParse([place.value]).success === false,
    (place) => {
      put(place, [place.value])
      return place.path
    },
  ),
  choice: inConfig(
    (place, step) => isTop(place) && !String(place.key).endsWith('_id') && isChoice(place, step),
    misspeltChoice,
  ),
  on_error: (plan) => {
    const step = pick(allOf(plan.steps), plan.random)
    if (step === undefined) return null
    const wrong = misspelt(pick(['continue', 'stop'], plan.random) ?? '', plan.random)
    const value = closest(wrong, ['continue', 'stop'])
    if (value !== step.on_error) return null
    Object.assign(step, { on_error: wrong })
    return { ref: step.ref_id, field: 'on_error', what: wrong }
  },
  step_type: ({ steps, random }) => {
    const step = pick(allOf(steps), random)
    if (step === undefined) return null
    const { type } = step
    step.type = misspelt(type, random)
    return definitionOf(step.type)
      ? null
      : { ref: step.ref_id, field: 'type', what: `${type} → ${step.type}` }
  },
  field: inConfig(
    (place) => isTop(place) && String(place.key).length >= 3,
    (place, { random }) => rename(place, misspelt(String(place.key), random)),
  ),
  step_field: ({ steps, random }) => {
    const step = pick(allOf(steps), random)
    const key =
      step &&
      pick(
        Object.keys(step).filter(
          (name) =>
            name.length > 3 &&
            !/type|ref_id|^retry$|disabled|description/.test(name) &&
            !(name === 'title' && step.title === '') &&
            name !== 'on_error',
        ),
        random,
      )
    if (!step || !key) return null
    const name = misspelt(key, random)
    const holder = step as unknown as Json
    const field = rename({ holder, key, path: key, value: holder[key] }, name)
    return field === null ? null : { ref: step.ref_id, field, what: `${key} → ${name}` }
  },
  extra_field: ({ steps, random }) => {
    const step = pick(allOf(steps), random)
    const name = pick(['async_mode', 'note', 'timeout', 'enabled', 'retries_on_error'], random)
    if (!step || !name || definitionOf(step.type)?.config.shape[name]) return null
    step.config[name] = true
    return { ref: step.ref_id, field: `config.${name}`, what: name }
  },
  auth: (plan) => {
    const step = pick(
      allOf(plan.steps).filter(
        ({ config }) => typeof config['auth_id'] === 'string' && !config['auth_id'].includes('{'),
      ),
      plan.random,
    )
    if (!step) return null
    if (plan.random(2) === 0) delete step.config['auth_id']
    else step.config['auth_id'] = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
    return { ref: step.ref_id, field: 'config.auth_id', what: 'auth' }
  },
  action: inConfig(({ key, value }) => key === 'action' && typeof value === 'string', misspeltChoice),
  unreached: ({ steps, random }) => {
    const lists = [
      steps,
      ...allOf(steps).flatMap((step) =>
        [step.then, step.else, step.steps, step.default].filter((list) => list !== undefined),
      ),
    ]
    const list = pick(
      lists.filter((one) => one.length > 1 && one.at(-1)?.type !== 'respond'),
      random,
    )
    const last = list?.at(-1)
    if (!list || !last) return null
    const isStop = last.type === 'stop'
    if (isStop) list.pop()
    const stop = isStop
      ? last
      : {
          ...structuredClone(last),
          ref_id: 'the_end',
          type: 'stop',
          title: '',
          config: { status: 'success', message: '' },
          then: undefined,
          else: undefined,
          steps: undefined,
          cases: undefined,
          default: undefined,
        }
    const at = 1 + random(list.length - 1)
    const after = list[at]
    if (!after) return null
    list.splice(at, 0, stop)
    return { ref: after.ref_id, field: '', what: isStop ? 'moved' : 'inserted' }
  },
  order: ({ steps, random }) => {
    const at = 1 + random(Math.max(1, steps.length - 2))
    const [one, two] = [steps[at], steps[at + 1]]
    if (!one || !two || !JSON.stringify(two).includes(one.ref_id) || !WHOLE(steps, one.ref_id)) return null
    steps.splice(at, 2, two, one)
    return { ref: two.ref_id, field: '', what: `${one.ref_id} below ${two.ref_id}` }
  },
  paging_key: inConfig(isPaging, (place, { random }) => rename(place, misspelt(String(place.key), random))),
  paging_type: inConfig(
    (place) => isPaging(place) && (typeof place.value === 'boolean' || typeof place.value === 'number'),
    (place) => {
      put(place, String(place.value))
      return place.path
    },
  ),
  paging_name: inTemplate(
    /((?:\{\{|\{% if|\bin|\(|not|and) ?)(page|count|previous_request|response|headers|last_record|links|status)\b/g,
    word,
    ofPagination,
  ),
  paging_braces: inTemplate(/ ?\}\}/g, (_match, { random }) => ['}', ''][random(2)] ?? '', ofPagination),
  paging_path: (plan) => {
    const step = pick(
      allOf(plan.steps).filter(
        ({ config }) => typeof (config['pagination'] as Json | null)?.['response_jsonpath'] === 'string',
      ),
      plan.random,
    )
    const paging = step?.config['pagination'] as Json | undefined
    const path = paging?.['response_jsonpath']
    if (!step || !paging || typeof path !== 'string' || !path.startsWith('$.')) return null
    paging['response_jsonpath'] = `${path}${plan.random(2) === 0 ? '[' : '.'}`
    return {
      ref: step.ref_id,
      field: 'config.pagination.response_jsonpath',
      what: String(paging['response_jsonpath']),
    }
  },
}

export const KINDS = Object.keys(PLANTS)
