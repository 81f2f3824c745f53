/** Packs `files/` and `records/` of the data folder into a backup, so that a single file contains everything. */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { errorCode, syncFolder } from '../folder/folder.ts'
import { moveFileSync, removeFileSync } from '../folder/move.ts'
import { runKey } from '../history/ids.ts'
import { connect } from '../sql/connect.ts'
import { command, rows, scalar } from '../sql/statement.ts'

/**
 * Adds the files that the copied database refers to. A file is written before anything refers to it and only ever
 * appended to, so whatever the copy refers to is complete. A file deleted in the meantime is left out, because its
 * record is about to be deleted too.
 *
 * @param copy path of the copy; nobody else has it open
 * @throws Error if the stored content of an upload differs from what was uploaded
 */
export async function packFiles(copy: string, dataDir: string): Promise<void> {
  const db = connect(copy)
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE')
    db.exec(`CREATE TABLE ${TABLE} (name TEXT, part INTEGER, content BLOB, PRIMARY KEY (name, part)) STRICT`)
    const insert = command(db, `INSERT INTO ${TABLE} (name, part, content) VALUES (?, ?, ?)`)
    const uploaded = scalar<string>(db, 'SELECT sha256 FROM file_uploads WHERE id = ?')
    const runId = scalar<string>(db, 'SELECT id FROM flow_runs WHERE key = ?')
    for (const name of namesIn(dataDir)) {
      const [folder, owner = ''] = name.split('/')
      const wanted = folder === 'files' ? (uploaded.get(owner) ?? null) : null
      if (folder === 'records' && runId.get(runKey(owner)) !== owner) continue
      const hash = createHash('sha256')
      let part = 0
      const path = join(dataDir, name)
      for (const content of name.endsWith('.json') ? await wholeDescription(path) : contentOf(path)) {
        hash.update(content)
        insert.run(name, part++, content)
        await yieldToEventLoop()
      }
      if (part > 0 && wanted !== null && hash.digest('hex') !== wanted)
        throw new Error(`${path} isn't the uploaded file`)
    }
  } finally {
    db.close()
  }
}

/** Moves the files of a backup from the database into a data folder. Safe to repeat. */
export function unpackFiles(path: string, dataDir: string): void {
  const db = connect(path)
  try {
    if (scalar<number>(db, `SELECT 1 FROM sqlite_schema WHERE name = '${TABLE}'`).get() === undefined) return
    const parts = rows<{ content: Buffer }>(db, `SELECT content FROM ${TABLE} WHERE name = ? ORDER BY part`)
    for (const name of scalar<string>(db, `SELECT DISTINCT name FROM ${TABLE}`).all()) {
      if (NAME.test(name)) writeFile(join(dataDir, name), parts.each(name))
    }
    db.exec(`DROP TABLE ${TABLE}`)
    db.exec('PRAGMA incremental_vacuum')
  } finally {
    db.close()
  }
}

function writeFile(path: string, parts: Iterable<{ readonly content: Buffer }>): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = `${path}.part`
  removeFileSync(partial)
  const file = openSync(partial, 'wx', 0o600)
  try {
    for (const { content } of parts) writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  moveFileSync(partial, path)
  syncFolder(folder)
}

/** A description is rewritten when its request becomes a run, so a reader can find it half-written. */
async function wholeDescription(path: string): Promise<readonly Buffer[]> {
  for (let look = 1; ; look++) {
    const parts = [...contentOf(path)]
    if (parts.length === 0 || look === MOST_LOOKS || Buffer.concat(parts).toString().endsWith('}'))
      return parts
    await yieldToEventLoop()
  }
}

/** Returns only names that Millrace generates; other files in the folder aren't ours. */
function namesIn(dataDir: string): string[] {
  const found = (['files', 'records'] as const).flatMap((folder) =>
    list(join(dataDir, folder)).map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
  return found.filter((name) => NAME.test(name)).toSorted()
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Yields nothing if the file no longer exists. */
function* contentOf(path: string): Generator<Buffer> {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  try {
    for (let at = 0; ;) {
      const buffer = Buffer.allocUnsafe(PART_BYTES)
      const length = readSync(file, buffer, 0, PART_BYTES, at)
      if (length === 0 && at > 0) return
      yield buffer.subarray(0, length)
      at += length
      if (length < PART_BYTES) return
    }
  } finally {
    closeSync(file)
  }
}

const TABLE = 'backup_files'
const PART_BYTES = 1_048_576
const MOST_LOOKS = 1_000
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
// linear: anchored, of bounded length
const NAME = new RegExp(`^(?:files/${UUID}(?:\\.json)?|records/${UUID}/\\w[\\w.]{0,200}\\.records)$`)
