/**
 * Runs the tests of 50 flows, 100 rounds of them, and then with 500 planted changes; prints how long they take and
 * which changes they find.
 */
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/services/tests/figures.test.ts'],
  { stdio: 'inherit', env: { ...process.env, MILLRACE_FLOW_TESTS: 'long' } },
)
process.exitCode = status ?? 1
