import { defineConfig, type TestUserConfig } from 'vitest/config'

/** Tests that start the built program itself, as its own process or in a browser. */
const PROGRAM = ['test/{headless,electron,e2e,program}/**/*.test.{ts,tsx}']

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
        test: { ...shared, name: 'parts', include: ['test/**/*.test.{ts,tsx}'], exclude: PROGRAM },
      },
      {
        test: { ...shared, name: 'program', include: PROGRAM, globalSetup: ['test/helpers/build.ts'] },
      },
    ],
  },
})
