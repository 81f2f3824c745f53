/** Reads the secret that a reference stands for: from the program of its vault, from a file or from the environment. */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { ReferenceKind, SecretReference } from '../../../../shared/contract/base/secret-references.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { ClosedPlaces } from '../../keeping/files/closed-places.ts'
import type { ReadVault } from '../../keeping/secrets/secret-reader.ts'
import type { AskProgram, ProgramAnswer, ProgramQuestion } from './programs.ts'

export interface ReadVaultOptions {
  readonly settings: () => Pick<Settings, 'secret_environment'>
  readonly ask: AskProgram
  readonly closedPlaces: ClosedPlaces
  readonly environment?: NodeJS.ProcessEnv
  readonly timeoutMs?: number
}

export function createReadVault(options: ReadVaultOptions): ReadVault {
  const { ask, settings, closedPlaces, environment = process.env, timeoutMs = TIMEOUT_MS } = options

  async function askVault(reference: SecretReference, vault: Vault, signal: AbortSignal): Promise<string> {
    const answer = await ask(vault.questions(reference.place), { timeoutMs, mostBytes: MOST_BYTES, signal })
    const { name } = answer
    if (answer.isLate)
      throw refusal(
        'timeout',
        say('"{{name}}" didn\'t answer within {{seconds}} s; unlock it on this computer, then try again', {
          name,
          seconds: timeoutMs / 1_000,
        }),
      )
    if (answer.exitCode !== 0) throw refused(reference, answer)
    if (answer.isStdoutCut) throw tooLong(`"${name}"`)
    const value = vault.read(textOf(answer.stdout, `"${name}"`), reference.place)
    if (value === null || value === '') throw missing(reference, `"${name}"`)
    return value
  }

  async function readFile(reference: SecretReference): Promise<string> {
    const { place: path } = reference
    const real = await realpath(path).catch((error: unknown) => {
      throw unreadable(path, error)
    })
    const closed = closedPlaces.closedBy(real)
    if (closed !== null)
      throw refusal(
        'forbidden',
        say('"{{path}}" is in {{closed}}; Millrace doesn\'t read secrets from there', { path, closed }),
      )
    // Without `O_NONBLOCK`, opening a pipe would wait until something writes to it.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    const file = await open(real, flags).catch((error: unknown) => {
      throw unreadable(path, error)
    })
    try {
      await requirePrivate(file, path)
      const value = withoutLineEnd(textOf(await readAtMost(file, MOST_BYTES, path), `"${path}"`))
      if (value === '') throw missing(reference, `"${path}"`)
      return value
    } finally {
      await file.close()
    }
  }

  function readEnvironment({ place: name }: SecretReference): string {
    if (!settings().secret_environment.includes(name))
      throw refusal(
        'forbidden',
        say("the environment variable {{name}} isn't listed in Settings, Secrets from vaults; add it there", {
          name,
        }),
      )
    const value = environment[name]
    if (value !== undefined && value !== '') return value
    throw refusal(
      'not_found',
      say('Millrace was started without the environment variable {{name}}; set it and restart Millrace', {
        name,
      }),
    )
  }

  return async (reference, signal) => {
    signal.throwIfAborted()
    const { kind } = reference
    if (kind === 'file') return await readFile(reference)
    if (kind === 'env') return readEnvironment(reference)
    return await askVault(reference, VAULTS[kind], signal)
  }
}

/** The user may have to unlock the vault with a fingerprint or password. */
const TIMEOUT_MS = 60_000
const MOST_BYTES = 65_536

/** Requires that the file belongs to the user who runs Millrace, and that others can neither read nor change it. */
async function requirePrivate(file: FileHandle, path: string): Promise<void> {
  const info = await file.stat()
  const user = process.getuid?.()
  if (user === undefined)
    throw refusal('forbidden', say("files can't be checked on Windows; use another vault"))
  const problem = !info.isFile()
    ? say('"{{path}}" isn\'t a regular file', { path })
    : info.uid !== user
      ? say('"{{path}}" belongs to another user; make yourself its owner', { path })
      : (info.mode & 0o007) !== 0 || (info.mode & 0o020) !== 0
        ? say('"{{path}}" is open to others; run chmod 600 on it', { path })
        : null
  if (problem !== null) throw refusal('forbidden', problem)
}

