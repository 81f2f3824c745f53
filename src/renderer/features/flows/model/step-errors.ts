import { definitionOf, facesOf } from '../../../../shared/contract/step-types/index.ts'
import { authField } from '../../../../shared/contract/plugins/manifest.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { t } from '../../../lib/i18n.ts'
import { partOf, type Plugins, type TypedConfig } from '../../../components/plugins/plugin-parts.ts'
import { toFieldPath, walkSteps } from './step-tree.ts'

/** Messages by field of each step, `{ web1: { 'config.url': 'is required' } }`, and those that belong to no step. */
export interface StepErrors {
  readonly bySteps: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly others: Readonly<Record<string, string>>
}

export const NO_ERRORS: StepErrors = { bySteps: {}, others: {} }

/** Assigns the server's messages (`steps[1].then[0].config.url`) to the steps they name. */
export function sortErrors(
  steps: readonly Step[],
  fields: Readonly<Record<string, readonly string[]>>,
): StepErrors {
  const places = walkSteps(steps)
    .map(({ step, path }) => ({ refId: step.ref_id, prefix: toFieldPath(path) }))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  const bySteps: Record<string, Record<string, string>> = {}
  const others: Record<string, string> = {}
  for (const [field, sentences] of Object.entries(fields)) {
    const place = places.find(({ prefix }) => field === prefix || field.startsWith(`${prefix}.`))
    const text = sentences.join('; ')
    if (place === undefined) others[field] = text
    else (bySteps[place.refId] ??= {})[field.slice(place.prefix.length + 1)] = text
  }
  return { bySteps, others }
}

/** The message of one field of a step, or of anything below it: `config.headers` for `config.headers.accept`. */
export function errorOf(errors: Readonly<Record<string, string>>, field: string): string | undefined {
  const exact = errors[field]
  if (exact !== undefined) return exact
  const below = Object.entries(errors).find(
    ([key]) => key.startsWith(`${field}.`) || key.startsWith(`${field}[`),
  )
  return below === undefined ? undefined : `${nameBelow(below[0].slice(field.length))}: ${below[1]}`
}

/** The name of a path below a field, `.accept` or `[2].name`, with items counted from 1. */
export function nameBelow(path: string): string {
  return path
    .replace(/\[(\d+)\]\.?/g, (_, index) => ` ${Number(index) + 1}. `)
    .replace(/^\./, '')
    .trim()
}

/** The label of a field in its step's form; a key without a form stays as it is. */
export function fieldLabel(type: string, key: string): string {
  const label = facesOf(type, key)[0]?.label ?? (key === 'cases' ? definitionOf(type)?.casesLabel : undefined)
  return label === undefined ? key : t(label)
}

/** `config.headers.accept` → the field and the name in it. */
export function placeOfField(field: string): { readonly key: string; readonly name: string | undefined } {
  const [, key = '', rest] = /^(?:config\.)?(\w+)(?:[.[](.*))?$/.exec(field) ?? [field, field]
  return { key, name: rest?.replace(/\]/g, '') }
}

/** `config.fields[2].name` of a form → `Fields: 3. name`. Empty for a step as a whole. */
export function placeInWords(step: TypedConfig, field: string, plugins: Plugins): string {
  if (field === '') return ''
  const own = labelOfInput(step, field, plugins)
  if (own !== undefined) return own
  const { key } = placeOfField(field)
  const below = nameBelow(field.slice(field.indexOf(key) + key.length))
  return [fieldLabel(step.type, key), below].filter((part) => part !== '').join(': ')
}

/** The label that a plug-in gives a value of its input; undefined for all other fields. */
export function labelOfInput(step: TypedConfig, field: string, plugins: Plugins): string | undefined {
  const { key, name } = placeOfField(field)
  if (key !== 'input' && key !== 'auth_id') return undefined
  const { fields } = partOf(step, plugins)?.part ?? { fields: [] }
  return (key === 'input' ? fields.find((field) => field.name === name) : authField({ fields }))?.label
}
