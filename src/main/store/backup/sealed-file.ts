/**
 * A backup protected by a passphrase: one file with the database, its files and the keys to its secrets. It is read and
 * written in chunks, so that its size doesn't matter.
 *
 * After magic bytes and a JSON header, the content follows in chunks, each sealed with AES-256-GCM. scrypt derives the
 * key from the passphrase, with a salt unique to the file, so that a chunk's number can be its nonce. The last byte of
 * the nonce marks the last chunk, so chunks can't be reordered, and none can be missing at the end. The header is
 * authenticated with every chunk.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { z } from 'zod'
import { say } from '../../../shared/contract/base/message.ts'
import { StoreOpenError } from '../sql/errors.ts'

const MARK = Buffer.from('millrace sealed backup\n')
const VERSION = 1
const CHUNK_BYTES = 1_048_576
const TAG_BYTES = 16
const NONCE_BYTES = 12
const KEY_BYTES = 32
const MOST_HEADER_BYTES = 4_096
const MOST_DATA_KEYS = 1_000

/**
 * Takes 128 MB and about half a second, which makes guessing expensive but is possible on every computer that runs
 * Millrace.
 */
const SCRYPT = { N: 131_072, r: 8, p: 1 }
/** Limit for the memory that a file's scrypt parameters may require, in bytes. */
const MOST_MEMORY = 536_870_912
const MOST_ROUNDS = 16

const header = z.strictObject({
  version: z.int().min(1),
  kdf: z.literal('scrypt'),
  N: z.int().min(1_024),
  r: z.int().min(1),
  p: z.int().min(1).max(MOST_ROUNDS),
  salt: z.base64(),
  chunk: z.literal(CHUNK_BYTES),
  /** The size of the content, in bytes. */
  bytes: z.int().min(4),
})
type Header = z.output<typeof header>

/** Whether a file is a sealed backup, according to its first bytes. */
export function isSealedFile(path: string): boolean {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return false
  }
  try {
    const start = Buffer.alloc(MARK.length)
    return readFully(file, start) === MARK.length && start.equals(MARK)
  } catch {
    return false // the path is a folder
  } finally {
    closeSync(file)
  }
}

export interface Sealing {
  readonly passphrase: string
  /** The keys to the secrets in the database. */
  readonly keys: readonly Uint8Array[]
}

/** Writes the content of the file `from` and the keys to `to`, which must exist and be empty. */
export async function sealFile(from: string, to: string, { passphrase, keys }: Sealing): Promise<void> {
  const start = startOf(keys)
  const head = headerBytes({
    version: VERSION,
    kdf: 'scrypt',
    ...SCRYPT,
    salt: randomBytes(32).toString('base64'),
    chunk: CHUNK_BYTES,
    bytes: start.length + statSync(from).size,
  })
  const key = await keyOf(passphrase, JSON.parse(head.toString()) as Header)
  const source = openSync(from, 'r')
  const target = openSync(to, 'w', 0o600)
  try {
    writeFully(target, Buffer.concat([MARK, lengthOf(head), head, proofOf(key, head)]))
    let chunk = Buffer.alloc(CHUNK_BYTES)
    let length = readFully(source, chunk, start.copy(chunk))
    for (let number = 0; ; number++) {
      const next = Buffer.alloc(CHUNK_BYTES)
      const nextLength = length < CHUNK_BYTES ? 0 : readFully(source, next)
      const isLast = nextLength === 0
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast))
      cipher.setAAD(head)
      const sealed = cipher.update(chunk.subarray(0, length))
      cipher.final()
      writeFully(target, Buffer.concat([sealed, cipher.getAuthTag()]))
      if (isLast) break
      chunk = next
      length = nextLength
      await yieldToEventLoop()
    }
    fsyncSync(target)
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

/**
 * Checks the whole file, and returns the keys in it.
 *
 * @param to gets the content; null to write nothing
 * @throws StoreOpenError saying what is wrong with the passphrase or the file
 */
export async function openSealedFile(path: string, passphrase: string, to: string | null): Promise<Buffer[]> {
  const source = openSync(path, 'r')
  const target = to === null ? null : openSync(to, 'w', 0o600)
  try {
    const { head, key } = await readStart(path, source, passphrase)
    let sealed = Buffer.alloc(CHUNK_BYTES + TAG_BYTES)
    let length = readFully(source, sealed)
    let keys: Buffer[] | null = null
    for (let number = 0; ; number++) {
      const next = Buffer.alloc(CHUNK_BYTES + TAG_BYTES)
      const nextLength = length < sealed.length ? 0 : readFully(source, next)
      const isLast = nextLength === 0
      const chunk = openChunk(sealed.subarray(0, length), { key, head, number, isLast })
      if (chunk === null) throw damaged(path, false)
      let content = chunk
      if (keys === null) {
        const read = readKeys(chunk)
        if (read === null) throw damaged(path, false)
        keys = read.keys
        content = read.rest
      }
      if (target !== null) writeFully(target, content)
      if (isLast) break
      sealed = next
      length = nextLength
      await yieldToEventLoop()
    }
    if (target !== null) fsyncSync(target)
    return keys
  } finally {
    closeSync(source)
    if (target !== null) closeSync(target)
  }
}

