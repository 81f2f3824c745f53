import { definitionOf, facesOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { hasTemplates } from '../../../../shared/contract/step-types/parts/fields.ts'
import { type Data, entriesOf, isDictionary, isList } from '@millrace/jinja/data'
import { hasTags } from '@millrace/jinja'

/** A string in a step's config that is a template. */
export interface Source {
  readonly field: string
  readonly source: string
}

/** In these fields a string without tags is a bare expression. */
const CONDITIONS: ReadonlySet<string> = new Set(['config.when', 'config.run_if'])

export function stepTemplates({ config, type }: Step): Source[] {
  const shape = definitionOf(type)?.config.shape
  if (shape === undefined) return []
  return Object.entries(config)
    .filter(([name]) => {
      const schema = shape[name]
      return schema === undefined || facesOf(type, name).some((face) => hasTemplates(schema, face))
    })
    .flatMap(([name, value]) => textsIn(`config.${name}`, value as Data))
}

function textsIn(field: string, value: Data): Source[] {
  if (typeof value === 'string')
    return value.includes('{') || (CONDITIONS.has(field) && value.trim() !== '')
      ? [{ field, source: value }]
      : []
  if (isList(value)) return value.flatMap((item, index) => textsIn(`${field}[${index}]`, item))
  return isDictionary(value)
    ? entriesOf(value).flatMap(([key, item]) => textsIn(`${field}.${key}`, item))
    : []
}

/** Whether a string without tags is an expression in this field. */
export const isBareExpression = (field: string, source: string): boolean =>
  CONDITIONS.has(field) && !hasTags(source)
