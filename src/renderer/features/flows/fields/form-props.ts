import type { Step } from '../../../../shared/contract/steps.ts'

/** The properties of a step type's form: the current config, which may be incomplete, and how to change it. */
export interface StepFormProps {
  readonly step: Step
  readonly config: Readonly<Record<string, unknown>>
  /** Keys set to undefined are removed. */
  readonly onChange: (patch: Readonly<Record<string, unknown>>) => void
  /** Changes the properties outside the config, such as the cases of a switch. */
  readonly onStepChange: (patch: Partial<Step>) => void
  /** The message of a config field, or of `cases`. */
  readonly errorOf: (field: string) => string | undefined
}

/** A config value as the text of a template. Values that aren't strings are written as JSON. */
export function asTemplate(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An empty text is absent, so that saving reports a missing required field. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}

/** `200` → 200, `{{ x }}` stays a string, an empty text is absent. */
export function asNumberOrTemplate(text: string): number | string | undefined {
  if (text.trim() === '') return undefined
  return /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(text) ? Number(text) : text
}

export function asDictionary(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
