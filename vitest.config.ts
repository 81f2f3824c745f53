import { join } from 'node:path'
import { defineConfig, type TestUserConfig } from 'vitest/config'

// For the workers of the runner, and the threads and processes that tests start from sources: much of their time would
// go into compiling the same files.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Tests that start the built program itself, as its own process. */
const PROGRAM = ['test/{headless,electron,program}/**/*.test.{ts,tsx}']
/** Tests that kill it, fill its disk and turn its clock; minutes long in the mode `long`. */
const CRASH = ['test/crash/**/*.test.ts']
/** Tests that look at it in a browser. */
const BROWSER = ['test/e2e/**/*.test.{ts,tsx}']
/** The mode `short`, that of `npm test`: something of each part of the page. */
const BROWSER_IN_SHORT = [
  'test/e2e/{auth-sheet,data-tables,editor-data,first-flow,first-webhook,home}.test.ts',
  'test/e2e/{keyboard,runs,sign-in,toasts,tokens,versions}.test.ts',
]

/** For what never ends. Nothing else is measured by it: a machine may be many times slower than the one it was written on. */
const HANGS_MS = 5 * 60_000

const shared: TestUserConfig = {
  pool: 'forks',
  execArgv: ['--disallow-code-generation-from-strings'],
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  // Shorter than a test's own limit, so that what was waited for is named.
  expect: { poll: { timeout: HANGS_MS / 5 } },
  // Much of the time would go into starting a process and loading the same modules for each file; nothing here replaces
  // one, and what is opened is closed with its test or its file.
  isolate: false,
}

export default defineConfig(({ mode }) => ({
  test: {
    // Much of the time goes into waiting for started programs and browsers: a third one fills two cores.
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
        // Playwright makes functions from text; the program that it looks at is a process of its own and may not.
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
