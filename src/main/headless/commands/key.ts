import { exportDataKeysRoute, importDataKeysRoute } from '../../../shared/contract/data-folder.ts'
import { EXIT, HostError } from '../../exit-codes.ts'
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
