/** Text from outside never makes a terminal do anything, nor does it look like another row. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const OUTPUT = new URL('../../src/main/headless/support/output.ts', import.meta.url).href
const HOSTILE = '\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202eabc\r\nfake line\tü'

function printed(json: boolean, call: string): string {
  const script = `
    const { createOutput, formatTable } = await import(${JSON.stringify(OUTPUT)})
    const output = createOutput(${json}), hostile = ${JSON.stringify(HOSTILE)}
    ${call}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  return stdout + stderr
}

const ESCAPED = String.raw`\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202eabc`

test('what a terminal would obey is shown escaped; line breaks stay in texts, and not in rows', () => {
  expect({
    table: printed(false, `output.answer(null, formatTable(['A', 'B'], [[hostile, 'b']]))`)
      .split('\n')
      .slice(1),
    text: printed(false, 'output.answer(null, hostile)'),
    line: printed(false, 'output.line(null, hostile)'),
    failure: printed(false, `output.failure('x', hostile)`),
    json: printed(true, 'output.answer(hostile, hostile)'),
    value: JSON.parse(printed(true, 'output.line({ hostile }, hostile)')) as unknown,
  }).toEqual({
    table: [`${ESCAPED}\\nfake line\tü  b`, ''],
    text: `${ESCAPED}\nfake line\tü\n`,
    line: `${ESCAPED}\\nfake line\tü\n`,
    failure: `millrace: ${ESCAPED}\nfake line\tü\n`,
    json: `"${ESCAPED}\\r\\nfake line\\tü"\n`,
    value: { hostile: HOSTILE },
  })
})
