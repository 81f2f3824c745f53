import { sentenceOf } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { SecretBoxLockedError, type Store } from '../../../store/index.ts'

/**
 * Writes data that can contain secrets.
 *
 * @throws AppError `conflict` if this host has no key to encrypt them with
 */
export async function writeSealed<T>(write: Store['write'], work: () => T): Promise<T> {
  try {
    return await write(work)
  } catch (error) {
    if (error instanceof SecretBoxLockedError)
      throw new AppError('conflict', sentenceOf(error), { cause: error })
    throw error
  }
}
