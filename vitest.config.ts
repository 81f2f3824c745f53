import { defineConfig, type TestUserConfig } from 'vitest/config'

/** Tests that start the built program itself, as its own process. */
const PROGRAM = ['test/{headless,electron,program}/**/*.test.{ts,tsx}']
/** Tests that look at it in a browser. */
const BROWSER = ['test/e2e/**/*.test.{ts,tsx}']

const shared: Pick<TestUserConfig, 'pool' | 'execArgv' | 'testTimeout' | 'hookTimeout'> = {
  pool: 'forks',
  execArgv: ['--disallow-code-generation-from-strings'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...PROGRAM, ...BROWSER],
        },
      },
      {
        test: { ...shared, name: 'program', include: PROGRAM, globalSetup: ['test/helpers/build.ts'] },
      },
      {
        // Playwright makes functions from text; the program that it looks at is a process of its own and may not.
        test: {
          ...shared,
          name: 'browser',
          include: BROWSER,
          globalSetup: ['test/helpers/build.ts'],
          execArgv: [],
          testTimeout: 60_000,
        },
      },
    ],
  },
})
