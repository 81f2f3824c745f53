/** Small mistakes, such as happen while editing, planted in the steps of a flow. */
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { randomFrom } from './random.ts'

export interface Mutation {
  readonly what: string
  readonly steps: StepInput[]
}

type Part = Record<string, unknown>

/** Changed values, and steps that are missing, turned off or in another order. */
export function mutationsOf(steps: readonly StepInput[]): Mutation[] {
  const mutations: Mutation[] = []
  const add = (what: string, change: (copy: StepInput[]) => void) => {
    const copy = structuredClone(steps) as StepInput[]
    change(copy)
    mutations.push({ what, steps: copy })
  }
  for (const path of pathsOfSteps(steps)) {
    const { ref_id: ref, config = {} } = stepAt(steps, path)
    for (const place of leavesOf(config))
      for (const [value, said] of variantsOf(valueAt(config, place)))
        add(`${ref}.${place.join('.')}: ${said}`, (copy) =>
          setAt(stepAt(copy, path).config as Part, place, value),
        )
    if (path.length === 1 && path[0] === 0) continue
    add(`${ref} removed`, (copy) => void listAt(copy, path).splice(Number(path.at(-1)), 1))
    add(`${ref} disabled`, (copy) => void (stepAt(copy, path).disabled = true))
  }
  return mutations
}

const LISTS = ['steps', 'then', 'else', 'try', 'catch', 'finally'] as const

type Path = readonly (string | number)[]

function pathsOfSteps(steps: readonly StepInput[], at: Path = []): Path[] {
  return steps.flatMap((step, index) => {
    const path = [...at, index]
    const inner = LISTS.flatMap((list) =>
      pathsOfSteps(((step as unknown as Part)[list] as StepInput[]) ?? [], [...path, list]),
    )
    return [path, ...inner]
  })
}

function listAt(steps: readonly StepInput[], path: Path): StepInput[] {
  return path.slice(0, -1).reduce<unknown>((part, key) => (part as Part)[key], steps) as StepInput[]
}

const stepAt = (steps: readonly StepInput[], path: Path) =>
  listAt(steps, path)[Number(path.at(-1))] as StepInput

function leavesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...at, key]))
}

const valueAt = (part: unknown, place: Path) =>
  place.reduce<unknown>((inner, key) => (inner as Part)[key], part)

function setAt(part: Part, place: Path, value: unknown): void {
  const holder = place.slice(0, -1).reduce<unknown>((inner, key) => (inner as Part)[key], part) as Part
  holder[String(place.at(-1))] = value
}

function variantsOf(value: unknown): [unknown, string][] {
  if (typeof value === 'boolean') return [[!value, String(!value)]]
  if (typeof value === 'number') return [[value + 1, String(value + 1)]]
  if (typeof value !== 'string') return []
  const texts = new Set<string>()
  if (value.includes('{{')) {
    for (const [from, to] of OPERATORS) if (value.includes(from)) texts.add(value.replace(from, to))
    texts.add(value.replace(/\.(\w+)(?=[^.\w(])/, '.$1_x'))
  } else if (METHODS.includes(value))
    texts.add(METHODS[(METHODS.indexOf(value) + 1) % METHODS.length] as string)
  else texts.add(`${value}x`)
  if (/\d/.test(value)) texts.add(value.replace(/\d+/, (digits) => String(Number(digits) + 1)))
  texts.delete(value)
  return [...texts].map((text) => [text, text])
}

const METHODS = ['GET', 'POST', 'PUT']
const OPERATORS = [
  [' > ', ' <= '],
  [' * ', ' + '],
  [' + ', ' - '],
] as const

/** Returns the items in a mixed order that is always the same. */
export function seededOrder<T>(list: readonly T[]): T[] {
  const random = randomFrom(7)
  return list
    .map((item) => [random(1_000_000), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)
}
