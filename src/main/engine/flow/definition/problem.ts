import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { FieldProblem } from '../../../../shared/contract/step-types/parts/step-type.ts'
import { STEP_CONFIGS, type StepType } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import type { FindAction, FindPlugin } from '../model/compiled-step.ts'
import { placeholdersIn } from '@millrace/jinja'

/** Something in a flow that is wrong or probably unintended. */
export interface DefinitionProblem {
  /** Null if it is about the flow as a whole. */
  readonly refId: string | null
  /** The position in the flow's JSON: `steps[1].config.url`. */
  readonly path: string
  /** A sentence without its subject, the field: `is required`. */
  readonly reason: Said
  /** Set for warnings, so that callers can group them by kind. */
  readonly kind?: ProblemKind
  /** The position within the field's string. */
  readonly at?: TextPlace
  /** Finds the probable fix; called only if fixes are wanted. */
  readonly mend?: FindMend
}

/** Lines and columns are counted from 1. Columns count characters. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Finds a problem's fix, given the value of its field. */
export type FindMend = (held: unknown) => Mend | null

/**
 * A new value for the field, a new place for a step (after another step of its list, or first), or the
 * removal of a step.
 */
export type Mend =
  | { readonly value: unknown; readonly isCertain: boolean }
  | { readonly move: string; readonly after: string | null }
  | { readonly remove: string }

export type { FieldProblem }

export interface ProblemKind {
  readonly severity: 'warning' | 'hint'
  readonly code: string
  /** Line within the field's string, from 1. */
  readonly line: number | null
  readonly column: number | null
}

/** The position of a step in the flow, for messages about it. */
export interface StepLocation {
  readonly refId: string
  /** `steps[2].then[0]` */
  readonly path: string
}

export function problemAt(
  { refId, path }: StepLocation,
  field: string,
  reason: Said,
  more: Pick<DefinitionProblem, 'at' | 'mend'> = {},
): DefinitionProblem {
  return { refId, path: field === '' ? path : `${path}.${field}`, reason, ...more }
}

/** A problem that doesn't prevent the flow from being saved. */
export function warningAt(
  location: StepLocation,
  field: string,
  reason: Said,
  {
    severity = 'warning',
    line = null,
    column = null,
    code,
    mend,
  }: Partial<ProblemKind> & { readonly code: string; readonly mend?: FindMend | undefined },
): DefinitionProblem {
  const at = line === null || column === null ? {} : { at: { line, column } }
  const problem = problemAt(location, field, reason, { ...at, ...(mend && { mend }) })
  return { ...problem, kind: { severity, code, line, column } }
}

/** Writes a sentence such as `Step "fetch", field "config.url": is required`. */
export function describeProblem({ refId: ref, path, reason: rest }: DefinitionProblem): Said {
  if (ref === null) return say('"{{field}}" {{rest}}', { field: path, rest })
  const field = fieldOf(path)
  return field === ''
    ? say('Step "{{ref}}": {{rest}}', { ref, rest })
    : say('Step "{{ref}}", field "{{field}}": {{rest}}', { ref, field, rest })
}

/** The path within the step: `config.url` for `steps[1].then[0].config.url`. */
export const fieldOf = (path: string): string => path.replace(STEP_PLACE, '')

// linear: each repetition reads at least one character, and begins unlike the others
const STEP_PLACE = /^(?:(?:steps|then|else|try|catch|finally|default)\[\d+\]|cases\[\d+\]\.steps\[\d+\]|\.)*/

/** The error for a flow that can't be saved. Its message names the first problem; its data contains all of them. */
export function flowRefusal(problems: readonly DefinitionProblem[]): AppError {
  const [problem] = problems
  if (!problem) throw new Error('A flow without problems is not refused')
  const fields: Record<string, Said[]> = Object.setPrototypeOf({}, null)
  for (const { path, reason } of problems.slice(0, MOST_PROBLEMS)) (fields[path] ??= []).push(reason)
  const count = problems.length - 1
  const first = describeProblem(problem)
  return fieldErrors(
    fields,
    count === 0
      ? first
      : count === 1
        ? say('{{first}} (and {{count}} more problem; see data)', { first, count })
        : say('{{first}} (and {{count}} more problems; see data)', { first, count }),
  )
}

const MOST_PROBLEMS = 100

/** The records and names that a flow is checked against. */
export interface CheckContext {
  /** Names of Millrace's variables. */
  readonly envNames: ReadonlySet<string>
  /** Steps of the stored flow whose types are unknown, as `ref_id/type`: imported ones can be kept. */
  readonly toleratedSteps: ReadonlySet<string>
  hasConnector(connectorId: string): boolean
  readonly findAction: FindAction
  readonly findPlugin: FindPlugin
  /** A connector's pagination config; null if it has none. */
  paginationOf(connectorId: string): Connector['pagination_config']
  /** The connector that an auth belongs to; null if there is no such auth. */
  connectorOfAuth(authId: string): string | null
  /** Whether calls of the connector need credentials. */
  needsAuth(connectorId: string): boolean
}

/** The fields that don't match the schema of the type's config. */
export function schemaProblems(type: StepType, config: unknown): FieldProblem[] {
  try {
    parseInput(STEP_CONFIGS[type], config, '')
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return Object.entries(error.saidFields ?? {}).flatMap(([field, reasons]) =>
      reasons.map((reason) => [field === '' ? 'config' : `config.${field}`, reason] as const),
    )
  }
}

/** Describes an imported step that has no equivalent here, with the reason that the import found. */
export function unknownStepSentence({ type, config }: Pick<Step, 'type' | 'config'>): Said {
  const kind = /^n8n-nodes-|^@n8n\//.test(type)
    ? say('n8n\'s type "{{type}}"', { type })
    : say('the type "{{type}}"', { type })
  const { n8n } = config
  const why = typeof n8n === 'object' && n8n !== null && 'not_translated' in n8n ? n8n.not_translated : null
  return typeof why === 'string' && why !== ''
    ? say(
        'has {{kind}} and {{why}}, for which there is no equivalent step. It only keeps what was imported: replace it with another step, or disable or remove it',
        // A reason without parameters serves as its own message key.
        { kind, why: { key: why.slice(0, 300), params: {} } },
      )
    : say(
        'has {{kind}}, for which there is no equivalent step. It only keeps what was imported: replace it with another step, or disable or remove it',
        { kind },
      )
}

/** Describes a placeholder that an import left. */
export function placeholderSentence(what: string): Said {
  return say('was not imported, so runs fail here: {{what}}', { what })
}

/** Placeholders in an action's request, with the field of each. */
export function placeholdersOfAction({ endpoint, query, headers, body }: ActionTemplates): FieldProblem[] {
  return Object.entries({ endpoint, query, headers, body }).flatMap(([field, value]) =>
    textsIn(value)
      .flatMap(placeholdersIn)
      .map((what) => [field, placeholderSentence(what)] as const),
  )
}

type ActionTemplates = Pick<Action, 'endpoint' | 'query' | 'headers' | 'body'>

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
