import { randomBytes } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { type Migration, newestVersion } from '../../../src/main/store/migrations/migrate.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

/** A database that can be full: SQLite then rejects writes that enlarge it, and here every change to the queue does. */
async function aDisk() {
  const dataDir = temporaryFolder()
  // A new database is opened and closed twice, but one that is migrated stays open.
  ;(await aStore({ dataDir })).close()
  let database: Database | undefined
  const limit = (pages: number) => void database?.pragma(`max_page_count = ${pages}`, { simple: true })
  const migration: Migration = {
    version: newestVersion(MIGRATIONS) + 1,
    name: 'a queue that grows',
    up(db) {
      database = db
      db.exec(`
        CREATE TABLE grown (bytes BLOB NOT NULL) STRICT;
        CREATE TRIGGER grow AFTER UPDATE ON run_queue BEGIN INSERT INTO grown VALUES (zeroblob(100000)); END;`)
    },
  }
  return {
    options: { dataDir, migrations: [...MIGRATIONS, migration], retryMs: 20 },
    fill: () => limit(1), // as many as there are, where there are more
    empty: () => limit(1_000_000),
  }
}

test("a run whose end and place couldn't be written to a full disk is resumed once there is space", async ({
  signal,
}) => {
  const disk = await aDisk()
  const app = await startFlowApp(disk.options)
  const answers: (() => void)[] = []
  const isCalled = Promise.withResolvers<void>()
  const api = await startThirdPartyApi((_request, response) => {
    answers.push(() => response.end(JSON.stringify({ text: randomBytes(75_000).toString('base64') })))
    isCalled.resolve()
    if (answers.length > 1) answers.at(-1)?.()
  })
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: { async: true } },
    { ref_id: 'call', type: 'rest', config: { url: api.url } },
  ])
  await app.trigger(hook)
  await isCalled.promise
  disk.fill()
  answers[0]?.()
  const line = "A run couldn't be recorded; retrying in a moment"
  const nextCommit = () => app.store.write(() => undefined).catch(() => undefined)
  while (!signal.aborted && !app.logged.some(({ message }) => message === line)) await nextCommit()
  // The run's place was requested before this.
  const { id } = app.runs()[0]!
  const refused = await app.store
    .write(() => app.store.runQueue.park(id, new Date().toISOString()))
    .catch((error: Error) => error)
  const during = [app.runs()[0]!.status, app.store.runQueue.count()]
  disk.empty()
  await app.until((run) => run.id === id && run.status === 'success')
  expect({ refused, during }).toMatchObject({
    refused: { kind: 'full' },
    during: ['running', { ready: 0, parked: 0, taken: 1 }],
  })
})
