/**
 * What integrators do with the API description: they check it, generate clients from it, and call Millrace with these.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTool } from '../../scripts/lib/tools.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const TOOLS = installTool('tools/api-clients')
/** Inside the tool's folder, so that the clients find their packages. */
const FOLDER = join(TOOLS, '.clients')
const DESCRIPTION = join(FOLDER, 'openapi.json')

let home: Home
let served: Served

beforeAll(async () => {
  home = createHome()
  served = await home.serve()
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const response = await fetch(`${served.url}/v1/openapi.json`)
  writeFileSync(DESCRIPTION, await response.text())
})
afterAll(() => home.remove())

/**
 * Runs a program.
 *
 * @throws Error with its output unless the exit code is 0
 */
async function run(file: string, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await runCommand(process.execPath, [file, ...args], { cwd: FOLDER, input })
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

test('the linters of Redocly and Spectral find nothing in the description', async () => {
  expect(await run(join(TOOLS, 'lint.ts'), [], readFileSync(DESCRIPTION, 'utf8'))).toBe('')
})

const CLIENTS = [
  {
    name: 'openapi-typescript',
    generator: 'openapi-typescript/bin/cli.js',
    args: [DESCRIPTION, '-o', 'generated/openapi-typescript.ts'],
  },
  {
    name: 'hey-api',
    generator: '@hey-api/openapi-ts/bin/run.js',
    args: ['-i', DESCRIPTION, '-o', 'generated/hey-api'],
  },
] as const

test('clients made by openapi-typescript and @hey-api/openapi-ts compile strictly and do the main jobs', async () => {
  for (const { name, generator, args } of CLIENTS) {
    await run(join(TOOLS, 'node_modules', generator), args)
    copyFileSync(join(TOOLS, `${name}.ts`), join(FOLDER, `${name}.ts`))
  }
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    module: 'commonjs',
    moduleResolution: 'node10',
    outDir: 'compiled',
  }
  const files = CLIENTS.map(({ name }) => `${name}.ts`)
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  await run(join(TOOLS, 'node_modules/typescript/bin/tsc'), ['-p', '.'])
  writeFileSync(join(FOLDER, 'compiled/package.json'), '{"type": "commonjs"}')

  const { token } = await callOrThrow<{ token: string }>(served, 'POST', '/v1/personal-access-tokens', {
    note: 'Integrator',
    scopes: ['automation', 'company', 'connectors'],
    expiration: 365,
  })
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://api').searchParams.get('page') ?? 1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ items: page > 3 ? [] : [{ id: page }] }))
  })
  const load = createRequire(join(FOLDER, 'compiled/package.json'))
  const done: Record<string, unknown> = {}
  for (const { name } of CLIENTS) {
    const { jobs } = load(`./${name}.js`) as {
      jobs: (baseUrl: string, token: string, listUrl: string) => Promise<unknown>
    }
    done[name] = await jobs(served.url, token, api.url)
  }
  const expected = {
    same: true,
    replayed: 'true',
    unchanged: 304,
    renamed: 'Doubles prices',
    lost: 'precondition_failed',
    run: 'success',
    started: 202,
    names: ['Orders'],
    rows: ['ann@example.com'],
    scopes: ['automation:view'],
    revoked: 204,
    records: 3,
    refused: { code: 'validation', fields: ['name'] },
  }
  expect(done).toEqual({ 'openapi-typescript': expected, 'hey-api': expected })
})
