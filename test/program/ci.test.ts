/** The script that CI runs, with a fake `npm` that pretends to run the checks. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { onPosix } from '../helpers/platform.ts'
import { runCommand } from '../helpers/run-command.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/ci.ts')

/** @param report what the test runner writes; null if it dies before that */
async function runChecks(report: object | null, failing = 'none') {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const writes =
    report === null
      ? ''
      : `mkdir -p test-results; echo '${JSON.stringify(report)}' > test-results/vitest.json`
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\necho "$*" >> ran\ncase "$*" in\n  *test:all*) ${writes} ;;\nesac\ncase "$*" in\n  *${failing}*) exit 3 ;;\nesac\n`,
  )
  chmodSync(join(bin, 'npm'), 0o755)
  // A report from an earlier run.
  mkdirSync(join(folder, 'test-results'))
  writeFileSync(
    join(folder, 'test-results/vitest.json'),
    '{"numPassedTests":9,"numFailedTests":0,"success":true}',
  )
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  const { code, stdout } = await runCommand(process.execPath, [SCRIPT], { cwd: folder, env })
  const lines = stdout.split('\n').filter(Boolean)
  return { code, ran: readFileSync(join(folder, 'ran'), 'utf8').split('\n').length - 1, end: lines.slice(8) }
}

test.runIf(onPosix)('CI runs every check, and ends with the number of tests on a separate line', async () => {
  const passed = { numPassedTests: 12, numFailedTests: 0, success: true }
  expect({
    good: await runChecks(passed),
    oneFails: await runChecks(passed, 'check:lint'),
    testsFail: await runChecks({ numPassedTests: 11, numFailedTests: 1, success: false }, 'test'),
    noTests: await runChecks({ numPassedTests: 0, numFailedTests: 0, success: true }),
    noReport: await runChecks(null),
  }).toEqual({
    good: { code: 0, ran: 8, end: ['12 passed, 0 failed'] },
    oneFails: { code: 1, ran: 8, end: ['Failed: lint', '12 passed, 0 failed'] },
    testsFail: { code: 1, ran: 8, end: ['Failed: tests', '11 passed, 1 failed'] },
    noTests: { code: 1, ran: 8, end: ['0 passed, 0 failed'] },
    noReport: { code: 1, ran: 8, end: ['0 passed, 0 failed'] },
  })
})
