/** Possible continuations of an expression in a template, each with its result on the current value. */
import type { TemplatePreview } from '../../../../shared/contract/templates.ts'
import { type Data, estimateBytes, Float, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { continuationsOf, TemplateError } from '@millrace/jinja/environment'
import { PREVIEW, type TemplateScope } from './template-places.ts'

type Continuations = TemplatePreview['continuations']

/** Empty if the template's value isn't known. */
export function continueTemplate(
  template: string,
  { values }: Pick<TemplateScope, 'values'>,
  redactor: Redactor,
): Continuations {
  try {
    if ([...PREVIEW.namesRead(template)].some((name) => values[name] === undefined)) return []
    return continueValue(PREVIEW.evaluate(template, values), redactor)
  } catch (error) {
    if (error instanceof TemplateError) return []
    throw error
  }
}

/** Leaves out continuations that fail on the value. */
function continueValue(value: Data, redactor: Redactor): Continuations {
  const isSmall = estimateBytes(value, MOST_BYTES) < MOST_BYTES
  const until = performance.now() + MOST_MS
  return continuationsOf(typeOf(value), keyOf(value)).flatMap(({ kind, name, insert, help }) => {
    const one: Continuations[number] = { kind, name, insert, help, result: null }
    if (!isSmall || performance.now() > until) return [one]
    try {
      const text = PREVIEW.renderString(`{{ value${insert} }}`, { value })
      const isCut = text.length > MOST_TEXT
      return [{ ...one, result: redactor.redactText(isCut ? `${text.slice(0, MOST_TEXT)}…` : text) }]
    } catch (error) {
      if (error instanceof TemplateError) return []
      throw error
    }
  })
}

const MOST_BYTES = 20_000
const MOST_MS = 250
const MOST_TEXT = 80

/** The type's name in the engine's tables. */
function typeOf(value: Data): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'str'
  if (value instanceof Float) return 'float'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return isList(value) ? 'list' : 'dict'
}

function keyOf(value: Data): string | null {
  const first = isList(value) ? value[0] : value
  return isDictionary(first) ? (keysOf(first)[0] ?? null) : null
}
