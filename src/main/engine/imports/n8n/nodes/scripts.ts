/** Expressions of one node that no template says: a code step before it calculates them. */
import type { StepInput } from '../../../../../shared/contract/steps.ts'
import { readScript, type ScriptExpression } from '../expression/runs-as-code.ts'
import { codeOf, nameLines } from '../source/script-names.ts'
import type { Source } from '../source/values.ts'

export interface Scripts {
  /**
   * @param field of the step that reads it
   * @param asText in the middle of other text
   * @returns the template expression that reads the value; null where a code step cannot calculate it
   */
  add(code: string, field: string, asText: boolean): string | null
  /** Null where there is none to calculate. */
  step(): StepInput | null
}

export interface ScriptsOptions {
  /** What comes to the node. */
  readonly source: Source | null
  /** What the nodes before it gave. */
  readonly known: ReadonlyMap<string, Source | null>
  readonly newRef: () => string
}

export function createScripts({ source, known, newRef }: ScriptsOptions): Scripts {
  const values = new Map<string, string>()
  const named = new Map<string, Source>()
  let ref: string | null = null

  function readable({ code, nodes }: ScriptExpression): (readonly [string, Source])[] | null {
    if (/\$(?:json|input)\b/.test(code) && !isReadable(source, code)) return null
    const held = nodes.map((name) => [name, known.get(name) ?? null] as const)
    return held.every((one): one is readonly [string, Source] => isReadable(one[1], code)) ? held : null
  }

  return {
    add(source, field, asText) {
      const script = readScript(source)
      const nodes = script && readable(script)
      if (script === null || nodes === null) return null
      for (const [name, held] of nodes) named.set(name, held)
      ref ??= newRef()
      const key = freeKey(field, values)
      values.set(key, `${asText ? '$text' : '$value'}(() => (${script.code}))`)
      return `${ref}.${key}`
    },
    step() {
      if (ref === null) return null
      const code = [...values.values()].join('\n')
      const lines = [
        '// From n8n: expressions that a template does not say. The first lines make its names of the results before.',
        ...(/\$json|\$input|\$\(|\$node/.test(code) ? nameLines(source, [...named]) : []),
        ...(code.includes('$itemIndex') ? ['const $itemIndex = input.index ?? 0'] : []),
        '// Where something is missing on the way there is nothing, as in n8n.',
        'const $value = (read) => { try { return read() ?? null } catch (error) { if (error instanceof TypeError) return null; throw error } }',
        ...(code.includes('$text(') ? ["const $text = (read) => String($value(read) ?? '')"] : []),
        'return {',
        ...[...values].map(([key, value]) => `  ${key}: ${value},`),
        '}',
      ]
      return { ref_id: ref, type: 'code', config: { source: lines.join('\n') } }
    },
  }
}

/** Whether code can read it, and reads the item that n8n would. */
function isReadable(source: Source | null, code: string): source is Source {
  if (source === null || codeOf(source) === null) return false
  const readsAll = /\.\s*(?:all|first|last)\s*\(/.test(code)
  if (source.items === 'one') return source.all === undefined || !readsAll
  return source.items === 'maybe' || !/\$json\b|\$node\b|\.\s*item\b/.test(code)
}

/** `config.values.total` is `total`. */
function freeKey(field: string, taken: ReadonlyMap<string, string>): string {
  const last = /([A-Za-z]\w*)\W*$/.exec(field)?.[1] ?? 'value'
  for (let count = 1; ; count++) {
    const key = count === 1 ? last : `${last}_${count}`
    if (!taken.has(key)) return key
  }
}
