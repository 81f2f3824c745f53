import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { Plugin } from '../../../src/shared/contract/plugins/plugins.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { aPlugin, confirmedPlugin, part } from '../../helpers/plugins.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const RUN = 'export const steps = { one: () => 1 }'

it('a plug-in is listed once it is added, runs once its hash is confirmed, and asks again when a file changes', async () => {
  const dataDir = temporaryFolder()
  const app = await startFlowApp({ dataDir })
  const seen: unknown[] = []
  const look = async () => {
    const { json } = await app.call('GET', '/v1/plugins')
    seen.push((json as Plugin[]).map(({ name, status }) => `${name} ${status}`))
  }
  const { json: added } = await app.call('POST', '/v1/plugins', {
    path: aPlugin({ steps: [part('one')] }, RUN),
  })
  await look()
  const { name, hash } = added as Plugin
  const wrong = await app.call('POST', `/v1/plugins/${name}/confirm`, { hash: '0'.repeat(64) })
  const right = await app.call('POST', `/v1/plugins/${name}/confirm`, { hash })
  await look()
  writeFileSync(join(dataDir, 'plugins', 'tools', 'run.js'), `${RUN}\n`)
  await look()
  const steps = [{ ref_id: 'it', type: 'plugin', config: { plugin: 'tools', step: 'one' } }]
  const { json: saved } = await app.call('POST', '/v1/flows', { name: 'F', steps })
  const missing = [{ ref_id: 'it', type: 'plugin', config: { plugin: 'others', step: 'one' } }]
  const unsaved = await app.call('POST', '/v1/flows', {
    name: 'F',
    steps: [{ ref_id: 'it', type: 'plugin', config: { plugin: 'tools', step: 'two', input: { a: 1 } } }],
  })
  const { json: placeholder } = await app.call('POST', '/v1/flows', { name: 'G', steps: missing })
  const messages = (flow: unknown) =>
    (flow as { warnings: { message: string }[] }).warnings.map(({ message }) => message)
  const gone = await app.call('DELETE', '/v1/plugins/tools')
  await look()
  expect({
    wrong: wrong.status,
    right: right.json,
    seen,
    saved: messages(saved),
    placeholder: messages(placeholder),
    unsaved: [unsaved.status, (unsaved.json as { message: string }).message],
    gone: gone.status,
  }).toEqual({
    wrong: 409,
    right: expect.objectContaining({ status: 'ready', confirmed_hash: hash }) as unknown,
    seen: [['tools unconfirmed'], ['tools ready'], ['tools changed'], []],
    saved: [expect.stringContaining('have changed since it was confirmed')],
    placeholder: [
      expect.stringContaining('The plug-in "others" isn\'t installed; add it with: millrace plugin add'),
    ],
    unsaved: [400, expect.stringContaining('is not in the plug-in "tools"')],
    gone: 204,
  })
})

