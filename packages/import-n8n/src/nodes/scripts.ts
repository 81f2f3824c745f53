/** The JavaScript of one node, which computes values for the node's step or is the step itself. */
import { say } from '@millrace/jinja/said'
import type { Step } from '../source/steps.ts'
import { type Read, readExpression, type Script } from '../expression/script.ts'
import { checkRead, nameLines, type ScriptScope } from './script-names.ts'
import { refuse } from '../source/untranslatable.ts'

export interface Scripts {
  /**
   * Converts an n8n expression to JavaScript.
   *
   * @throws NotReadable
   */
  read(code: string): string
  /** Registers a script that has already been analyzed. */
  use(script: Script): void
  /**
   * Adds an expression for the step before the node's own to compute.
   *
   * @param field the field of the step that reads it
   * @returns the template expression that reads it
   */
  add(js: string, field: string): string
  /** The steps before the node's own, which read variables for it and compute the added expressions. */
  steps(): Step[]
  /** The config of a code step. */
  program(body: string): ScriptConfig
}

export interface ScriptConfig {
  readonly source: string
  readonly runtime: 'n8n'
}

export interface ScriptsOptions extends ScriptScope {
  readonly timezone: string
  readonly newRef: (end: string) => string
  readonly env: (name: string) => void
}

export function createScripts({ timezone, newRef, env, ...scope }: ScriptsOptions): Scripts {
  const calculated = new Map<string, string>()
  const reads: Read[] = []
  const variables = new Set<string>()
  let ref: string | null = null
  let envRef: string | null = null

  function use(script: Script): void {
    for (const read of script.reads) {
      checkRead(read, scope)
      if (read.name === undefined) continue
      env(read.name)
      variables.add(read.name)
      envRef ??= newRef('env')
    }
    reads.push(...script.reads)
  }

  function program(body: string): ScriptConfig {
    const names = nameLines(body, reads, scope)
    // A script can't read variables, so a step before it does.
    if (envRef !== null) names.push(`const $env = input.${envRef}, $vars = $env`)
    if (timezone !== 'UTC') names.unshift(`$timezone(${JSON.stringify(timezone)})`)
    const source = [...names, body].join('\n')
    if (source.length > MOST_SOURCE) refuse(say`has more JavaScript than a code step allows`)
    return { source, runtime: 'n8n' }
  }

  return {
    read(code) {
      const script = readExpression(code)
      use(script)
      return `$value(() => (${script.code}))`
    },
    use,
    add(js, field) {
      ref ??= newRef('js')
      const key = freeKey(field, calculated)
      calculated.set(key, js)
      return `${ref}.${key}`
    },
    steps() {
      const steps: Step[] = []
      const values = Object.fromEntries([...variables].map((name) => [name, `{{ ${name} }}`]))
      if (envRef !== null) steps.push({ ref_id: envRef, type: 'set', config: { values } })
      if (ref === null) return steps
      const lines = [...calculated].map(([key, value]) => `  ${key}: ${value},`)
      const config = program(['return {', ...lines, '}'].join('\n'))
      return [...steps, { ref_id: ref, type: 'code', config: { ...config } }]
    },
    program,
  }
}

const MOST_SOURCE = 65_536

/** The key for `config.values.total` is `total`. */
function freeKey(field: string, taken: ReadonlyMap<string, string>): string {
  const last = field.match(/[A-Za-z]\w*/g)?.at(-1) ?? 'value'
  for (let count = 1; ; count++) {
    const key = count === 1 ? last : `${last}_${count}`
    if (!taken.has(key) && !DICTIONARY.has(key)) return key
  }
}

/** Names of dictionary methods in templates. */
const DICTIONARY = new Set('clear copy get items keys pop popitem setdefault update values'.split(' '))
