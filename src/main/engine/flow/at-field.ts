import { AppError } from '../../../shared/contract/errors.ts'
import type { StepScope } from './model/compiled-step.ts'

/** Waits for work of a port; what it refuses is said of that field. */
export async function atField<T>(scope: StepScope, field: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw scope.fail(error.code, error.message, { field, cause: error })
  }
}
