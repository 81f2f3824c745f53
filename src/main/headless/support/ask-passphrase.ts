import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

/** Asks on the terminal, through stderr, because stdout is for results. */
export function askPassphrase(wasWrong: boolean): Promise<string> {
  return askHidden(wasWrong ? 'Wrong passphrase, try again: ' : 'Passphrase for the key: ')
}

/** @throws HostError `failed` if there is no terminal */
export async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new HostError(
      EXIT.failed,
      'The key is protected by a passphrase, and there is no terminal to ask for it; set MILLRACE_PASSPHRASE',
    )
  return typeHidden(question)
}

/** Reads input without showing it; Ctrl+C ends the program. Only works on a terminal. */
export async function typeHidden(question: string): Promise<string> {
  // Discards the characters that the terminal would show.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const leave = () => process.exit(EXIT.failed)
  terminal.on('SIGINT', leave)
  // From here on the terminal shows nothing by itself, however early somebody types.
  process.stderr.write(question)
  try {
    return await terminal.question('')
  } catch (cause) {
    // Ctrl+D was pressed, or the terminal was closed.
    throw new HostError(EXIT.failed, 'No passphrase was typed', { cause })
  } finally {
    terminal.off('SIGINT', leave)
    terminal.close()
    process.stderr.write('\n')
  }
}
