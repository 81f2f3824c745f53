/**
 * `npm run jinja:record`: renders the cases of `jinja/cases.ts`, and a set of random ones, with the real Jinja2 and
 * writes the results to `packages/jinja/test/template/recorded/`, where every test run compares the engine with them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { CASES } from './jinja/cases.ts'
import { CONTEXT } from './jinja/context.ts'
import { generateCases } from './jinja/generate.ts'
import { type Answer, askJinja } from './jinja/oracle.ts'

const folder = new URL('../packages/jinja/test/template/recorded/', import.meta.url)
const RANDOM_SEED = 20_260_101
const RANDOM_COUNT = 1200

mkdirSync(folder, { recursive: true })
for (const [area, templates] of Object.entries(CASES)) record(area, templates)
record(
  'random',
  generateCases(RANDOM_SEED, RANDOM_COUNT).map(({ template }) => template),
)

function record(area: string, templates: readonly string[]): void {
  const answers = askJinja(templates.map((template) => ({ template, context: CONTEXT })))
  const lines = templates.flatMap((template, index) => {
    const answer = answers[index]
    return answer !== undefined && isComparable(template, answer)
      ? [JSON.stringify({ template, ...answer })]
      : []
  })
  writeFileSync(
    new URL(`${area}.jsonl`, folder),
    `${JSON.stringify({ context: CONTEXT })}\n${lines.join('\n')}\n`,
  )
  process.stdout.write(`${area}: ${lines.length} of ${templates.length}\n`)
}

/**
 * Excludes output with memory addresses, and the intended differences (see docs/reference/templates.md): complex
 * numbers, and paths with `..`, which are JSONPath here.
 */
function isComparable(template: string, answer: Answer): boolean {
  if (/\w\.\.\w/.test(template)) return false
  return !('expected' in answer) || !/ at 0x[\da-f]+|[\d.]j\b/i.test(answer.expected)
}
