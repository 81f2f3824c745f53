/** Combines flows that differ only in their trigger into one. */
import { refsIn, type Step } from './source/steps.ts'

/** Triggers of which a flow can have several. */
const TRIGGERS: readonly string[] = [
  'webhook',
  'form_trigger',
  'schedule',
  'list_trigger',
  'folder_trigger',
  'imap_trigger',
]
/** Triggers at the flow's URL. A flow can have only one of them. */
const AT_URL: readonly string[] = ['webhook', 'form_trigger']

export interface Start {
  readonly steps: readonly Step[]
}

/** The merged flows in the given order, each with the flows it was made from. It has the name of the first of them. */
export function mergeStarts<S extends Start>(
  starts: readonly S[],
): { readonly steps: readonly Step[]; readonly of: readonly [S, ...S[]] }[] {
  const flows: { of: [S, ...S[]]; triggers: Step[]; rest: readonly Step[] | null; key: string }[] = []
  for (const start of starts) {
    const [trigger] = start.steps
    const rest = trigger === undefined ? null : restFor(start.steps)
    const key = JSON.stringify(rest)
    const same = flows.find((flow) => rest !== null && flow.key === key && isFree(flow.triggers, trigger))
    if (same === undefined || trigger === undefined) {
      flows.push({ of: [start], triggers: trigger === undefined ? [] : [trigger], rest, key })
    } else {
      same.of.push(start)
      same.triggers.push(renamed(trigger, same.triggers))
    }
  }
  return flows.map(({ of, triggers, rest }) => ({
    of,
    steps: of.length === 1 || rest === null ? of[0].steps : [...triggers, ...rest],
  }))
}

function isFree(triggers: readonly Step[], added: Step | undefined): boolean {
  if (added === undefined || !AT_URL.includes(added.type)) return true
  return !triggers.some(({ type, ref_id: ref }) => AT_URL.includes(type) || ref === added.ref_id)
}

function renamed(trigger: Step, others: readonly Step[]): Step {
  const taken = new Set(others.map(({ ref_id: ref }) => ref))
  let ref = trigger.ref_id
  for (let number = 2; taken.has(ref); number++) ref = `${trigger.ref_id}_${number}`
  return { ...trigger, ref_id: ref }
}

/**
 * The steps after the trigger, which read its result by the name that all triggers have. Null if they can't, for
 * example because a script reads it by its own name.
 */
function restFor([trigger, ...rest]: readonly Step[]): readonly Step[] | null {
  if (trigger === undefined || !TRIGGERS.includes(trigger.type) || rest.length === 0) return null
  const own = trigger.ref_id
  if (own === 'trigger' || refsIn(rest).has('trigger')) return null
  // linear: one name between two single characters
  const name = new RegExp(String.raw`(?<![\w.'"])${own}(?![\w'"])`, 'g')
  // linear: one name between two single characters
  const inScript = new RegExp(String.raw`(?<![\w.'"])input\.${own}(?!\w)`, 'g')
  const common = mapTexts(rest, (text, key) =>
    key === 'source'
      ? text.replaceAll(inScript, 'input.trigger.output')
      : inTags(text, (tag) => tag.replaceAll(name, 'trigger.output')),
  ) as readonly Step[]
  // linear: one name
  return new RegExp(String.raw`\b${own}\b`).test(JSON.stringify(common)) ? null : common
}

/** Changes the code inside a template's tags. */
function inTags(text: string, map: (tag: string) => string): string {
  let isInside = false
  const parts = text.split(/(\{[{%]|[%}]\})/).map((part, index) => {
    if (index % 2 === 0) return isInside ? map(part) : part
    isInside = part.startsWith('{')
    return part
  })
  return parts.join('')
}

function mapTexts(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, map, name)]))
}
