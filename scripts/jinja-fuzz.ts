/** `npm run jinja:fuzz -- --seed N [--count N] [--show N]`: random templates, compared with the real Jinja2. */
import { parseArgs } from 'node:util'
import { renderTemplate } from '../packages/jinja/src/template/index.ts'
import { generateCases } from './jinja/generate.ts'
import { type Answer, askJinja, type Case } from './jinja/oracle.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '3000' },
    show: { type: 'string', default: '20' },
  },
})
const MINIMUM = 0.985

const cases = generateCases(Number(values.seed), Number(values.count))
const answers = askJinja(cases)
const misses = cases.flatMap((one, index) => missOf(one, answers[index]) ?? [])
for (const miss of misses.slice(0, Number(values.show))) process.stdout.write(`${miss}\n`)
const rate = 1 - misses.length / cases.length
const failing = answers.filter((answer) => 'error' in answer).length
process.stdout.write(
  `seed ${values.seed}: ${cases.length - misses.length} of ${cases.length} agree (${(rate * 100).toFixed(2)} %); ` +
    `${failing} fail in Jinja2 too\n`,
)
process.exitCode = rate >= MINIMUM ? 0 : 1

function missOf({ template, context }: Case, answer: Answer | undefined): string | undefined {
  const wanted =
    answer === undefined || 'error' in answer ? `!${answer?.message ?? 'no response'}` : answer.expected
  const got = render(template, context)
  const agrees =
    wanted.startsWith('!') && answer !== undefined && 'error' in answer
      ? got.failed
      : !got.failed && got.text === wanted
  if (agrees) return undefined
  return `${JSON.stringify(template)}\n   Jinja2 ${JSON.stringify(wanted)}\n   ours   ${JSON.stringify(got.text)}`
}

function render(template: string, context: Case['context']): { text: string; failed: boolean } {
  try {
    return { text: renderTemplate(template, structuredClone(context)), failed: false }
  } catch (error) {
    return { text: `!${error instanceof Error ? error.message : String(error)}`, failed: true }
  }
}
