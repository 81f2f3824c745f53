import { resolve } from 'node:path'
import { writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import { storedJson } from '../../services/kit/json-codec.ts'
import { restoreBackup } from '../../store/index.ts'
import type { CommandContext } from '../support/command-context.ts'
import { withHost } from '../support/with-host.ts'

export async function backUp(
  { config, output }: CommandContext,
  { overwrite = false }: { readonly overwrite?: boolean },
  file: string,
): Promise<void> {
  const path = resolve(file)
  const backup = await withHost(config, (host) => host.call(writeBackupRoute, { body: { path, overwrite } }))
  output.answer(backup, `Wrote ${backup.bytes.toLocaleString('en')} bytes to ${path}`)
  output.note('Its secrets open with this machine\'s key alone: "millrace key export" takes that along.')
}

/** Not possible through a running Millrace, because it replaces the database: exits with 75 then. */
export async function restore(
  { config, output }: CommandContext,
  _options: unknown,
  file: string,
): Promise<void> {
  const path = resolve(file)
  const restored = await restoreBackup({
    dataDir: config.dataDir,
    file: path,
    now: Date.now(),
    json: storedJson,
  })
  const { kept, endsRevokedTokens } = restored
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
