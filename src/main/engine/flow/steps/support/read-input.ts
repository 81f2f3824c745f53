import { type Data, isList } from '../../../data/value.ts'
import { parseLiteral, TemplateError } from '../../../template/index.ts'
import { shortText } from '../../short-text.ts'
import type { StepScope } from '../../model/compiled-step.ts'

/**
 * The list in a field of the config: a list, or a text that reads as one: `[1, 2, 3]`.
 *
 * @param name without the `config.` before it
 * @throws StepError where it is neither
 */
export function readList(name: string, source: unknown, scope: StepScope): readonly Data[] {
  const field = `config.${name}`
  const value = scope.evaluate(field, source)
  if (isList(value)) return value
  const read = typeof value === 'string' && value.trimStart().startsWith('[') ? literal(value) : undefined
  if (isList(read)) return read
  throw scope.fail('validation', `"${name}" is ${shortText(value)}, which is no list`, { field })
}

function literal(text: string): Data | undefined {
  try {
    return parseLiteral(text)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}
