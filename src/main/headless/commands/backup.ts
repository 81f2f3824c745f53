import { resolve } from 'node:path'
import { importDataKeysRoute, writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import { storedJson } from '../../services/kit/json-codec.ts'
import { isSealedFile, restoreBackup } from '../../store/index.ts'
import type { CommandContext } from '../support/command-context.ts'
import { named } from '../support/sent-source.ts'
import { withHost } from '../support/with-host.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { typeHidden } from '../support/ask-passphrase.ts'
import { readText } from '../support/text-file.ts'

export async function backUp(
  { config, output }: CommandContext,
  { overwrite = false, ...given }: PassphraseOptions & { readonly overwrite?: boolean },
  file: string,
): Promise<void> {
  const path = resolve(file)
  const passphrase = await readPassphrase(given, { isNew: true })
  const body = { path, overwrite, ...(passphrase !== null && { passphrase }) }
  const backup = await withHost(config, (host) => host.call(writeBackupRoute, { body })).catch(
    (error: unknown) => {
      throw named(error, path, 'path')
    },
  )
  output.answer(backup, `Wrote ${backup.bytes.toLocaleString('en')} bytes to ${path}`)
  output.note(
    passphrase === null
      ? 'Its secrets can only be decrypted with the key of this computer. Export it with "millrace key export".'
      : 'It contains everything, and only the passphrase opens it. If you lose the passphrase, nobody can read it.',
  )
}

/** Exits with 75 while Millrace is running, because restoring replaces the database. */
export async function restore(
  { config, output }: CommandContext,
  given: PassphraseOptions,
  file: string,
): Promise<void> {
  const path = resolve(file)
  const asks = isSealedFile(path) && given.passphraseFile === undefined && process.stdin.isTTY
  const passphrase = await readPassphrase(asks ? { passphrase: true } : given, { isNew: false })
  const restored = await restoreBackup({
    dataDir: config.dataDir,
    file: path,
    passphrase,
    now: Date.now(),
    json: storedJson,
  })
  const { kept, endsRevokedTokens, keys } = restored
  if (keys.length > 0) {
    const hex = keys.map((key) => Buffer.from(key).toString('hex'))
    await withHost(config, (host) => host.call(importDataKeysRoute, { body: { keys: hex } }))
  }
  const before = kept === null ? '' : `\nThe previous database is kept as ${kept}`
  output.answer(
    { restored: path, kept, revoked_tokens_stay_revoked: endsRevokedTokens },
    `Restored ${path}${before}`,
  )
  if (!endsRevokedTokens) {
    output.note(
      'Tokens that were revoked or replaced after the backup are valid again, because there was no readable database that lists them. Revoke them again: "millrace token list" lists them.',
    )
  }
}

interface PassphraseOptions {
  readonly passphrase?: boolean
  readonly passphraseFile?: string
}

/**
 * Reads the passphrase from a file, from stdin or from the terminal, never from an argument, which other users of the
 * machine can see. Null if none is wanted.
 *
 * @param isNew whether to ask twice for a typed one
 * @throws HostError
 */
async function readPassphrase(
  { passphrase = false, passphraseFile: file }: PassphraseOptions,
  { isNew }: { readonly isNew: boolean },
): Promise<string | null> {
  // The line break at the end isn't part of the passphrase.
  if (file !== undefined) return readText(file).replace(/\r?\n$/, '')
  if (!passphrase) return null
  if (!process.stdin.isTTY) {
    throw new HostError(EXIT.usage, '--passphrase asks on a terminal; use --passphrase-file, "-" for stdin')
  }
  const typed = await typeHidden('Passphrase: ')
  if (isNew && (await typeHidden('Again: ')) !== typed)
    throw new HostError(EXIT.failed, 'The two passphrases differ')
  return typed
}
