/**
 * `npm run ci`, after `npm ci`: everything a change must pass, on every system. Its last line is "N passed, N
 * failed", from the test runner's own report.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const REPORT = join(process.cwd(), 'test-results/vitest.json')
const CHECKS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['tests', 'run', '-s', 'test:all'],
  ['types', 'run', '-s', 'check:types'],
  ['lint', 'run', '-s', 'check:lint'],
  ['format', 'run', '-s', 'check:format'],
  ['unused code', 'run', '-s', 'check:unused'],
  ['prose', 'run', '-s', 'check:prose'],
  ['regular expressions', 'run', '-s', 'check:regexp'],
  ['documentation site', 'run', '-s', 'site'],
]

/** If a test hangs, the run is stopped after this time and fails. */
const HANGS_MS = 40 * 60_000

/** A report from an earlier run must not be taken for this one's. */
rmSync(REPORT, { force: true })
const failed = CHECKS.filter(([name, ...args]) => {
  process.stdout.write(`\n== ${name}\n`)
  // On Windows, npm's command only starts through the shell; no argument here needs quoting.
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell, timeout: HANGS_MS })
  return status !== 0
}).map(([name]) => name)

const { numPassedTests, numFailedTests, success } = readReport()
const isFine = failed.length === 0 && success && numPassedTests > 0 && numFailedTests === 0
if (failed.length > 0) process.stdout.write(`\nFailed: ${failed.join(', ')}\n`)
process.stdout.write(`\n${numPassedTests} passed, ${numFailedTests} failed\n`)
process.exitCode = isFine ? 0 : 1

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly success: boolean
}

/** Without a report, or with one that has no tests, nothing has been tested. */
function readReport(): Report {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as Report
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, success: false }
  }
}
