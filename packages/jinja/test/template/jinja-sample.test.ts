import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { compile, parseLiteral, render } from '../../../../test/helpers/jinja-engine.ts'
import { sharedChecks } from '../../../../test/helpers/shared-checks.ts'

interface Line {
  readonly id: string
  readonly area: string
  readonly template: string
  readonly context: Record<string, unknown>
  readonly extensions?: readonly string[]
  readonly expected?: string
  readonly error?: string
  readonly error_kind?: string
  readonly sandbox?: { readonly expected?: string; readonly error?: string }
  readonly parsed?: unknown
}

const folder = sharedChecks('jinja')
const lines = folder
  ? readFileSync(resolve(folder, 'sample.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
  : []
const areas = Map.groupBy(lines, ({ area }) => area)

// The recorded results of the real Jinja2 are stored next to the repository and aren't available everywhere.
describe.skipIf(lines.length === 0)('templates with output recorded from the real Jinja2', () => {
  it.each([...areas.keys()])('%s agree', (area) => {
    const misses = (areas.get(area) ?? [])
      .filter((line) => !agrees(line))
      .map(({ id, template }) => `${id} ${template}`)
    expect(misses).toEqual([])
  })

  it('have their syntax errors found before rendering', () => {
    const wrong = lines.filter((line) => line.error_kind === 'syntax')
    expect(wrong.filter(({ template }) => attempt(() => (compile(template), true)) === true)).toEqual([])
  })
})

function agrees(line: Line): boolean {
  const { expected, error } = line.sandbox ?? line
  const text = attempt(() => render(line.template, line.context, { extensions: line.extensions ?? [] }))
  if (error !== undefined) return text === undefined
  if (text !== expected) return false
  if (!('parsed' in line)) return true
  return isDeepStrictEqual(JSON.parse(JSON.stringify(parseLiteral(text ?? ''))), line.parsed)
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
