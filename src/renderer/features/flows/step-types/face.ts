import type { LucideIcon } from '../../../lib/icons.tsx'
import type { Step } from '../../../../shared/contract/steps.ts'
import { english } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

export const STEP_GROUPS = {
  triggers: english('Start'),
  calls: english('Call'),
  control: english('Decide and repeat'),
  values: english('Values and lists'),
  files: english('Text and files'),
} as const

export interface StepFace {
  readonly label: English
  readonly icon: LucideIcon
  readonly group: keyof typeof STEP_GROUPS
  /** Its purpose, in one line. */
  readonly purpose: English
  /** What somebody calls it, or wants with it, for the search. */
  readonly words: English
  /** The `ref_id` of a new one. */
  readonly refId: string
  /** The configuration of a new one; required fields are left out, so that saving reports what is missing. */
  readonly config: Readonly<Record<string, unknown>>
  /** A complete one, to start from or to learn from. */
  readonly sample: Partial<Pick<Step, 'config' | 'cases'>>
  /** What it does as configured, for its row in the list. */
  readonly summary: (config: Readonly<Record<string, unknown>>) => string
}

/** A config value in a summary. */
export function shown(value: unknown, fallback: string): string {
  if (value === undefined || value === null || value === '') return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}
