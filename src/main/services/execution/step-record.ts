import type { Exchange, RunError } from '../../../shared/contract/flow-runs.ts'
import { isoOf } from '../../../shared/iso-time.ts'
import { estimateBytes } from '../../engine/data/deep.ts'
import type { Redactor } from '../../engine/redaction/redactor.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isList,
} from '../../engine/data/value.ts'
import type { StepReport } from '../../engine/flow/model/step-report.ts'
import type { StoredStep } from '../../store/history/step-format.ts'
import { shownEntries } from '../shown-entries.ts'

/** A step as the history shows it: secrets hidden, what is large cut. */
export function shownStep(report: StepReport, redactor: Redactor): StoredStep {
  const input = shownValue(report.input, redactor)
  const output = report.output === report.input ? input : shownValue(report.output, redactor)
  const { error, step } = report
  return {
    ref_id: step.ref,
    type: step.type,
    path: step.path,
    iteration: [...report.iteration],
    status: report.status,
    input: input.value as StoredStep['input'],
    output: output.value as StoredStep['output'],
    error: error && shownError(error, redactor),
    warnings: report.warnings.map(({ code, message }) => ({ code, message: redactor.redactText(message) })),
    ...(report.log === null
      ? {}
      : { log: report.log.map(({ level, text }) => ({ level, text: shownLine(text, redactor) })) }),
    http: report.exchanges.map((exchange) => shownExchange(exchange, redactor)),
    started_at: isoOf(report.startedAt),
    duration_ms: report.durationMs,
    attempt: report.attempt,
    truncated: input.isCut || output.isCut || report.exchangeCount > report.exchanges.length,
  }
}

/** Secrets are hidden before the line is cut. */
function shownLine(text: string, redactor: Redactor): string {
  const shown = redactor.redactText(text)
  return shown.length > MOST_LINE_CHARS ? `${shown.slice(0, MOST_LINE_CHARS)}…` : shown
}

export function shownError(error: RunError, redactor: Redactor): RunError {
  const data = redactor.redactData(error.data) as RunError['data']
  const field = error.field === null ? null : redactor.redactText(error.field)
  return { ...error, message: redactor.redactText(error.message), field, data }
}

/** Secrets are looked for before anything is cut, so that no half of one is left at the cut. */
export function shownValue(value: Data, redactor: Redactor): { value: Data; isCut: boolean } {
  if (estimateBytes(value, MOST_BYTES) <= MOST_BYTES)
    return { value: redactor.redactData(value), isCut: false }
  const cutter = createCutter(redactor)
  return { value: cutter.cut(value), isCut: cutter.isCut() }
}

const MOST_BYTES = 131_072

/** Keeps the beginning of everything: of texts, of lists, of dictionaries. */
function createCutter(redactor: Redactor) {
  let left = MOST_BYTES
  let isCut = false

  function cut(value: Data): Data {
    left -= 16
    if (typeof value === 'string') return cutText(value)
    if (typeof value === 'bigint') return cutInteger(value)
    if (isList(value)) return takeWhileRoom(value).map((item) => cut(item))
    if (!isDictionary(value)) return redactor.redactData(value)
    const entries = shownEntries(takeWhileRoom(firstEntries(value)), redactor)
    return dictionaryOf(entries.map(({ name, item, hidden }) => [cutKey(name), hidden ?? cut(item)]))
  }

  function cutKey(name: string): string {
    left -= Math.min(name.length, MOST_KEY_CHARS) * 2
    if (name.length <= MOST_KEY_CHARS) return name
    isCut = true
    return `${name.slice(0, MOST_KEY_CHARS)}…`
  }

  function cutInteger(value: bigint): Data {
    const digits = String(value)
    if (digits.length * 2 > left) return cutText(digits)
    left -= digits.length * 2
    return redactor.redactData(value)
  }

  function cutText(text: string): string {
    const room = Math.max(0, Math.floor(left / 2))
    const shown = redactor.redactText(text.length > room + MARGIN ? text.slice(0, room + MARGIN) : text)
    left -= Math.min(shown.length, room) * 2
    if (shown.length <= room) return shown
    isCut = true
    return `${shown.slice(0, room)}…`
  }

  function takeWhileRoom<T>(items: readonly T[]): T[] {
    const kept: T[] = []
    for (const item of items) {
      if (left <= 0 || kept.length >= MOST_ENTRIES) {
        isCut = true
        break
      }
      kept.push(item)
      left -= 8
    }
    return kept
  }

  return { cut, isCut: () => isCut }
}

/** One more than are shown, so that a cut is seen as one. */
function firstEntries(value: Dictionary): [string, Data][] {
  if (value instanceof Map) return entriesOf(value)
  const entries: [string, Data][] = []
  for (const key in value) {
    if (Object.hasOwn(value, key)) entries.push([key, value[key] ?? null])
    if (entries.length > MOST_ENTRIES) break
  }
  return entries
}

const MOST_LINE_CHARS = 2_000
const MOST_ENTRIES = 1_000
const MOST_KEY_CHARS = 1_000
/** Longer than any secret: what begins before the cut is found whole. */
const MARGIN = 8_192

function shownExchange({ request, response, ...rest }: Exchange, redactor: Redactor): Exchange {
  return {
    ...rest,
    error: rest.error && redactor.redactText(rest.error),
    request: {
      method: request.method,
      url: redactor.redactText(request.url),
      headers: redactor.redactHeaders(request.headers),
      body: shownBody(request.body, redactor),
    },
    response: response && {
      ...response,
      headers: redactor.redactHeaders(response.headers),
      body: shownBody(response.body, redactor),
    },
  }
}

function shownBody(body: string | null, redactor: Redactor): string | null {
  if (body === null) return null
  const shown = redactor.redactText(body)
  return shown.length > MOST_BODY_CHARS ? `${shown.slice(0, MOST_BODY_CHARS)}…` : shown
}

/** The engine keeps more (`shown-exchange.ts`), for the same reason as `MARGIN`. */
const MOST_BODY_CHARS = 16_384
