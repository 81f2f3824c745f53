/**
 * The stored form of a run's state parts: sealed, compressed from a certain size on, and moved to a file of the run
 * (next to its long lists) if still large, so that the database stays small.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { type SecretBox, type SecretOwner, SecretUnreadableError } from '../secrets/secret-box.ts'
import { isRecording, UnmadeValue } from '../sql/statement.ts'
import { compress } from './compress.ts'

export type StateFormat = ReturnType<typeof createStateFormat>

/** Shorter strings are sealed as they are: they start with `{` or `[`, never with one of the markers. */
const COMPRESSED = 1
const IN_FILE = 2
const COMPRESS_FROM_CHARACTERS = 65_536
const FILE_FROM_BYTES = 262_144
/** UTF-8 needs at most three bytes per UTF-16 unit; the rest is the overhead of sealing. */
const MOST_SEALED_OF_SMALL = 3 * COMPRESS_FROM_CHARACTERS + 1_024
const MOST_BYTES = 1_024 * 1_024 * 1_024

const ownerOf = (runId: string): SecretOwner => `flow_runs:${runId}`

export function createStateFormat(box: SecretBox, dataDir: string) {
  const folderOf = (runId: string) => join(dataDir, 'records', runId)
  const fileOwner = (runId: string, name: string): SecretOwner => `flow_runs:${runId}/${name}`

  function toFile(runId: string, bytes: Buffer): string {
    const folder = folderOf(runId)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const name = `${randomBytes(8).toString('hex')}.state`
    const file = openSync(join(folder, name), 'wx', 0o600)
    try {
      writeSync(file, box.sealBytes(fileOwner(runId, name), bytes))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return name
  }

  function fromFile(runId: string, name: string): Buffer {
    const owner = fileOwner(runId, name)
    try {
      return box.openBytes(owner, readFileSync(join(folderOf(runId), name)))
    } catch (cause) {
      if (cause instanceof SecretUnreadableError) throw cause
      throw new SecretUnreadableError(owner, cause)
    }
  }

  const isLarge = (mark: number | undefined) => mark === COMPRESSED || mark === IN_FILE

  return {
    /**
     * If the value needs a file, it is on the disk once this returns, and it is deleted with its run.
     *
     * @throws SecretBoxLockedError
     */
    seal(runId: string, text: string): Buffer | UnmadeValue {
      if (isRecording()) return new UnmadeValue('seal', runId, text)
      if (text.length < COMPRESS_FROM_CHARACTERS) return box.seal(ownerOf(runId), text)
      const bytes = compress(Buffer.from(text))
      const [mark, body] =
        bytes.length < FILE_FROM_BYTES
          ? ([COMPRESSED, bytes] as const)
          : ([IN_FILE, Buffer.from(toFile(runId, bytes))] as const)
      return box.sealBytes(ownerOf(runId), Buffer.concat([Buffer.of(mark), body]))
    },
    /** @throws SecretUnreadableError if it can't be decrypted, or its file no longer exists */
    open(runId: string, sealed: Uint8Array): string {
      const bytes = box.openBytes(ownerOf(runId), sealed)
      const mark = bytes[0]
      if (!isLarge(mark)) return bytes.toString('utf8')
      const body = bytes.subarray(1)
      const compressed = mark === COMPRESSED ? body : fromFile(runId, body.toString('latin1'))
      return zstdDecompressSync(compressed, { maxOutputLength: MOST_BYTES }).toString('utf8')
    },
    /** Null if the string was long enough to be compressed. */
    openSmall(runId: string, sealed: Uint8Array): string | null {
      if (sealed.length > MOST_SEALED_OF_SMALL) return null
      const bytes = box.openBytes(ownerOf(runId), sealed)
      return isLarge(bytes[0]) ? null : bytes.toString('utf8')
    },
  }
}
