import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HTTP_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { confirmedPlugin, part } from '../../helpers/plugins.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function run(app: FlowApp, step: string, input: object = {}, more: object = {}) {
  const { flow } = await app.addFlow([
    { ref_id: 'first', type: 'set', config: { values: { word: 'Ada' } } },
    { ref_id: 'it', type: 'plugin', config: { plugin: 'tools', step, input, ...more } },
  ])
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const last = json as FlowRun
  const error = last.error && `${last.error.code}: ${last.error.message}`
  return error ?? app.stepsOf(last)[1]?.output
}

describe('a step of a plug-in', () => {
  it('gets its fields rendered and checked, and returns what its function does', async () => {
    const app = await startFlowApp()
    const fields = [
      { name: 'word', label: 'Word', kind: 'text', required: true },
      { name: 'times', label: 'Times', kind: 'number', default: 2 },
      { name: 'how', label: 'How', kind: 'choice', options: { loud: 'Loud' }, default: 'loud' },
      { name: 'any', label: 'Any' },
    ]
    await confirmedPlugin(
      app,
      { steps: [part('shout', { fields })] },
      'export const steps = { shout: async ({ input, log }) => { log("hi"); return { ...input, said: input.word.repeat(input.times).toUpperCase() } } }',
    )
    expect([
      await run(app, 'shout', { word: '{{ first.word }}', any: '{{ 9007199254740993 }}' }),
      await run(app, 'shout', { word: 'a', times: '{{ "3" }}' }),
      await run(app, 'shout', { word: '{{ "" }}' }),
      await run(app, 'shout', { word: 'a', times: 'many' }),
    ]).toEqual([
      { word: 'Ada', times: 2, how: 'loud', any: 9007199254740993n, said: 'ADAADA' },
      { word: 'a', times: 3, how: 'loud', any: null, said: 'AAA' },
      expect.stringContaining('"word" is required'),
      expect.stringContaining('"times" must be a number, got "many"'),
    ])
  })

  it('reports where its code failed, and is stopped like other code', async () => {
    const app = await startFlowApp()
    const source = `export const steps = {
  fails() { throw new Error('no such number') },
  loops() { for (;;); },
  fills() { const all = []; for (;;) all.push(new Array(1000).fill('x')) },
  waits: () => new Promise(() => {}),
  escapes: () => typeof process + typeof require + typeof fetch,
}`
    const names = ['fails', 'loops', 'fills', 'waits', 'escapes', 'missing']
    await confirmedPlugin(app, { steps: names.map((name) => part(name)) }, source)
    expect(await Promise.all(names.map((name) => run(app, name)))).toEqual([
      expect.stringContaining('code_error: Step "it": line 2: Error: no such number'),
      expect.stringMatching(/code_limit.*limit of 5 s/),
      expect.stringMatching(/code_limit.*limit of 64 MB/),
      expect.stringContaining('a promise was never resolved'),
      'undefinedundefinedundefined',
      expect.stringContaining('run.js exports no function "missing" in "steps"'),
    ])
  })

  it('sends requests to its origins only, and sees what failed', async () => {
    const api = await startThirdPartyApi(({ method, target, body }, response) => {
      if (target === '/away') return response.writeHead(302, { location: 'http://localhost:1/' }).end()
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ path: target, method, got: body.toString() }))
    })
    const app = await startFlowApp()
    const fields = [{ name: 'url', label: 'URL', kind: 'text' }]
    const source = `export const steps = {
  ask: async ({ input, request }) => {
    const all = [{ url: input.url }, { url: input.url, method: 'POST', body: { a: 1 } }]
    const answers = await Promise.all(all.map(request))
    return answers.map(({ status, body }) => [status, body])
  },
  try_to: ({ input, request }) => request({ url: input.url }).catch((error) => error.message),
}`
    const steps = [part('ask', { fields }), part('try_to', { fields })]
    await confirmedPlugin(app, { steps, permissions: { origins: [api.url], private_network: true } }, source)
    const outputs = [
      await run(app, 'ask', { url: `${api.url}/a` }),
      await run(app, 'try_to', { url: `${api.url}/away` }),
      await run(app, 'try_to', { url: 'http://localhost:1/' }),
    ]
    await confirmedPlugin(app, { steps, permissions: { origins: [api.url] } }, source)
    outputs.push(await run(app, 'try_to', { url: `${api.url}/a` }))
    await confirmedPlugin(app, { steps }, source)
    outputs.push(await run(app, 'try_to', { url: `${api.url}/a` }))
    expect(outputs).toEqual([
      [
        [200, { path: '/a', method: 'GET', got: '' }],
        [200, { path: '/a', method: 'POST', got: '{"a":1}' }],
      ],
      expect.stringContaining("http://localhost:1 can't be called from here"),
      expect.stringContaining("http://localhost:1 can't be called from here"),
      expect.stringContaining('is an address of your computer or network'),
      "The plug-in doesn't declare any origin in its manifest",
    ])
  })

  it('signs its requests with the auth of the step, only where its secrets belong, and never sees them', async () => {
    const api = await startThirdPartyApi(({ headers, target }, response) => {
      response.setHeader('content-type', 'application/json')
      return response.end(
        JSON.stringify({ target, isSigned: headers['authorization'] === 'Bearer t0p-secret' }),
      )
    })
    const other = await startThirdPartyApi((_, response) => response.end('{}'))
    const app = await startFlowApp()
    const connector = {
      format: 'millrace-connector',
      version: 1,
      connector: { name: 'Bank', base_domain: api.url, auth_config: { auth_types: ['bearer'] } },
      actions: [{ name: 'list', method: 'GET', endpoint: '/list' }],
    }
    const source = `export const steps = {
  ask: async ({ input, request }) => {
    const send = (url, auth) => request({ url, auth, headers: { Authorization: 'mine' } }).then(({ body }) => body, (error) => error.message)
    return [input, await send('${api.url}/a', input.account), await send('${api.url}/b'), await send('${other.url}/c', input.account), await send('${api.url}/d', 'another')]
  },
}`
    const fields = [{ name: 'account', label: 'Account', kind: 'auth', connector: 'bank', required: true }]
    await confirmedPlugin(
      app,
      {
        steps: [part('ask', { fields })],
        connectors: ['bank'],
        permissions: { origins: [api.url, other.url], private_network: true },
      },
      source,
      { 'connectors/bank.json': JSON.stringify(connector) },
    )
    const addAuth = async (connectorId: string) => {
      const { status, json } = await app.call('POST', '/v1/connector-auths', {
        connector_id: connectorId,
        name: 'Ada',
        auth_type: 'bearer',
        auth_token: 't0p-secret',
      })
      expect({ status, json }).toMatchObject({ status: 201 })
      return (json as { id: string }).id
    }
    const id = await addAuth('plugin.tools.bank')
    const elsewhere = await addAuth(HTTP_CONNECTOR_ID)
    expect([
      await run(app, 'ask', {}, { auth_id: id }),
      await run(app, 'ask', {}, { auth_id: elsewhere }),
      await run(app, 'ask', {}, { auth_id: "{{ '' }}" }),
    ]).toEqual([
      [
        { account: id },
        { target: '/a', isSigned: true },
        { target: '/b', isSigned: false },
        expect.stringContaining("aren't sent to"),
        '"auth" must be the value of an auth field',
      ],
      expect.stringContaining('belongs to another connector'),
      expect.stringContaining('must be the ID of a connector auth'),
    ])
    const draft = await app.call('POST', '/v1/flows', {
      name: 'Without one',
      steps: [{ ref_id: 'it', type: 'plugin', config: { plugin: 'tools', step: 'ask' } }],
    })
    expect(JSON.stringify(draft.json)).toContain('config.auth_id')
    expect(JSON.stringify((await app.call('GET', '/v1/flow-runs')).json)).not.toContain('t0p-secret')
  })

  it('reads and writes files and keeps values, if it declares that', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'in.txt'), 'abc')
    const app = await startFlowApp({ settings: { file_folders: [folder] } })
    const source = `export const steps = {
  all: async ({ files, keyValues }) => {
    const text = await files.read({ path: 'in.txt' })
    const seen = (await keyValues.get('seen')) ?? 0
    await keyValues.set('seen', seen + 1)
    await files.write({ path: 'out.txt', content: text.toUpperCase() })
    const outside = await files.read({ path: '/etc/passwd' }).catch((error) => error.message)
    return { text, seen, outside, names: (await files.list({ path: '.' })).map(({ name }) => name).sort() }
  },
}`
    const steps = [part('all')]
    await confirmedPlugin(app, { steps, permissions: { files: 'write', key_values: true } }, source)
    const expected = { text: 'abc', outside: expect.stringContaining('is outside of the folders') as string }
    const outputs = [await run(app, 'all'), await run(app, 'all')]
    await confirmedPlugin(app, { steps, permissions: { files: 'read', key_values: true } }, source)
    outputs.push(await run(app, 'all'))
    expect(outputs).toEqual([
      { ...expected, seen: 0, names: ['in.txt', 'out.txt'] },
      { ...expected, seen: 1, names: ['in.txt', 'out.txt'] },
      expect.stringContaining("doesn't declare to write files"),
    ])
  })
})
