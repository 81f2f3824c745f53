import type { Step } from '../../../../shared/contract/steps.ts'

/** What the form of a step type is given: the config as it stands, which may be incomplete, and how to change it. */
export interface StepFormProps {
  readonly step: Step
  readonly config: Readonly<Record<string, unknown>>
  /** Keys set to undefined are removed. */
  readonly onChange: (patch: Readonly<Record<string, unknown>>) => void
  /** Changes what stands beside the config: the cases of a switch. */
  readonly onStepChange: (patch: Partial<Step>) => void
  /** The message of a config field, or of `cases`. */
  readonly errorOf: (field: string) => string | undefined
}

/** A config value as the text of a template: what is no text yet stands as JSON. */
export function asTemplate(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An empty text is absent, so that saving says that a required field is missing. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}

/** `200` → 200, `{{ x }}` stays a text, an empty text is absent. */
export function asNumberOrTemplate(text: string): number | string | undefined {
  if (text.trim() === '') return undefined
  return /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(text) ? Number(text) : text
}

export function asDictionary(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
