import { MOST_BODY_CHARACTERS, MOST_RECORDED_BYTES } from '../../../../shared/contract/flow-runs.ts'
import { estimateBytes } from '@millrace/jinja/data'
import type { Exchange } from '../../ports.ts'
import { MOST_SHOWN_BYTES } from '../../redaction/redacted-value.ts'
import type { StepReport } from '../model/step-report.ts'

/**
 * Decides which calls of a recorded run are kept whole: those that fit into the remaining space. A run that continues
 * after a long wait starts again with the full space.
 */
export class CallRecording {
  #left = MOST_RECORDED_BYTES
  /** Whether something was left out. */
  isFull = false

  takesCall({ request, response }: Exchange): boolean {
    const heads = [request, ...(response === null ? [] : [response])].flatMap(({ headers }) => headers.flat())
    const texts = [request.url, ...heads, request.body ?? '', response?.body ?? '']
    const fits = this.#takes(texts.reduce((sum, text) => sum + text.length, 0))
    // Calls with shorter bodies are kept whole anyway.
    this.isFull ||= !fits && texts.some(({ length }) => length > MOST_BODY_CHARACTERS)
    return fits
  }

  /** Decides whether the input and output of a step without calls are kept whole instead. */
  takesStep({ step, input, output, exchangeCount }: StepReport): boolean {
    if (!step.outside || exchangeCount > 0) return false
    const bytes = estimateBytes(input, MOST_RECORDED_BYTES) + estimateBytes(output, MOST_RECORDED_BYTES)
    const fits = bytes <= MOST_SHOWN_BYTES || this.#takes(bytes)
    this.isFull ||= !fits
    return fits
  }

  #takes(bytes: number): boolean {
    const fits = bytes <= this.#left
    if (fits) this.#left -= bytes
    return fits
  }
}
