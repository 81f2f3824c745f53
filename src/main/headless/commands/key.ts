import { randomBytes } from 'node:crypto'
import { SHORTEST_PASSPHRASE } from '../../../shared/desktop/settings.ts'
import { exportDataKeysRoute, importDataKeysRoute } from '../../../shared/contract/data-folder.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { openKeyFile, writeKeyFile } from '../../host/key/master-key.ts'
import { unlockKey } from '../../host/unlock-key.ts'
import { askHidden, askPassphrase } from '../support/ask-passphrase.ts'
import type { CommandContext } from '../support/command-context.ts'
import { readText, writeText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

const KEY = /^[0-9a-f]{64}$/

/** Prints one key per line. Together with a backup they reveal every stored credential. */
export async function exportKey(
  { config, output }: CommandContext,
  { out }: { readonly out?: string },
): Promise<void> {
  const { keys } = await withHost(config, (host) => host.call(exportDataKeysRoute))
  if (keys.length === 0) throw new HostError(EXIT.failed, 'There is no key to export')
  const text = keys.join('\n')
  if (out === undefined) {
    output.answer({ keys }, text)
  } else {
    writeText(out, `${text}\n`, 0o600)
    output.answer({ file: out, count: keys.length }, `Wrote the key to ${out}`)
  }
  output.note('Keep it secret: with a copy of the database, it decrypts all stored credentials.')
}

export async function importKey(
  { config, output }: CommandContext,
  _options: unknown,
  path: string,
): Promise<void> {
  const keys = readText(path)
    .split(/\s+/)
    .filter((line) => line !== '')
  if (keys.length === 0 || !keys.every((key) => KEY.test(key))) {
    const source = path === '-' ? 'The input' : path
    throw new HostError(
      EXIT.failed,
      `${source} doesn't contain a key; a key is a line of 64 hexadecimal digits`,
    )
  }
  const { secrets } = await withHost(config, (host) => host.call(importDataKeysRoute, { body: { keys } }))
  const rest =
    secrets === 'readable'
      ? 'All stored credentials can be read.'
      : 'Some credentials were encrypted with another key and must be entered again.'
  output.answer({ imported: keys.length, secrets }, `Imported. ${rest}`)
}

/** Takes effect with the next start; a running Millrace has the key in memory. */
export async function protectKey({ config, output }: CommandContext): Promise<void> {
  const key = await openKey(config)
  const passphrase = await readNewPassphrase()
  await writeKeyFile(config.keyFile, key, passphrase)
  output.answer(
    { file: config.keyFile, protected: true },
    `Each start now asks for the passphrase of ${config.keyFile}`,
  )
  output.note('Without it, stored credentials can only be read with an exported key ("millrace key export").')
}

export async function unprotectKey({ config, output }: CommandContext): Promise<void> {
  await writeKeyFile(config.keyFile, await openKey(config), null)
  output.answer({ file: config.keyFile, protected: false }, `${config.keyFile} needs no passphrase anymore`)
}

/** The key in the file, which is created if it doesn't exist; asks for its passphrase if it has one. */
async function openKey(config: CommandContext['config']): Promise<Buffer> {
  if (config.masterKey !== null)
    throw new HostError(EXIT.usage, 'The environment has the key, so there is no key file to protect')
  const { unlockedKey } = await unlockKey(config, askPassphrase)
  return unlockedKey ?? openKeyFile(config.keyFile, randomBytes)
}

/** On a terminal twice; otherwise from stdin. */
async function readNewPassphrase(): Promise<string> {
  const isAsked = process.stdin.isTTY
  const passphrase = isAsked ? await askHidden('New passphrase: ') : readText('-').replace(/\r?\n$/, '')
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new HostError(EXIT.usage, `The passphrase must have at least ${SHORTEST_PASSPHRASE} characters`)
  if (isAsked && passphrase !== (await askHidden('Once more: ')))
    throw new HostError(EXIT.failed, 'The two passphrases differ; nothing was changed')
  return passphrase
}
