/** The master key of a host without a keychain: 32 bytes in a file that its owner alone may read. */
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './store/folder/folder.ts'

const FORM = /^[0-9a-f]{64}\n?$/

/**
 * The key in this file, which is made where there is none.
 *
 * @throws Error where the file can be neither read nor made, or holds something else
 */
export function openKeyFile(path: string, randomBytes: (count: number) => Uint8Array): Buffer {
  return readKeyFile(path) ?? createKeyFile(path, Buffer.from(randomBytes(32)))
}

/** Null where there is no such file. */
export function readKeyFile(path: string): Buffer | null {
  const text = readIfThere(path)
  if (text === null) return null
  if (!FORM.test(text)) throw new Error(`${path} holds no key: 64 hexadecimal digits are expected`)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return Buffer.from(text.trim(), 'hex')
}

/** Written beside its place and then linked to it: a crash leaves no half key, and of two hosts at once one wins. */
function createKeyFile(path: string, key: Buffer): Buffer {
  makeFolder(dirname(path))
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, `${key.toString('hex')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readKeyFile(path) ?? key
  } finally {
    rmSync(draft, { force: true })
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
