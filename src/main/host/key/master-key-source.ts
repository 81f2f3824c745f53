/** The master key from the environment: as a value, in a file, or as a credential of systemd. */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { decodeFile } from '@millrace/jinja/data'
import { EXIT, HostError } from '../machine/exit-codes.ts'

const MASTER_KEY_BYTES = 32
const LONGEST_FILE = 1_000

/** The name that the credential must have in `LoadCredential=`. */
const CREDENTIAL = 'master-key'

export interface GivenMasterKey {
  readonly key: Buffer
  /** Null if the environment has the key itself. */
  readonly file: string | null
}

/**
 * Null if the environment has no key.
 *
 * @throws HostError `usage` saying what is wrong with the key or its file, without repeating it
 */
export function readGivenMasterKey(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): GivenMasterKey | null {
  const {
    MILLRACE_MASTER_KEY: value,
    MILLRACE_MASTER_KEY_FILE: path,
    CREDENTIALS_DIRECTORY: credentials,
  } = environment
  if (value && path) {
    throw usage('Both MILLRACE_MASTER_KEY and MILLRACE_MASTER_KEY_FILE are set; remove one of them')
  }
  if (value) return { key: parseKey(value, 'MILLRACE_MASTER_KEY'), file: null }
  if (path)
    return readKeyIn(resolve(path), { name: 'MILLRACE_MASTER_KEY_FILE', checksMode: platform !== 'win32' })
  if (!credentials) return null
  const file = join(credentials, CREDENTIAL)
  // The service's other credentials don't concern Millrace. Only the service can read the folder, whatever its mode
  // bits say.
  if (!mayExist(file)) return null
  return readKeyIn(file, { name: `The credential ${CREDENTIAL}`, checksMode: false })
}

/** Whether the file may exist. If that can't be checked, reading it reports why. */
function mayExist(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

function readKeyIn(
  file: string,
  { name, checksMode }: { readonly name: string; readonly checksMode: boolean },
): GivenMasterKey {
  let text: string
  try {
    // Checks and reads through the same handle, so that both concern the same file. Doesn't block, because a pipe has
    // no end.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(handle)
      if (!stats.isFile()) throw usage(`${name} is ${file}, which isn't a file`)
      // The group may read the file, because it often belongs to root and the service's group.
      if (checksMode && (stats.mode & 0o027) !== 0) {
        const mode = (stats.mode & 0o777).toString(8).padStart(3, '0')
        throw usage(
          `${name} is ${file}, which other users can read or change (mode ${mode}); run "chmod 600 ${file}", and make another key if they may have read it`,
        )
      }
      // A file longer than any key is rejected like any other wrong text.
      text = stats.size > LONGEST_FILE ? 'too long' : decodeFile(readFileSync(handle), 'latin1').trim()
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (error instanceof HostError) throw error
    throw usage(`${name} is ${file}, which ${reasonOf(error as NodeJS.ErrnoException)}`)
  }
  if (text === '')
    throw usage(`${name} is ${file}, which is empty; "openssl rand -hex 32 > ${file}" puts a new key there`)
  return { key: parseKey(text, `${name} (${file})`), file }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return "doesn't exist"
  if (code === 'EACCES' || code === 'EPERM') return "the user that runs Millrace can't read"
  return `can't be read: ${message}`
}

function parseKey(text: string, name: string): Buffer {
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64'
  const key = Buffer.from(text, encoding)
  const isBase64 = encoding === 'hex' || /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
  if (isBase64 && key.length === MASTER_KEY_BYTES) return key
  // The value is a secret, or nearly one, so the message doesn't repeat it.
  throw usage(
    `${name} must be ${MASTER_KEY_BYTES} bytes as 64 hexadecimal digits or as base64; "openssl rand -hex 32" makes one`,
  )
}

const usage = (message: string) => new HostError(EXIT.usage, message)
