import type { Step } from '../../../../shared/contract/steps.ts'
import { mapLists } from '../../../../shared/contract/base/step-lists.ts'
import { freeRefId } from './step-tree.ts'

/**
 * The steps with every template that reads `from` reading `to` instead, and how many strings that changed. Only names
 * inside `{{ }}` and `{% %}` count, and in `when`, which can be a bare expression; a key (`x.from`) or a quoted
 * string doesn't.
 */
export function renameReferences(
  steps: readonly Step[],
  from: string,
  to: string,
): { readonly steps: Step[]; readonly changed: number } {
  // linear: a name, which has no special characters
  const name = new RegExp(`(?<![\\w.'"])${from}(?!\\w)`, 'g')
  let changed = 0

  function inText(text: string, key: string): string {
    const renamed =
      key === 'when' && !text.includes('{{') && !text.includes('{%')
        ? text.replace(name, to)
        : text.replace(/\{\{[^]*?(?:\}\}|$)|\{%[^]*?(?:%\}|$)/g, (tag) => tag.replace(name, to))
    if (renamed !== text) changed += 1
    return renamed
  }

  function inValue(value: unknown, key: string): unknown {
    if (typeof value === 'string') return inText(value, key)
    if (Array.isArray(value)) return value.map((item) => inValue(item, ''))
    if (typeof value !== 'object' || value === null) return value
    return inDictionary(value)
  }

  function inDictionary(values: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).map(([key, item]) => [key, inValue(item, key)]))
  }

  const inStep = (step: Step): Step => ({
    ...mapLists<Step, Step>(step, (list) => list.map(inStep)),
    config: inDictionary(step.config),
  })

  return { steps: steps.map(inStep), changed }
}

/**
 * Renames the steps and everything inside them to names that are free in the target tree, and updates the templates
 * that refer to them.
 */
export function withFreshNames(
  steps: readonly Step[],
  copied: readonly Step[],
  reserved: readonly string[] = [],
): readonly Step[] {
  let named = steps
  const renamed: { readonly before: string; readonly after: string }[] = []
  const rename = (one: Step): Step => {
    const after = freeRefId(named, one.ref_id, reserved)
    if (after !== one.ref_id) renamed.push({ before: one.ref_id, after })
    const fresh = { ...one, ref_id: after }
    named = [
      ...named,
      { ...fresh, steps: undefined, then: undefined, else: undefined, default: undefined, cases: undefined },
    ]
    return mapLists<Step, Step>(fresh, (list) => list.map(rename))
  }
  const copies: readonly Step[] = copied.map(rename)
  // The steps first get temporary names, since the new name of one may be the old name of another.
  const between = (index: number) => `copied_${index}_of_${renamed.length}`
  const away = renamed.reduce(
    (list, { before }, at) => renameReferences(list, before, between(at)).steps,
    copies,
  )
  return renamed.reduce((list, { after }, at) => renameReferences(list, between(at), after).steps, away)
}
