import { storedMarkOf } from '../data/stored-list.ts'
import type { Data } from '../data/value.ts'
import { TemplateError } from '../template/index.ts'

/** A template that reached a limit, with the size of the lists that are too long to be gone through in one. */
export function withSizes(error: unknown, context: Readonly<Record<string, Data>>): unknown {
  if (!(error instanceof TemplateError) || error.kind !== 'limit') return error
  const sizes = Object.entries(context).flatMap(([name, value]) => {
    const mark = storedMarkOf(value)
    return mark === null ? [] : [`"${name}" holds ${mark.count.toLocaleString('en-US')} records`]
  })
  if (sizes.length === 0) return error
  const hint = `${sizes.slice(0, 3).join(', ')}; go through them with a loop step, which reads one at a time`
  return new TemplateError(error.kind, error.message, error, hint)
}
