import type { Json } from '../../../shared/contract/base/common.ts'
import type { FlowSample } from '../../../shared/contract/flow-samples.ts'
import { translateSampleText } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'

type SampleRequest = NonNullable<FlowSample['sample_request']>

/**
 * Remembers the sample's request as the first test input of a flow made from it, if the body is an object or a form.
 */
export function rememberSampleInput(flowId: string, request: FlowSample['sample_request']): void {
  const input = request === null ? null : inputOf(request)
  if (isDictionary(input)) remember(`sample-input.${flowId}`, JSON.stringify(translated(input)))
}

export function recallSampleInput(flowId: string): Readonly<Record<string, Json>> | null {
  const input = parsed(recall(`sample-input.${flowId}`))
  return isDictionary(input) ? input : null
}

function inputOf({ body, content_type: type }: SampleRequest): unknown {
  if (typeof body !== 'string') return body
  if (type !== 'application/x-www-form-urlencoded') return parsed(body)
  const form = new URLSearchParams(body)
  return Object.fromEntries(
    [...form.keys()].map((name) => {
      const values = form.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Translates the texts that a person would write. */
function translated(value: Json): Json {
  if (typeof value === 'string') return translateSampleText(value)
  if (Array.isArray(value)) return value.map(translated)
  if (!isDictionary(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translated(item)]))
}

export function isDictionary(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
