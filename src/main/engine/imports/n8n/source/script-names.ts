/** n8n's names in the JavaScript of a code step, made of the results of the steps before. */
import type { Source } from './values.ts'

/** Lines that define `$json`, `$input`, `$('Name')` and the like; `input` of the step holds the results. */
export function nameLines(
  source: Source | null,
  named: readonly (readonly [name: string, held: Source])[],
): string[] {
  return [
    `const $items = ${source === null ? '[]' : listCode(source)}.map((json) => ({ json }))`,
    'const $of = (list) => ({ all: () => list, first: () => list[0], last: () => list[list.length - 1], item: list[0], json: list[0]?.json })',
    'const $input = $of($items)',
    'const items = $items, item = $items[0], $json = item?.json',
    ...(named.length === 0
      ? ['const $ = () => $of([]), $node = {}']
      : [
          `const $nodes = { ${named.map(([name, held]) => `${JSON.stringify(name)}: ${listCode(held)}`).join(', ')} }`,
          'const $ = (name) => $of(($nodes[name] ?? []).map((json) => ({ json })))',
          'const $node = new Proxy({}, { get: (_, name) => $(name) })',
        ]),
  ]
}

/** The items as JavaScript. */
function listCode(source: Source): string {
  const whole = codeOf(source)
  if (whole === null) return '[]'
  return source.items === 'one' ? `[${whole}]` : `[${whole}].flat()`
}

/** What is there as JavaScript; null where it is calculated in a way that only a template can. */
export const codeOf = ({ whole, fields }: Source): string | null => asCode(whole, fields)

/** A path of names reads the same there; of other expressions those that are known. */
function asCode(expression: string, fields: Source['fields']): string | null {
  if (expression === 'webhook.headers') return '(input.webhook?.headers ?? {})'
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\['(?:[^'\\]|\\.)*'\]|\[\d+\])*$/.test(expression))
    return `input.${expression}`
  if (fields !== undefined) {
    const parts = Object.entries(fields).flatMap(([key, held]) => {
      const value = held === null ? null : asCode(held, undefined)
      return value === null ? [] : [`${JSON.stringify(key)}: ${value}`]
    })
    return `{ ${parts.join(', ')} }`
  }
  const choice = /^\((.*) \| default\((.*)\)\)$/.exec(expression)
  if (choice !== null) {
    const [first, second] = [asCode(choice[1] ?? '', undefined), asCode(choice[2] ?? '', undefined)]
    return first === null || second === null ? null : `(${first} ?? ${second})`
  }
  const list = /^\[(.*)\]$/s.exec(expression)
  const only = list === null ? null : asCode(list[1] ?? '', undefined)
  return expression === '{}' ? '{}' : only === null ? null : `[${only}]`
}
