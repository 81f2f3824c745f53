import type { RunError } from '../../../../shared/contract/flow-runs.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { redactKeptExchange } from '../../../engine/redaction/redacted-exchange.ts'
import {
  redactAndTruncate,
  redactAndTruncateText,
  redactSpoken,
} from '../../../engine/redaction/redacted-value.ts'
import type { Data } from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { StepReport } from '../../../engine/flow/model/step-report.ts'
import type { NewStep } from '../../../store/index.ts'

/** A step as the history shows it: secrets redacted, large values cut. */
export function toStepRecord(report: StepReport, redactor: Redactor): NewStep {
  const shown = (value: Data) =>
    report.isWhole ? { value: redactor.redactData(value), isCut: false } : redactAndTruncate(value, redactor)
  const input = shown(report.input)
  const output = report.output === report.input ? input : shown(report.output)
  const { error, step } = report
  return {
    ref_id: step.ref,
    type: step.type,
    path: step.path,
    iteration: [...report.iteration],
    status: report.status,
    input: input.value as NewStep['input'],
    output: output.value as NewStep['output'],
    error: error && redactError(error, redactor),
    warnings: report.warnings.map((warning) => redactSpoken(warning, redactor)),
    ...(report.log === null
      ? {}
      : {
          log: report.log.map(({ level, text }) => ({
            level,
            text: redactAndTruncateText(text, MOST_LINE_CHARS, redactor),
          })),
        }),
    http: report.exchanges.map((exchange) => redactKeptExchange(exchange, redactor)),
    started_at: isoOf(report.startedAt),
    duration_ms: report.durationMs,
    attempt: report.attempt,
    truncated: input.isCut || output.isCut || report.exchangeCount > report.exchanges.length,
  }
}

export function redactError(error: RunError, redactor: Redactor): RunError {
  const data = redactor.redactData(error.data) as RunError['data']
  const field = error.field === null ? null : redactor.redactText(error.field)
  return { ...redactSpoken(error, redactor), field, data }
}

const MOST_LINE_CHARS = 2_000
