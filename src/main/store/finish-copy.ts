/** The last steps of a copy, on a thread of its own, so that a large one does not hold up the program. */
import Database from 'better-sqlite3'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** Makes one self-contained file of a fresh copy and checks all of it. Throws where it is not sound. */
export async function finishCopy(path: string): Promise<void> {
  const verdict = await finishOnThread(path).catch(() => finishHere(path))
  if (verdict !== 'ok') throw new Error(`${path} is not sound: ${String(verdict).slice(0, 200)}`)
}

function finishOnThread(path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3')
    const worker = new Worker(SCRIPT, { eval: true, workerData: { driver, path } })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The check of ${path} ended early with code ${code}`)))
  })
}

/** The same as `finishHere`; text, because a thread is started from a file and the program is shipped as one bundle. */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.driver)
const db = new Database(workerData.path, { fileMustExist: true })
db.pragma('locking_mode = EXCLUSIVE', { simple: true })
db.pragma('journal_mode = DELETE', { simple: true })
const verdict = db.pragma('integrity_check(1)', { simple: true })
db.close()
parentPort.postMessage(verdict)
`

/** Slower for everybody else, and better than no backup where a host's threads cannot load the driver. */
function finishHere(path: string): unknown {
  const db = new Database(path, { fileMustExist: true })
  try {
    db.pragma('locking_mode = EXCLUSIVE', { simple: true })
    db.pragma('journal_mode = DELETE', { simple: true })
    return db.pragma('integrity_check(1)', { simple: true })
  } finally {
    db.close()
  }
}
