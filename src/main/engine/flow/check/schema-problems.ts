import { AppError } from '../../../../shared/contract/errors.ts'
import { STEP_CONFIGS, type StepType } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/validate.ts'
import type { FieldProblem } from '../definition/problem.ts'

/** What does not fit the schema of the type's config. */
export function schemaProblems(type: StepType, config: unknown): FieldProblem[] {
  try {
    parseInput(STEP_CONFIGS[type], config, '')
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fields = Object.entries(error.data as Record<string, string[]>)
    return fields.flatMap(([field, reasons]) =>
      reasons.map((reason) => [field === '' ? 'config' : `config.${field}`, reason] as const),
    )
  }
}
