import { resolve } from 'node:path'
import { importDataKeysRoute, writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import { storedJson } from '../../services/kit/json-codec.ts'
import { isSealedFile, restoreBackup } from '../../store/index.ts'
import type { CommandContext } from '../support/command-context.ts'
import { type PassphraseOptions, readPassphrase } from '../support/passphrase.ts'
import { withHost } from '../support/with-host.ts'

export async function backUp(
  { config, output }: CommandContext,
  { overwrite = false, ...given }: PassphraseOptions & { readonly overwrite?: boolean },
  file: string,
): Promise<void> {
  const path = resolve(file)
  const passphrase = await readPassphrase(given, { isNew: true })
  const body = { path, overwrite, ...(passphrase !== null && { passphrase }) }
  const backup = await withHost(config, (host) => host.call(writeBackupRoute, { body }))
  output.answer(backup, `Wrote ${backup.bytes.toLocaleString('en')} bytes to ${path}`)
  output.note(
    passphrase === null
      ? 'Its secrets open with this machine\'s key alone: "millrace key export" takes that along.'
      : 'It holds everything, and opens with the passphrase alone. If you lose the passphrase, nobody can read it.',
  )
}

/** Not possible through a running Millrace, because it replaces the database: exits with 75 then. */
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
  const before = kept === null ? '' : `\nWhat was there before is kept as ${kept}`
  output.answer(
    { restored: path, kept, revoked_tokens_stay_revoked: endsRevokedTokens },
    `Restored ${path}${before}`,
  )
  if (!endsRevokedTokens) {
    output.note(
      'Tokens that were revoked or replaced after the backup was taken are good again, since there was no database that knows them: revoke them again ("millrace token list").',
    )
  }
}
