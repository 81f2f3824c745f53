import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/shared/contract/base/common.ts'
import { restoreBackup } from '../../../src/main/store/open/restore.ts'
import { storedJson } from '../../../src/main/services/kit/json-codec.ts'
import { aFlow, aFlowRun, aRunStep, aToken } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'
import { snapshot, temporaryFolder } from '../../helpers/temporary-folder.ts'

const NOW = Date.parse('2026-03-05T00:00:00.000Z')

describe('restoring a backup', () => {
  it('replaces a broken database, which is kept, and ends the runs that were in progress then', async () => {
    const { dataDir, backup, flow, queued } = await aFolderWithBackup()
    truncateSync(join(dataDir, 'millrace.db'), 0)
    expect(await restoreBackup({ dataDir, file: backup, now: NOW })).toEqual({
      kept: join(dataDir, 'millrace.db.replaced-2026-03-05T00-00-00-000Z'),
      endsRevokedTokens: false,
      keys: [],
    })
    expect(readdirSync(dataDir).toSorted()).toEqual([
      'backups',
      'millrace.db',
      'millrace.db.replaced-2026-03-05T00-00-00-000Z',
    ])
    const store = await aStore({ dataDir })
    expect(store.flows.get(flow.id)).toEqual(flow)
    expect(store.flowRuns.get(queued)).toMatchObject({ status: 'error', error: { code: 'interrupted' } })
    expect(store.runQueue.count()).toEqual({ ready: 0, parked: 0, taken: 0 })
  })

  it('signs out every browser that was signed in from elsewhere, since it may have been signed out meanwhile', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const token = aToken({ user_id: store.users.local().id })
    const at = new Date(NOW).toISOString()
    await store.write(() => {
      store.tokens.insert(token)
      store.pageSessions.insert({
        id: randomUUID(),
        hash: 'of the cookie',
        token_hash: token.hash,
        client: '203.0.113.7',
        user_agent: 'Firefox',
        created_at: at,
        last_seen: at,
        expires_at: at,
      })
    })
    const before = store.pageSessions.list().length
    const backup = await store.backups.takeIfDue()
    store.close()
    await restoreBackup({ dataDir, file: backup?.path ?? '', now: NOW })
    const restored = await aStore({ dataDir })
    expect([before, restored.pageSessions.list(), restored.tokens.find(token.id)?.id]).toEqual([
      1,
      [],
      token.id,
    ])
  })

  it('turns the public URL off, and keeps its configuration', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const { settings } = store.tunnel.get()
    const changed = { ...settings, provider: 'ngrok' as const }
    await store.write(() =>
      store.tunnel.save({ settings: changed, isWanted: true, endsAt: null }, { ngrok_token: 'a token' }),
    )
    const backup = await store.backups.takeIfDue()
    store.close()
    await restoreBackup({ dataDir, file: backup?.path ?? '', now: NOW })
    const restored = await aStore({ dataDir })
    expect([restored.tunnel.get(), restored.tunnel.secrets()]).toEqual([
      { settings: changed, isWanted: false, endsAt: null },
      { ngrok_token: 'a token' },
    ])
  })

  it('ends the steps of such runs with them, and leaves everything else of them unchanged', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir, json: storedJson })
    const flow = aFlow()
    const [running, ended] = [store.flowRuns.newId(), store.flowRuns.newId()]
    const known = { output: storedJson.parse('{"n":12345678901234567890,"at":1.0}') as Json }
    const steps = [
      aRunStep({ ref_id: 'first', ...known }),
      aRunStep({ ref_id: 'each', status: 'running', duration_ms: null }),
      aRunStep({ ref_id: 'call', status: 'retrying', duration_ms: null }),
    ]
    await store.write(() => {
      store.flows.insert(flow)
      store.flowRuns.insert(
        aFlowRun({ id: running, flow_id: flow.id, status: 'retrying', finished_at: null }),
        {
          steps,
        },
      )
      store.flowRuns.insert(aFlowRun({ id: ended, flow_id: flow.id }), { steps: steps.slice(0, 1) })
    })
    const backup = await store.backups.takeIfDue()
    store.close()
    await restoreBackup({ dataDir, file: backup?.path ?? '', now: NOW, json: storedJson })

    const restored = await aStore({ dataDir, json: storedJson })
    const shown = (id: string) => restored.runSteps.ofRun(id).records
    expect(
      shown(running).map(({ ref_id, status, error }) => [ref_id, status, error?.code, error?.ref_id]),
    ).toEqual([
      ['first', 'success', undefined, undefined],
      ['each', 'error', 'interrupted', 'each'],
      ['call', 'error', 'interrupted', 'call'],
    ])
    expect(
      [...shown(running).slice(0, 1), ...shown(ended)].map(({ output }) => storedJson.stringify(output)),
    ).toEqual(Array(2).fill('{"n":12345678901234567890,"at":1.0}'))
  })

  it('restores the files that belong to the database, and leaves none of them in it', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const [flow, run] = [aFlow(), store.flowRuns.newId()]
    const upload = randomUUID()
    const received = randomUUID()
    const large = randomBytes(3_000_000)
    const files = {
      [`files/${upload}`]: large,
      [`files/${received}`]: Buffer.from('came with a request'),
      [`files/${received}.json`]: Buffer.from(JSON.stringify({ filename: 'a.txt', flow_run_id: run })),
      [`records/${run}/1.steps.2_0.1.records`]: Buffer.from('MRR1 …'),
    }
    const left = {
      'files/notes.txt': Buffer.from('x'),
      [`records/${randomUUID()}/1.records`]: Buffer.from('x'),
    }
    for (const [name, content] of Object.entries({ ...files, ...left })) write(join(dataDir, name), content)
    await store.write(() => {
      store.flows.insert(flow)
      store.flowRuns.insert(aFlowRun({ id: run, flow_id: flow.id }))
      store.fileUploads.insert({
        id: upload,
        filename: 'large.bin',
        content_type: 'application/octet-stream',
        size: large.length,
        sha256: createHash('sha256').update(large).digest('hex'),
        created_at: new Date(NOW).toISOString(),
      })
    })
    const backup = join(temporaryFolder(), 'all.db')
    await store.backups.writeTo(backup)
    write(join(dataDir, 'files', upload), randomBytes(10))
    await expect(store.backups.writeTo(join(dataDir, 'torn.db'))).rejects.toThrow(/isn't the uploaded file/)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('torn'))).toEqual([])
    store.close()

    const elsewhere = temporaryFolder()
    await restoreBackup({ dataDir: elsewhere, file: backup, now: NOW })
    const found = readdirSync(elsewhere, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /files|records/.test(entry.parentPath))
      .map((entry) => relative(elsewhere, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    expect(found.toSorted()).toEqual(Object.keys(files).toSorted())
    for (const [name, content] of Object.entries(files))
      expect(readFileSync(join(elsewhere, name)).equals(content)).toBe(true)
    expect(statSync(join(elsewhere, 'millrace.db')).size).toBeLessThan(2_000_000)
    const restored = await aStore({ dataDir: elsewhere })
    expect(restored.fileUploads.get(upload)).toMatchObject({ filename: 'large.bin' })
  })

  it("doesn't revive a token that was revoked, regenerated or rotated since", async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const user_id = store.users.local().id
    const [kept, revoked, renewed] = ['kept', 'revoked', 'renewed'].map((hash) => aToken({ user_id, hash }))
    const [rotated, steady] = [aFlow(), aFlow()]
    const secretOf = (hash: string) => ({ hash, token: `mr_whk_${hash}` })
    await store.write(() => {
      for (const token of [kept!, revoked!, renewed!]) store.tokens.insert(token)
      for (const flow of [rotated, steady]) store.flows.insert(flow)
      store.flows.setWebhookToken(rotated.id, secretOf('before'))
      store.flows.setWebhookToken(steady.id, secretOf('steady'))
    })
    const backup = join(temporaryFolder(), 'all.db')
    await store.backups.writeTo(backup)
    const at = new Date(NOW).toISOString()
    await store.write(() => {
      store.tokens.delete(user_id, revoked!.id, at)
      const change = { last_four: 'efgh', expiration: null, at }
      store.tokens.regenerate(user_id, renewed!.id, { ...change, hash: 'renewed once' })
      store.tokens.regenerate(user_id, renewed!.id, { ...change, hash: 'renewed twice' })
      store.flows.setWebhookToken(rotated.id, secretOf('after'))
    })
    store.close()
    // As after a restore that was killed, the second attempt finds what the first one left.
    for (const now of [NOW, NOW + 1]) {
      expect(await restoreBackup({ dataDir, file: backup, now })).toMatchObject({ endsRevokedTokens: true })
    }
    const restored = await aStore({ dataDir })
    const hashes = ['kept', 'revoked', 'renewed', 'renewed once', 'renewed twice']
    expect({
      good: hashes.filter((hash) => restored.tokens.findByHash(hash) !== null),
      revoked: restored.tokens.findFormer('revoked')?.ended_by,
      webhooks: [rotated, steady].map(({ id }) => restored.flows.webhookToken(id)),
      before: restored.flows.findByWebhookToken('before'),
    }).toMatchObject({
      good: ['kept', 'renewed twice'],
      revoked: 'revoked',
      webhooks: [secretOf('after'), secretOf('steady')],
      before: null,
    })
  })

  it("is rejected, with nothing changed, while the folder is in use or if the backup isn't sound", async () => {
    const { dataDir, backup } = await aFolderWithBackup()
    const store = await aStore({ dataDir })
    await expect(restoreBackup({ dataDir, file: backup, now: NOW })).rejects.toMatchObject({ kind: 'locked' })
    store.close()
    const before = snapshot(dataDir)
    const longer = `${backup}.longer`
    writeFileSync(longer, Buffer.concat([readFileSync(backup), Buffer.from('more')]))
    truncateSync(backup, 8_192)
    for (const [file, kind] of [
      [backup, 'damaged'],
      [longer, 'damaged'],
      [join(dataDir, 'nowhere.db'), 'foreign'],
    ] as const) {
      await expect(restoreBackup({ dataDir, file, now: NOW })).rejects.toMatchObject({ kind })
    }
    expect(snapshot(dataDir)['millrace.db']).toEqual(before['millrace.db'])
  })
})

async function aFolderWithBackup() {
  const dataDir = temporaryFolder()
  const store = await aStore({ dataDir })
  const flow = aFlow()
  const queued = store.flowRuns.newId()
  await store.write(() => {
    store.flows.insert(flow)
    store.flowRuns.enqueue(aFlowRun({ id: queued, flow_id: flow.id, status: 'queued' }))
  })
  const backup = await store.backups.takeIfDue()
  await store.write(() => store.flows.delete(flow.id, new Date(NOW).toISOString()))
  store.close()
  return { dataDir, backup: backup?.path ?? '', flow, queued }
}

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