/** Ignores the file's stated size, because it is 0 for some files, and can change. */
async function readAtMost(file: FileHandle, most: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(most + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length)
    if (bytesRead === 0) return bytes.subarray(0, length)
    length += bytesRead
  }
  throw tooLong(`"${path}"`)
}

interface Vault {
  /** Programs that know the secret; the first one that is in the settings is asked. */
  readonly questions: (place: string) => readonly ProgramQuestion[]
  readonly read: (stdout: string, place: string) => string | null
}

const BITWARDEN_FIELDS: readonly string[] = ['username', 'password', 'uri', 'totp', 'notes']

const VAULTS: { readonly [K in Exclude<ReferenceKind, 'env' | 'file'>]: Vault } = {
  op: {
    questions: (place) => [{ name: 'op', arguments: ['read', '--no-newline', place] }],
    read: withoutLineEnd,
  },
  bw: {
    questions(place) {
      const [item, field] = itemOf(place)
      const what = BITWARDEN_FIELDS.includes(field) ? field : 'item'
      return [{ name: 'bw', arguments: ['get', what, item, '--nointeraction'] }]
    },
    read(stdout, place) {
      const [, field] = itemOf(place)
      return BITWARDEN_FIELDS.includes(field) ? withoutLineEnd(stdout) : ownField(stdout, field)
    },
  },
  pass: {
    questions: (place) => [{ name: 'pass', arguments: ['show', place] }],
    // The password is the first line; other lines can follow.
    read: (stdout) => stdout.split(/\r?\n/, 1)[0] ?? '',
  },
  keychain: {
    questions(place) {
      const [service, account] = itemOf(place)
      return [
        { name: 'security', arguments: ['find-generic-password', '-s', service, '-a', account, '-w'] },
        { name: 'secret-tool', arguments: ['lookup', 'service', service, 'account', account] },
      ]
    },
    read: withoutLineEnd,
  },
}

/** Splits `item/field`; the field defaults to the password. */
function itemOf(place: string): readonly [item: string, field: string] {
  const [item = '', field = 'password'] = place.split('/')
  return [item, field]
}

/** A custom field of a Bitwarden item. */
function ownField(stdout: string, name: string): string | null {
  try {
    const { fields = [] } = JSON.parse(stdout) as { readonly fields?: readonly Record<string, unknown>[] }
    const value = fields.find((field) => field['name'] === name)?.['value']
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** @throws AppError if the bytes aren't text, because they would be sent changed */
function textOf(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw refusal(
      'validation',
      say("the value from {{where}} isn't text; store the secret itself", { where }),
      error,
    )
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

const LOCKED =
  /\b(?:locked|signed in|log(?:ged)? in|sign in|no accounts? configured|authoriz|unlock|session expired|decryption failed|user interaction is not allowed|pinentry|cancell?ed)/i
const MISSING =
  /\b(?:not found|could(?: not|n't) (?:be )?f(?:i|ou)nd|isn't an? |is not in the password store|no such)/i

/** The error never repeats the program's output, which could contain this secret or another one. */
function refused(reference: SecretReference, { name, stderr, exitCode }: ProgramAnswer): AppError {
  const said = Buffer.from(stderr.subarray(0, 4_000)).toString('utf8').trim()
  if (MISSING.test(said) || said === '') return missing(reference, `"${name}"`)
  if (LOCKED.test(said))
    return refusal(
      'conflict',
      say('"{{name}}" is locked; unlock it or sign in to it on this computer, then try again', { name }),
    )
  return refusal(
    'unavailable',
    say('"{{name}}" failed with exit code {{code}}; run it in a terminal to see why', {
      name,
      code: String(exitCode),
    }),
  )
}

const refusal = (
  code: 'conflict' | 'forbidden' | 'not_found' | 'timeout' | 'unavailable' | 'validation',
  said: Said,
  cause?: unknown,
) => new AppError(code, said, cause === undefined ? {} : { cause })

const missing = ({ text }: SecretReference, where: string) =>
  refusal(
    'not_found',
    say('{{where}} has nothing at "{{reference}}"; correct the reference', { where, reference: text }),
  )

const tooLong = (where: string) =>
  refusal(
    'validation',
    say('the value from {{where}} is longer than 64 KiB; store the secret itself', { where }),
  )

const unreadable = (path: string, error: unknown) =>
  refusal(
    'unavailable',
    say('"{{path}}" can\'t be opened ({{code}}); check the path and its permissions', {
      path,
      code: String((error as NodeJS.ErrnoException).code),
    }),
  )
