import { AppError } from '../../../../shared/contract/base/errors.ts'
import { editSteps } from '../../../../shared/contract/base/edit-steps.ts'
import type { StepEdit } from '../../../../shared/contract/base/step-edits.ts'
import type { Step } from '../../../../shared/contract/steps.ts'

/** The steps with a fix applied; unchanged if the fix no longer applies because they have changed since the check. */
export function fixedSteps(steps: readonly Step[], edits: readonly StepEdit[]): readonly Step[] {
  try {
    return editSteps(steps, edits) as Step[]
  } catch (error) {
    if (error instanceof AppError) return steps
    throw error
  }
}
