/** The READMEs of the packages: their examples run with the results they show, and their figures are right. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderTemplate, TemplateError } from '../../packages/jinja/src/template/index.ts'
import { readText } from '../../scripts/lib/read-text.ts'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')

test.each(['curl', 'import-n8n', 'jinja'])('the examples of %s have the results they show', async (name) => {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readText(`packages/${name}/README.md`)) ?? []
  const source = [
    'const shown = []',
    code.replaceAll(/^(?!import |const )(\S.*) \/\/ (.*)$/gm, 'shown.push([$1, $2])'),
    'process.stdout.write(JSON.stringify(shown))',
  ].join('\n')
  const { stdout, stderr } = await runCommand(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: ROOT,
    input: source,
  })
  const shown = JSON.parse(stdout || JSON.stringify(stderr)) as [actual: unknown, stated: unknown][]
  expect(shown.map(([actual]) => actual)).toEqual(shown.map(([, stated]) => stated))
  expect(shown.length).toBeGreaterThan(1)
})

/** The names of `Environment().filters`, `.tests` and `.globals` of Jinja2 3.1.6. */
const FILTERS =
  'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize wordcount wordwrap xmlattr'
const TESTS =
  '!= < <= == > >= boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper'
const GLOBALS = 'range dict lipsum cycler joiner namespace'

test("the figures of jinja's README are those of Jinja2, and it has all they count", () => {
  const named = [
    FILTERS.split(' ').map((name) => `{{ 1 | ${name} }}`),
    TESTS.split(' ').map((name) => `{{ [1] | select('${name}') | list }}`),
    GLOBALS.split(' ').map((name) => `{{ ${name} }}`),
  ]
  const recorded = globSync('packages/jinja/test/template/recorded/*.jsonl', { cwd: ROOT })
    // The first line of each is the context.
    .map((file) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length - 1)
  const readme = readText('packages/jinja/README.md')
  expect(readme).toContain(named.map(({ length }, at) => `${length} ${KINDS[at]}`).join(', '))
  expect(readme).toContain(
    `${recorded.reduce((sum, count) => sum + count, 0).toLocaleString('en')} templates`,
  )
  expect(named.flat().filter((template) => isUnknown(template))).toEqual([])
  expect(['{{ 1 | nope }}', "{{ [1] | select('nope') | list }}", '{{ nope }}'].every(isUnknown)).toBe(true)
})

const KINDS = ['filters', 'tests', 'globals']

function isUnknown(template: string): boolean {
  try {
    return renderTemplate(template, {}) === ''
  } catch (error) {
    return error instanceof TemplateError && /^No (?:filter|test) named/.test(error.message)
  }
}
