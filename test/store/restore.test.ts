import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { restoreBackup } from '../../src/main/store/restore.ts'
import { aFlow, aFlowRun } from '../helpers/records.ts'
import { aStore } from '../helpers/store.ts'
import { snapshot, temporaryFolder } from '../helpers/temporary-folder.ts'

const NOW = Date.parse('2026-03-05T00:00:00.000Z')

describe('restoring a backup', () => {
  it('puts it in the place of a broken database, which is kept, and ends the runs that were in progress then', async () => {
    const { dataDir, backup, flow, queued } = await aFolderWithBackup()
    truncateSync(join(dataDir, 'millrace.db'), 0)
    const kept = await restoreBackup({ dataDir, file: backup, now: NOW })
    expect(kept).toBe(join(dataDir, 'millrace.db.replaced-2026-03-05T00-00-00-000Z'))
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

  it('is refused, and nothing touched, while the folder is in use or where the backup is not sound', async () => {
    const { dataDir, backup } = await aFolderWithBackup()
    const store = await aStore({ dataDir })
    await expect(restoreBackup({ dataDir, file: backup, now: NOW })).rejects.toMatchObject({ kind: 'locked' })
    store.close()
    const before = snapshot(dataDir)
    truncateSync(backup, 8_192)
    const refused = await Promise.allSettled(
      [backup, join(dataDir, 'nowhere.db')].map((file) => restoreBackup({ dataDir, file, now: NOW })),
    )
    expect(refused).toMatchObject([{ reason: { kind: 'damaged' } }, { reason: { kind: 'foreign' } }])
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