async function readStart(path: string, source: number, passphrase: string) {
  const start = Buffer.alloc(MARK.length + 4)
  if (readFully(source, start) < start.length) throw damaged(path, true)
  const length = start.readUInt32BE(MARK.length)
  if (length > MOST_HEADER_BYTES) throw damaged(path, false)
  const head = Buffer.alloc(length)
  const proof = Buffer.alloc(KEY_BYTES)
  if (readFully(source, head) < length || readFully(source, proof) < KEY_BYTES) throw damaged(path, true)
  const parsed = readHeader(path, head)
  const whole =
    start.length + length + KEY_BYTES + parsed.bytes + TAG_BYTES * Math.ceil(parsed.bytes / CHUNK_BYTES)
  if (fstatSync(source).size < whole) throw damaged(path, true)
  const key = await keyOf(passphrase, parsed)
  if (!timingSafeEqual(proof, proofOf(key, head)))
    throw new StoreOpenError(
      'passphrase',
      say("The passphrase doesn't open {{path}}; nothing was restored. Try again.", { path }),
    )
  return { head, key }
}

function readHeader(path: string, head: Buffer): Header {
  let value: unknown
  try {
    value = JSON.parse(head.toString())
  } catch {
    throw damaged(path, false)
  }
  const { version } = (value ?? {}) as { readonly version?: unknown }
  if (typeof version === 'number' && version > VERSION) {
    throw new StoreOpenError(
      'newer',
      say(
        '{{path}} was written by a newer Millrace (version {{version}} of the format, this one knows {{known}}); nothing was restored. Update Millrace.',
        { path, version, known: VERSION },
      ),
    )
  }
  const parsed = header.safeParse(value)
  if (!parsed.success) throw damaged(path, false)
  const { N, r } = parsed.data
  // scrypt takes 128 · N · r bytes, and N must be a power of two.
  if (128 * N * r > MOST_MEMORY || (N & (N - 1)) !== 0) {
    throw new StoreOpenError(
      'damaged',
      say(
        "{{path}} needs more memory than any backup of Millrace, so it isn't one or was changed; nothing was restored.",
        { path },
      ),
    )
  }
  return parsed.data
}

function keyOf(passphrase: string, { N, r, p, salt }: Header): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same string, however the keyboard composes its characters.
    const text = passphrase.normalize('NFC')
    const cost = { N, r, p, maxmem: 128 * N * r * 2 + 1_048_576 }
    scrypt(text, Buffer.from(salt, 'base64'), KEY_BYTES, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** Distinguishes a wrong passphrase from a damaged file. */
const proofOf = (key: Buffer, head: Buffer) =>
  createHmac('sha256', key).update('millrace backup passphrase\0').update(head).digest()

interface SealedChunk {
  readonly key: Buffer
  readonly head: Buffer
  readonly number: number
  readonly isLast: boolean
}

function openChunk(sealed: Buffer, { key, head, number, isLast }: SealedChunk): Buffer | null {
  if (sealed.length < TAG_BYTES) return null
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast), { authTagLength: TAG_BYTES })
  decipher.setAAD(head)
  decipher.setAuthTag(sealed.subarray(end))
  const content = decipher.update(sealed.subarray(0, end))
  try {
    decipher.final()
    return content
  } catch {
    return null
  }
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

function damaged(path: string, isCut: boolean): StoreOpenError {
  const why = isCut ? say('ends too early: it was not copied completely') : say('is damaged')
  return new StoreOpenError(
    'damaged',
    say('{{file}} {{why}}; nothing was restored. Choose another backup.', { file: path, why }),
  )
}

const headerBytes = (fields: Header) => Buffer.from(JSON.stringify(fields))

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}

/** The number of keys and the keys, which come before the content. */
function startOf(keys: readonly Uint8Array[]): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(keys.length)
  return Buffer.concat([count, ...keys])
}

function readKeys(chunk: Buffer): { readonly keys: Buffer[]; readonly rest: Buffer } | null {
  if (chunk.length < 4) return null
  const count = chunk.readUInt32BE(0)
  const end = 4 + count * KEY_BYTES
  if (count > MOST_DATA_KEYS || chunk.length < end) return null
  const keys = Array.from({ length: count }, (_, at) =>
    Buffer.from(chunk.subarray(4 + at * KEY_BYTES, 4 + (at + 1) * KEY_BYTES)),
  )
  return { keys, rest: chunk.subarray(end) }
}

/** Fills the buffer from `at` on, or less of it at the end of the file. Returns the end of the bytes read. */
function readFully(file: number, buffer: Buffer, at = 0): number {
  for (;;) {
    const length = readSync(file, buffer, at, buffer.length - at, null)
    at += length
    if (length === 0 || at === buffer.length) return at
  }
}

function writeFully(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}
