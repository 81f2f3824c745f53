/** Plants 1,000 mistakes in flows; prints how many the check names and fixes. `MILLRACE_MISTAKES_SEED` varies them. */
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/services/flows/mistakes.test.ts'],
  { stdio: 'inherit', env: { ...process.env, MILLRACE_MISTAKES: 'long' } },
)
process.exitCode = status ?? 1
