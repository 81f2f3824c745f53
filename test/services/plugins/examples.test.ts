import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, test } from 'vitest'
import type { Plugin } from '../../../src/shared/contract/plugins/plugins.ts'
import { readPluginFolder } from '../../../src/main/services/reaching/plugins/plugin-files.ts'
import { testPlugin } from '../../../src/main/services/reaching/plugins/test-plugin.ts'
import { createScripts } from '../../../src/main/services/reaching/step-ports/run-scripts.ts'
import { pluginTemplate } from '../../../src/main/headless/support/plugin-template.ts'
import { readText } from '../../../scripts/lib/read-text.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { aPlugin, part } from '../../helpers/plugins.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

test.for(globSync('*', { cwd: EXAMPLES }))('the cases of %s pass', async (name) => {
  const scripts = createScripts()
  onTestFinished(() => scripts.close())
  const results = await testPlugin(readPluginFolder(join(EXAMPLES, name)), scripts)
  expect({ many: results.length > 1, failed: results.filter(({ problem }) => problem !== null) }).toEqual({
    many: true,
    failed: [],
  })
})

it('the README of the types shows a step and a case that passes, with the manifest of a new plug-in', async () => {
  const readme = readText('packages/plugin/README.md')
  const block = (language: string) => readme.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
  const manifest = JSON.parse(pluginTemplate('readme').get('manifest.json') ?? '') as object
  const folder = aPlugin(manifest, block('js'), { 'tests/greet.json': block('json') })
  const scripts = createScripts()
  onTestFinished(() => scripts.close())
  const results = await testPlugin(readPluginFolder(folder), scripts)
  expect(results.map(({ problem }) => problem)).toEqual([null])
})

it('a case that returns something else, fails otherwise or sends more than it declares is reported', async () => {
  const source = `export const steps = {
  one: () => 1,
  fails() { throw new Error('no') },
  asks: ({ request }) => request({ url: 'https://example.com/' }),
}`
  const steps = ['one', 'fails', 'asks'].map((name) => part(name))
  const folder = aPlugin({ steps }, source, {
    'tests/a.json': JSON.stringify({ step: 'one', expect: 2 }),
    'tests/b.json': JSON.stringify({ step: 'fails', expect: 2 }),
    'tests/c.json': JSON.stringify({ step: 'asks', expect: 2 }),
    'tests/d.json': JSON.stringify({ step: 'fails', expect_error: 'no' }),
  })
  const scripts = createScripts()
  onTestFinished(() => scripts.close())
  const results = await testPlugin(readPluginFolder(folder), scripts)
  expect(results.map(({ problem }) => problem)).toEqual([
    'returned 1 instead of 2',
    'failed: line 3: Error: no',
    expect.stringContaining('The case has no reply to GET https://example.com/'),
    null,
  ])
})

it('the trigger of an example starts a run for each new release of a server, once', async () => {
  const releases = [{ id: 1, tag_name: 'v1', name: 'One', html_url: 'u', published_at: 'p' }]
  const api = await startThirdPartyApi((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(releases))
  })
  const folder = join(temporaryFolder(), 'repository_watch')
  cpSync(join(EXAMPLES, 'repository_watch'), folder, { recursive: true })
  for (const file of ['manifest.json', 'run.js']) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('https://codeberg.org', api.url)
    writeFileSync(join(folder, file), text.replace('"origins"', '"private_network": true, "origins"'))
  }
  const app = await startFlowApp()
  await app.services.runtime.start()
  const { json } = await app.call('POST', '/v1/plugins', { path: folder })
  const { name, hash } = json as Plugin
  await app.call('POST', `/v1/plugins/${name}/confirm`, { hash })
  const config = { plugin: name, trigger: 'new_releases', input: { repository: 'ada/engine' }, first: 'all' }
  const { json: flow, text } = await app.call('POST', '/v1/flows', {
    name: 'Releases',
    status: 'active',
    steps: [{ ref_id: 'found', type: 'plugin_trigger', config }],
  })
  expect(text).toContain('"id"')
  const look = () => app.call('POST', `/v1/flows/${(flow as { id: string }).id}/trigger/check`)
  await look()
  releases.unshift({ id: 2, tag_name: 'v2', name: 'Two', html_url: 'u', published_at: 'p' })
  await look()
  const { json: state } = await look()
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.finished_at !== null)
  const outputs = app.runs().map((run) => app.stepsOf(run)[0]?.output)
  expect({ state, outputs: outputs.toReversed() }).toMatchObject({
    state: { found: 2 },
    outputs: [
      { id: 1, version: 'v1', title: 'One' },
      { id: 2, version: 'v2', title: 'Two' },
    ],
  })
})
