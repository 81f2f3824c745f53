import type { Step } from '../../../../shared/contract/steps.ts'

/**
 * The steps with every template that reads `from` reading `to` instead, and how many texts that changed. Only names
 * inside `{{ }}` and `{% %}` count, and in `when`, which may be a bare expression; a key (`x.from`) or a quoted text is
 * none.
 */
export function renameReferences(
  steps: readonly Step[],
  from: string,
  to: string,
): { readonly steps: Step[]; readonly changed: number } {
  const name = new RegExp(`(?<![\\w.'"])${from}(?!\\w)`, 'g')
  let changed = 0

  function inText(text: string, key: string): string {
    const renamed =
      key === 'when' && !text.includes('{{') && !text.includes('{%')
        ? text.replace(name, to)
        : text.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, (tag) => tag.replace(name, to))
    if (renamed !== text) changed += 1
    return renamed
  }

  function inValue(value: unknown, key: string): unknown {
    if (typeof value === 'string') return inText(value, key)
    if (Array.isArray(value)) return value.map((item) => inValue(item, ''))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name_, item]) => [name_, inValue(item, name_)]))
  }

  const CHILDREN = new Set(['steps', 'then', 'else', 'default', 'cases'])
  const inStep = (step: Step): Step =>
    Object.fromEntries(
      Object.entries(step).map(([key, value]) => {
        if (key === 'config') return [key, inValue(value, key)]
        if (!CHILDREN.has(key) || !Array.isArray(value)) return [key, value]
        if (key !== 'cases') return [key, (value as Step[]).map(inStep)]
        return [key, (value as { steps: Step[] }[]).map((one) => ({ ...one, steps: one.steps.map(inStep) }))]
      }),
    ) as unknown as Step

  return { steps: steps.map(inStep), changed }
}
