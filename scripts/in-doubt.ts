/**
 * Reads from various kinds of APIs with every fault in the middle of their lists; prints how many of the reads end in
 * each way.
 */
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/engine/pagination/in-doubt.test.ts'],
  { stdio: 'inherit', env: { ...process.env, MILLRACE_DOUBT: 'long' } },
)
process.exitCode = status ?? 1
