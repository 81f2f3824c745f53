/** A passphrase from a file, from stdin or typed, never from an argument, which other users of the machine can see. */
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { typeHidden } from './ask-passphrase.ts'
import { readText } from './text-file.ts'

export interface PassphraseOptions {
  readonly passphrase?: boolean
  readonly passphraseFile?: string
}

/**
 * Null if none was asked for.
 *
 * @param isNew a typed one is asked for twice
 * @throws HostError
 */
export async function readPassphrase(
  { passphrase = false, passphraseFile: file }: PassphraseOptions,
  { isNew }: { readonly isNew: boolean },
): Promise<string | null> {
  // The line break at the end isn't part of it.
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
