import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderTemplate } from '../../src/template/index.ts'

interface Line {
  readonly template: string
  readonly expected?: string
  readonly error?: string
  readonly message?: string
}

const folder = new URL('./recorded/', import.meta.url)

/**
 * The output of `npm run jinja:record`: the context first, then one template per line with the result of the real
 * Jinja2.
 */
describe('recorded results of Jinja2', () => {
  it.each(readdirSync(folder))('%s agree', (file) => {
    const [first = '', ...rest] = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n')
    const { context } = JSON.parse(first) as { context: Record<string, unknown> }
    const lines = rest.map((line) => JSON.parse(line) as Line)
    const misses = lines.flatMap((line) => missOf(line, context) ?? [])
    expect(misses).toEqual([])
    expect(lines.length).toBeGreaterThan(20)
  })
})

function missOf({ template, expected, message }: Line, context: Record<string, unknown>): object | undefined {
  const got = render(template, context)
  const agrees = expected === undefined ? 'error' in got : 'text' in got && got.text === expected
  return agrees ? undefined : { template, wanted: expected ?? `!${message}`, got }
}

function render(template: string, context: Record<string, unknown>): { text: string } | { error: string } {
  try {
    return { text: renderTemplate(template, context) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