it('a changed plug-in is listed with the manifest that was confirmed, which says what is new', async () => {
  const dataDir = temporaryFolder()
  const app = await startFlowApp({ dataDir })
  await confirmedPlugin(app, { steps: [part('one')] }, RUN)
  const path = join(dataDir, 'plugins', 'tools', 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object
  const { json: before } = await app.call('GET', '/v1/plugins/tools')
  writeFileSync(path, JSON.stringify({ ...manifest, version: '1.1.0', permissions: { key_values: true } }))
  const { json: after } = await app.call('GET', '/v1/plugins/tools')
  const reach = ({ manifest: now, confirmed_manifest: was }: Plugin) =>
    [was, now].map((one) => one && [one.version, one.permissions.key_values])
  expect([reach(before as Plugin), reach(after as Plugin)]).toEqual([
    [null, ['1.0.0', false]],
    [
      ['1.0.0', false],
      ['1.1.0', true],
    ],
  ])
})

it('the files of a confirmed plug-in come back with a restored database', async () => {
  const dataDir = temporaryFolder()
  const first = await startFlowApp({ dataDir })
  await confirmedPlugin(first, { steps: [part('one')] }, RUN)
  rmSync(join(dataDir, 'plugins'), { recursive: true })
  first.store.close()
  const second = await startFlowApp({ dataDir })
  const { json } = await second.call('GET', '/v1/plugins')
  expect((json as Plugin[]).map(({ name, status }) => [name, status])).toEqual([['tools', 'ready']])
})

it('a replacement that a crash ended is undone or finished at the next start, and nothing is left of it', async () => {
  const dataDir = temporaryFolder()
  const folder = join(dataDir, 'plugins')
  const first = await startFlowApp({ dataDir })
  const { hash } = await confirmedPlugin(first, { steps: [part('one')] }, RUN)
  first.store.close()
  const half = join(folder, '.new-abcdef', 'tools')
  const seen: unknown[] = []
  const look = async () => {
    const app = await startFlowApp({ dataDir })
    const { json } = await app.call('GET', '/v1/plugins')
    seen.push([
      (json as Plugin[]).map((one) => [one.name, one.status, one.hash === hash]),
      readdirSync(folder),
    ])
    app.store.close()
  }
  // Moved aside, and the new one not yet in its place.
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, 'manifest.json'), '{')
  renameSync(join(folder, 'tools'), join(folder, '.old-tools'))
  await look()
  // In its place, and the old one not yet deleted.
  cpSync(join(folder, 'tools'), join(folder, '.old-tools'), { recursive: true })
  writeFileSync(join(folder, '.old-tools', 'run.js'), 'export const steps = {}')
  await look()
  const whole = [[['tools', 'ready', true]], ['tools']]
  expect(seen).toEqual([whole, whole])
})

it('a plug-in that is added again keeps its files until the new ones are there, and then has only those', async () => {
  const dataDir = temporaryFolder()
  const app = await startFlowApp({ dataDir })
  const paths = async (path: string) => {
    const { status } = await app.call('POST', '/v1/plugins', { path })
    const { json } = await app.call('GET', '/v1/plugins/tools')
    return [status, (json as Plugin).files.map((file) => file.path), readdirSync(join(dataDir, 'plugins'))]
  }
  const linked = aPlugin({ steps: [part('one')] }, RUN)
  symlinkSync('/etc/passwd', join(linked, 'link.txt'))
  expect([
    await paths(aPlugin({ steps: [part('one')] }, RUN, { 'a.txt': '' })),
    await paths(linked),
    await paths(aPlugin({ steps: [part('one')] }, RUN, { 'b.txt': '' })),
    await Promise.all(
      ['c', 'd', 'e'].map((name) => aPlugin({}, RUN, { [`${name}.txt`]: '' })).map(paths),
    ).then((all) => all.map(([status]) => status)),
  ]).toEqual([
    [201, ['a.txt', 'manifest.json', 'run.js'], ['tools']],
    [400, ['a.txt', 'manifest.json', 'run.js'], ['tools']],
    [201, ['b.txt', 'manifest.json', 'run.js'], ['tools']],
    [201, 201, 201],
  ])
})

