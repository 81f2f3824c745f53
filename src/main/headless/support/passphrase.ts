/** A passphrase from a file, from stdin or typed, never from an argument, which other users of the machine can see. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { EXIT, HostError } from '../../exit-codes.ts'
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
  const typed = await ask('Passphrase: ')
  if (isNew && (await ask('Again: ')) !== typed)
    throw new HostError(EXIT.failed, 'The two passphrases differ')
  return typed
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  // What is typed isn't shown.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
