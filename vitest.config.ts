import { join } from 'node:path'
import { defineConfig, type TestUserConfig } from 'vitest/config'

// For the workers of the runner, and for the threads and processes that tests start from sources. Otherwise they would
// spend much of their time compiling the same files.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Tests that start the built program itself, as its own process. */
const PROGRAM = ['test/{headless,electron,program}/**/*.test.{ts,tsx}']
/** Tests that kill the program, fill its disk and change its clock; they take minutes in the mode `long`. */
const CRASH = ['test/crash/**/*.test.ts']
/** Tests that use the program in a browser. */
const BROWSER = ['test/e2e/**/*.test.{ts,tsx}']
/** The mode `short`, which `npm test` uses, tests something of each part of the page. */
const BROWSER_IN_SHORT = [
  'test/e2e/{auth-sheet,data-tables,editor-data,first-flow,first-webhook,home}.test.ts',
  'test/e2e/{keyboard,runs,sign-in,toasts,tokens,versions}.test.ts',
]

/**
 * The limit for what never ends. It measures nothing else, because a machine may be many times slower than the one this
 * was written on.
 */
const HANGS_MS = 5 * 60_000

const shared: TestUserConfig = {
  pool: 'forks',
  execArgv: ['--disallow-code-generation-from-strings'],
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  // Shorter than a test's own limit, so that the failure names what was waited for.
  expect: { poll: { timeout: HANGS_MS / 5 } },
  // Otherwise much of the time would go into starting a process and loading the same modules for each file. Nothing
  // here replaces a module, and what a test or file opens is closed with it.
  isolate: false,
}

export default defineConfig(({ mode }) => ({
  test: {
    // Much of the time goes into waiting for started programs and browsers, so a third worker keeps two cores busy.
    maxWorkers: 3,
    teardownTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}', 'packages/*/test/**/*.test.ts'],
          exclude: [...PROGRAM, ...CRASH, ...BROWSER],
        },
      },
      {
        test: { ...shared, name: 'program', include: PROGRAM, globalSetup: ['test/helpers/build.ts'] },
      },
      {
        test: {
          ...shared,
          name: 'crash',
          include: CRASH,
          globalSetup: ['test/helpers/build.ts'],
          testTimeout: mode === 'long' ? 30 * 60_000 : HANGS_MS,
        },
      },
      {
        // Playwright creates functions from strings. The program under test is a separate process, in which that isn't
        // allowed.
        test: {
          ...shared,
          name: 'browser',
          include: mode === 'short' ? BROWSER_IN_SHORT : BROWSER,
          globalSetup: ['test/helpers/build.ts'],
          execArgv: [],
        },
      },
    ],
  },
}))