it('a saved step names the files of its plug-in; other files are a warning until the step is changed', async () => {
  const app = await startFlowApp()
  const fields = [{ name: 'word', label: 'Word' }]
  const { hash: first } = await confirmedPlugin(app, { steps: [part('one', { fields })] }, RUN)
  const config = { plugin: 'tools', step: 'one' }
  const one = (more: object) => ({ ref_id: 'it', type: 'plugin', config: { ...config, ...more } })
  const loop = (more: object) => [
    { ref_id: 'all', type: 'loop', config: { over: '{{ [1] }}' }, steps: [one(more)] },
  ]
  type Shown = {
    id: string
    steps: { steps: { config: { hash?: string } }[] }[]
    warnings?: { message: string }[]
  }
  const shown = (json: unknown) => {
    const { steps, warnings = [] } = json as Shown
    return [steps[0]?.steps[0]?.config.hash, warnings.map(({ message }) => message)]
  }
  const created = await app.call('POST', '/v1/flows', { name: 'F', steps: loop({}) })
  const path = `/v1/flows/${(created.json as Shown).id}`
  const { hash: second } = await confirmedPlugin(app, { steps: [part('one', { fields })] }, `${RUN}\n`)
  const same = await app.call('PUT', path, { steps: loop({ hash: first }) })
  const changed = await app.call('PUT', path, { steps: loop({ hash: first, input: { word: 'a' } }) })
  const elsewhere = await app.call('POST', '/v1/flows', { name: 'G', steps: loop({ hash: 'ab'.repeat(32) }) })
  expect([created, same, changed, elsewhere].map(({ json }) => shown(json))).toEqual([
    [first, []],
    [first, [expect.stringContaining('was made with different files of the plug-in "tools"')]],
    [second, [expect.stringContaining('was made with different files')]],
    ['ab'.repeat(32), [expect.stringContaining('was made with different files')]],
  ])
  const { json: last } = await app.call('PUT', path, { steps: loop({ hash: second }) })
  expect(shown(last)).toEqual([second, []])
})

it('folders and archives that reach elsewhere or are too much are refused, with nothing left behind', async () => {
  const dataDir = temporaryFolder()
  const app = await startFlowApp({ dataDir })
  const linked = aPlugin({ steps: [part('one')] }, RUN)
  symlinkSync('/etc/passwd', join(linked, 'link.txt'))
  const archive = (...entries: [string, string, string?][]) => {
    const path = join(temporaryFolder(), 'plugin.tar.gz')
    writeFileSync(
      path,
      gzipSync(Buffer.concat([...entries.map((entry) => tarEntry(...entry)), Buffer.alloc(1024)])),
    )
    return path
  }
  const manifest = (more: object) =>
    JSON.stringify({
      manifest_version: 1,
      name: 'tools',
      version: '1.0.0',
      title: 'T',
      description: 'D',
      ...more,
    })
  const refused = [
    linked,
    aPlugin({}, RUN, { 'a/b/c/d/e/f/g.txt': '' }),
    aPlugin({}, RUN, { 'large.txt': 'x'.repeat(5_000_001) }),
    aPlugin({ manifest_version: 2 }, RUN),
    aPlugin({ name: '../up' }, RUN),
    aPlugin({ name: 'Tools' }, RUN),
    archive(['manifest.json', manifest({})], ['../run.js', RUN]),
    archive(['manifest.json', manifest({})], ['/run.js', RUN]),
    archive(['manifest.json', manifest({})], ['run.js', '', '2']),
    archive(
      ['manifest.json', manifest({})],
      ['run.js', RUN],
      ['PaxHeader', '20 path=a/long/name\n', 'x'],
      ['a/l', ''],
    ),
    archive(['manifest.json', manifest({})]),
    'relative',
  ]
  const answers = await Promise.all(refused.map((path) => app.call('POST', '/v1/plugins', { path })))
  const { json } = await app.call('POST', '/v1/plugins', {
    path: archive(
      ['tools-1/manifest.json', manifest({})],
      ['tools-1/run.js', RUN],
      ['tools-1/.git/hooks/x', '#!'],
    ),
  })
  const left = readdirSync(join(dataDir, 'plugins'))
  expect({
    statuses: answers.map(({ status }) => status),
    left,
    files: (json as Plugin).files.map(({ path }) => path),
  }).toEqual({
    statuses: [400, 400, 413, 400, 400, 400, 400, 400, 400, 400, 400, 400],
    left: ['tools'],
    files: ['manifest.json', 'run.js'],
  })
})

/** One entry of a tar archive in the format ustar. */
function tarEntry(path: string, content: string, type = '0'): Buffer {
  const header = Buffer.alloc(512)
  header.write(path, 0)
  header.write(content.length.toString(8).padStart(11, '0'), 124)
  header.write(type, 156)
  header.write('ustar\0', 257)
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)])
}
