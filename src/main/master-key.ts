/** Wraps the store's data keys with 32 bytes from the user or our key file. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, type MasterKey, removeFileSync } from './store/index.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a new nonce each time: nonce, tag, ciphertext. */
export function createMasterKey(bytes: Uint8Array): MasterKey {
  const digest = createHash('sha256').update('millrace master key\0').update(bytes).digest('hex')
  return {
    id: digest.slice(0, 16),
    wrap(key) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
      const body = Buffer.concat([cipher.update(key), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    unwrap(wrapped) {
      const sealed = Buffer.from(wrapped)
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    },
  }
}

const FORM = /^[0-9a-f]{64}\n?$/

/**
 * The key in this file, which is created if it doesn't exist.
 *
 * @throws Error if the file can be neither read nor created, or contains something else
 */
export function openKeyFile(path: string, randomBytes: (count: number) => Uint8Array): Buffer {
  return readKeyFile(path) ?? createKeyFile(path, Buffer.from(randomBytes(32)))
}

/** Null if the file doesn't exist. */
export function readKeyFile(path: string): Buffer | null {
  const text = readIfThere(path)
  if (text === null) return null
  if (!FORM.test(text)) throw new Error(`${path} doesn't contain a key: 64 hexadecimal digits are expected`)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return Buffer.from(text.trim(), 'hex')
}

/** Written under another name and then linked: a crash leaves no half key, and if two hosts start at once, one wins. */
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
    removeFileSync(draft)
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
