import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { SAID, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { RunError } from '../../../../shared/contract/flow-runs.ts'

export interface StepErrorPlace {
  /** The field of the step that is at fault: `config.url`. */
  readonly field?: string | null
  readonly line?: number | null
  readonly column?: number | null
  readonly data?: RunError['data']
  readonly cause?: unknown
}

/** Thrown if a step fails. The message names the step, the value and what to do. */
export class StepError extends SpokenError {
  override readonly name = 'StepError'
  readonly code: string
  readonly refId: string
  readonly field: string | null
  readonly line: number | null
  readonly column: number | null
  readonly data: RunError['data']

  constructor(code: string, refId: string, sentence: Said, place: StepErrorPlace = {}) {
    super(sentence, place.cause)
    this.code = code
    this.refId = refId
    this.field = place.field ?? null
    this.line = place.line ?? null
    this.column = place.column ?? null
    this.data = place.data ?? null
  }

  /** Whether it is a bug in Millrace: an error that `toStepError` doesn't recognize. */
  get isDefect(): boolean {
    return this.code === 'internal' && this.cause !== undefined
  }

  /** Whether a retry would fail in the same way. */
  get final(): boolean {
    return FINAL_CODES.has(this.code)
  }

  /** The same error, naming the item of the step's list that it is about. */
  inItem(item: Said): StepError {
    return new StepError(
      this.code,
      this.refId,
      say('{{problem}} ({{item}})', { problem: this[SAID], item }),
      this,
    )
  }

  toRunError(): RunError {
    const { code, message, refId, field, line, column, data } = this
    return { code, message, ref_id: refId, field, line, column, data, [SAID]: this[SAID] }
  }

  static fromRunError(error: RunError): StepError {
    const { code, ref_id: refId, field, line, column, data } = error
    return new StepError(code, refId ?? '', sentenceOf(error), { field, line, column, data })
  }
}

const FINAL_CODES: ReadonlySet<string> = new Set([
  'template_error',
  'validation',
  'too_large',
  'too_many_iterations',
  'unknown_step_type',
  'config_invalid',
])
