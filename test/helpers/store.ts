import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { storedJson } from '../../src/main/services/kit/json-codec.ts'
import { syncCatalogue } from '../../src/main/services/reaching/connectors/catalogue.ts'
import { openStore, type OpenStoreOptions, type Store } from '../../src/main/store/index.ts'
import { aClock, aMasterKey } from './fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

export { aClock, aMasterKey }

/** An open store in a separate folder; it is closed with the test. */
export async function aStore(options: Partial<OpenStoreOptions> = {}): Promise<Store> {
  const dataDir = options.dataDir ?? (options.migrations ? temporaryFolder() : await newFolder())
  const store = await openStore({
    clock: aClock(),
    appVersion: '0.0.0-test',
    masterKey: aMasterKey(),
    ...options,
    dataDir,
  })
  onTestFinished(() => store.close())
  return store
}

/**
 * A separate folder with a database like a new one of the store, except that it already has its tables and, if
 * requested, the built-in connectors, because creating both takes longer than most tests.
 */
export async function newFolder({ hasCatalogue = false } = {}): Promise<string> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, DATABASE), await newDatabase(hasCatalogue), { mode: 0o600 })
  return folder
}

const DATABASE = 'millrace.db'
const databases = new Map<boolean, Promise<Buffer>>()

/** Created once by each worker. */
function newDatabase(hasCatalogue: boolean): Promise<Buffer> {
  const made = databases.get(hasCatalogue) ?? makeDatabase(hasCatalogue)
  databases.set(hasCatalogue, made)
  return made
}

async function makeDatabase(hasCatalogue: boolean): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  try {
    const clock = aClock()
    const store = await openStore({ clock, appVersion: '0.0.0-test', json: storedJson, dataDir })
    if (hasCatalogue) syncCatalogue(catalogueFiles(), { store, clock })
    store.close()
    const db = new Database(join(dataDir, DATABASE))
    db.exec('DELETE FROM host_state; DELETE FROM data_keys; DELETE FROM users')
    db.close()
    return readFileSync(join(dataDir, DATABASE))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

let catalogue: readonly unknown[] | undefined

/** The files under `resources/connectors`, as a host reads them. */
export function catalogueFiles(): readonly unknown[] {
  const folder = new URL('../../resources/connectors/', import.meta.url)
  catalogue ??= readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as unknown,
  )
  return catalogue
}
