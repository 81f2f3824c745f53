/** Wraps the store's data keys with 32 bytes from the user or our key file. */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, type MasterKey, moveFileSync, removeFileSync } from '../../store/index.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Uses AES-256-GCM with a new nonce each time, and writes nonce, tag and ciphertext. */
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
  const found = readKeyFile(path)
  if (found === null) return createKeyFile(path, Buffer.from(randomBytes(32)))
  if (found instanceof SealedKey) throw new Error(`${path} is protected by a passphrase`)
  return found
}

/** Null if the file doesn't exist. */
export function readKeyFile(path: string): Buffer | SealedKey | null {
  const text = readIfThere(path)
  if (text === null) return null
  const key = FORM.test(text) ? Buffer.from(text.trim(), 'hex') : SealedKey.parse(text)
  if (key === null) throw new Error(`${path} doesn't contain a key: 64 hexadecimal digits are expected`)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return key
}

/** @param passphrase null to write the key unprotected */
export async function writeKeyFile(path: string, key: Buffer, passphrase: string | null): Promise<void> {
  const text = passphrase === null ? key.toString('hex') : (await SealedKey.seal(key, passphrase)).text
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true })
  moveFileSync(`${path}.new`, path)
}

// linear: anchored, and a blank ends each part
const SEALED_FORM = /^millrace-sealed-key scrypt (\d{1,7}) ([\w-]{20,}) ([\w-]{40,})\n?$/
/** A power of two. Takes about 0.3 s and 128 MB, and so does each guess. */
const SCRYPT_COST = 131_072

/** A key that only a passphrase opens. */
export class SealedKey {
  /** The content of the file. */
  readonly text: string
  readonly #cost: number
  readonly #salt: Buffer
  readonly #sealed: Buffer

  private constructor(cost: number, salt: Buffer, sealed: Buffer) {
    this.#cost = cost
    this.#salt = salt
    this.#sealed = sealed
    this.text = `millrace-sealed-key scrypt ${cost} ${salt.toString('base64url')} ${sealed.toString('base64url')}`
  }

  static parse(text: string): SealedKey | null {
    const [, cost, salt = '', sealed = ''] = SEALED_FORM.exec(text) ?? []
    if (cost === undefined) return null
    return new SealedKey(Number(cost), Buffer.from(salt, 'base64url'), Buffer.from(sealed, 'base64url'))
  }

  static async seal(key: Buffer, passphrase: string): Promise<SealedKey> {
    const salt = randomBytes(16)
    const wrapping = createMasterKey(await derive(passphrase, salt, SCRYPT_COST))
    return new SealedKey(SCRYPT_COST, salt, Buffer.from(await wrapping.wrap(key)))
  }

  /** Null if the passphrase is wrong. */
  async open(passphrase: string): Promise<Buffer | null> {
    const wrapping = createMasterKey(await derive(passphrase, this.#salt, this.#cost))
    try {
      return Buffer.from(await wrapping.unwrap(this.#sealed))
    } catch {
      return null
    }
  }
}

/** The same letters can be typed as different code points. */
function derive(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: 8, p: 1, maxmem: 2 * 128 * 8 * cost }
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}

/**
 * Writes the file under another name and then links it, so that a crash leaves no partial key, and one of two hosts
 * that start at once wins.
 */
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
    return openKeyFile(path, () => key)
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
