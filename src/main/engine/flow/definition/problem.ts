import { AppError } from '../../../../shared/contract/errors.ts'

/** Something in a flow that is wrong, or that is likely not meant. */
export interface FlowProblem {
  /** Null where it is about the flow as a whole. */
  readonly refId: string | null
  /** As the flow is written: `steps[1].config.url`. */
  readonly path: string
  /** Reads on from the field: `is required`. */
  readonly reason: string
  /** Of warnings, for callers that show them by kind. */
  readonly kind?: ProblemKind
}

/** Under the field where it stands: `config.url`. */
export type FieldProblem = readonly [field: string, reason: string]

export interface ProblemKind {
  readonly severity: 'warning' | 'hint'
  readonly code: string
  /** Inside the field's text, from 1. */
  readonly line: number | null
  readonly column: number | null
}

/** Where a step stands, for what is said of it. */
export interface StepPlace {
  readonly refId: string
  /** `steps[2].then[0]` */
  readonly path: string
}

export function problemAt({ refId, path }: StepPlace, field: string, reason: string): FlowProblem {
  return { refId, path: field === '' ? path : `${path}.${field}`, reason }
}

/** What does not keep a flow from being saved. */
export function warningAt(
  place: StepPlace,
  field: string,
  reason: string,
  {
    severity = 'warning',
    line = null,
    column = null,
    code,
  }: Partial<ProblemKind> & { readonly code: string },
): FlowProblem {
  return { ...problemAt(place, field, reason), kind: { severity, code, line, column } }
}

/** `Step "fetch", config.url (steps[1].config.url): is required` */
export function describeProblem({ refId, path, reason }: FlowProblem): string {
  if (refId === null) return `"${path}" ${reason}`
  const field = /^(?:(?:steps|then|else|default)\[\d+\]|cases\[\d+\]|\.)*(.*)$/.exec(path)?.[1] ?? ''
  const name = field === '' ? `Step "${refId}"` : `Step "${refId}", field "${field}"`
  return `${name} (${path}): ${reason}`
}

/** The refusal to save a flow: its message names the first problem, its data all of them. */
export function flowRefusal(problems: readonly FlowProblem[]): AppError {
  const [first] = problems
  if (!first) throw new Error('A flow without problems is not refused')
  const data: Record<string, string[]> = Object.setPrototypeOf({}, null)
  for (const problem of problems.slice(0, MOST_PROBLEMS)) (data[problem.path] ??= []).push(problem.reason)
  const rest = problems.length - 1
  const more = rest === 0 ? '' : ` (and ${rest} more ${rest === 1 ? 'problem' : 'problems'}; see data)`
  return new AppError('validation', describeProblem(first) + more, { data })
}

const MOST_PROBLEMS = 100
