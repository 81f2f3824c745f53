import { AppError } from '../../../shared/contract/base/errors.ts'
import { EXIT, exitCodeOf, type ExitCode, isDiskFull } from '../../host/machine/exit-codes.ts'
import type { Output } from './output.ts'

const NAMES: { readonly [C in ExitCode]: string } = {
  [EXIT.ok]: 'ok',
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'usage',
  [EXIT.portTaken]: 'port_taken',
  [EXIT.internal]: 'internal',
  [EXIT.damagedData]: 'damaged_data',
  [EXIT.folderInUse]: 'folder_in_use',
  [EXIT.notWritable]: 'not_writable',
  [EXIT.readerGone]: 'reader_gone',
}

/** Prints the error on stderr and returns the exit code. */
export function explainFailure(error: unknown, output: Output): ExitCode {
  if (isDiskFull(error)) {
    output.failure('disk_full', error.message)
    return EXIT.folderInUse
  }
  if (error instanceof AppError) {
    output.failure(error.code, error.message, error.data)
    return EXIT.failed
  }
  const code = exitCodeOf(error)
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error))
  // For unexpected errors, the stack is the only clue.
  output.failure(NAMES[code], code === EXIT.internal ? stack : message)
  return code
}
