/** Prepares a flow's steps for the store: validates them, and fills in every default. */
import { isDeepStrictEqual } from 'node:util'
import { spoken, englishOf } from '../../../../shared/contract/base/message.ts'
import { z } from 'zod'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { ALARM_INPUT } from '../../../../shared/contract/alarms.ts'
import { ERROR_FLOW_INPUT } from '../../../../shared/contract/flows.ts'
import { needsAuth } from '../../../../shared/contract/connectors.ts'
import type { PaginationConfig } from '../../../../shared/contract/base/pagination-config.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import { isStepType, STEP_CONFIGS } from '../../../../shared/contract/step-types/index.ts'
import { requestTrigger } from '../../../../shared/request-trigger.ts'
import { type Step, step as stepShape } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { mapLists, stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import { checkFlow } from '../../../engine/flow/definition/check-flow.ts'
import {
  type CheckContext,
  type DefinitionProblem as Problem,
  describeProblem,
  fieldOf,
  flowRefusal,
} from '../../../engine/flow/definition/problem.ts'
import { isRaw } from '../../../../shared/contract/base/edit-steps.ts'
import type { CheckAgain, FoundProblem } from '../../../engine/flow/definition/step-fixes.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import type { FindPlugin } from '../../../engine/flow/model/compiled-step.ts'
import type { Store } from '../../../store/index.ts'
import { type Caller, reachesAuth } from '../../kit/caller.ts'
import { BUILT_IN_NAMES } from '../../keeping/env/env.ts'
import { withReplaceBody } from '../../keeping/saving/pagination-config.ts'

/**
 * @param mayStay steps whose unknown types are accepted: those the flow has already, or imported ones
 * @param author whoever writes the steps: an auth they can't see is reported like one that doesn't exist
 * @throws AppError `validation` naming the steps and their fields
 */
export type PrepareSteps = (steps: readonly Step[], mayStay: readonly Step[], author: Author) => PreparedSteps

type Author = Pick<Caller, 'userId' | 'authIds'>

export interface PreparedSteps {
  readonly steps: Step[]
  /** Warnings about probable mistakes. */
  readonly warnings: readonly SaveWarning[]
}

/** Everything that steps can refer to. */
type CheckedAgainst = Pick<Store, 'connectors' | 'actions' | 'connectorAuths' | 'envVariables'> & {
  readonly findPlugin: FindPlugin
}

export function createPrepareSteps(store: CheckedAgainst): PrepareSteps {
  return (steps, mayStay, author) => {
    const { errors, warnings } = checkFlow(steps, contextOf(store, mayStay, author))
    if (errors.length > 0) throw flowRefusal(errors)
    const known = new Map(allOf(mayStay).map((step) => [step.ref_id, step]))
    const filled = (step: Step): Step['config'] =>
      withPluginHash(completeConfig(step), known.get(step.ref_id), store.findPlugin)
    return {
      steps: steps.map((step) => complete(step, filled)),
      warnings: warnings.slice(0, MOST_WARNINGS).map(toSaveWarning),
    }
  }
}

const MOST_WARNINGS = 100

function toSaveWarning(problem: Problem): SaveWarning {
  const { severity = 'warning', code = 'warning', line = null, column = null } = problem.kind ?? {}
  return { severity, code, ...spoken(describeProblem(problem)), field: problem.path, line, column }
}

/** Checks the editor's steps, including incomplete ones. */
export type CheckSteps = (mayStay: readonly Step[], author: Author) => CheckAgain

export function createCheckSteps(store: CheckedAgainst): CheckSteps {
  return (mayStay, author) => {
    const context = contextOf(store, mayStay, author)
    return (sources, only) => {
      const steps = readSteps(sources)
      // Positions are only correct if all steps could be read.
      if (!isReadable(steps)) return steps
      const { errors, warnings } = checkFlow(steps, context, only)
      return [...errors.map((one) => found('error', one)), ...warnings.map((one) => found('warning', one))]
    }
  }
}

function found(severity: FoundProblem['severity'], { refId, path, reason, at, mend }: Problem): FoundProblem {
  const { line = null, column = null } = at ?? {}
  return { severity, ref_id: refId, path, field: fieldOf(path), line, column, ...spoken(reason), mend }
}

/** The problems that prevent importing steps, assuming that env variables with these names exist too. */
export function createCheckImported(store: CheckedAgainst) {
  return (steps: readonly Step[], variables: readonly string[], author: Author): string[] => {
    const context = contextOf(store, steps, author)
    const envNames = new Set([...context.envNames, ...variables])
    return checkFlow(steps, { ...context, envNames }).errors.map((problem) =>
      englishOf(describeProblem(problem)),
    )
  }
}

function readSteps(sources: readonly unknown[]): Step[] | FoundProblem[] {
  try {
    return parseInput(z.object({ steps: z.array(stepShape) }), { steps: sources }).steps
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return Object.entries(error.saidFields ?? {}).flatMap(([path, sentences]) =>
      sentences.map((said) => ({
        ...found('error', { refId: refAt(sources, path), path, reason: said }),
        isOfShape: true as const,
      })),
    )
  }
}

/** The name of the step that a path leads into. */
function refAt(sources: readonly unknown[], path: string): string | null {
  let held: unknown = { steps: sources }
  let ref: string | null = null
  for (const [key] of path.slice(0, path.length - fieldOf(path).length).matchAll(/\w+/g)) {
    held = typeof held === 'object' && held !== null ? (held as Record<string, unknown>)[key] : undefined
    if (isRaw(held)) ref = typeof held['ref_id'] === 'string' ? held['ref_id'] : ref
  }
  return ref
}

function isReadable(steps: Step[] | FoundProblem[]): steps is Step[] {
  return steps.every((one) => !('severity' in one))
}

/** A flow has a webhook if one of its triggers is a webhook step or a form, even a disabled one. */
export function beginsWithWebhook(steps: readonly Step[]): boolean {
  return requestTrigger(steps) !== undefined
}

/** The names that every template of a flow can read besides env variables and step results. */
export const NAMES_OF_ALL_FLOWS = [...BUILT_IN_NAMES, ...ERROR_FLOW_INPUT, ...ALARM_INPUT]

function contextOf(
  { connectors, actions, connectorAuths, envVariables, findPlugin }: CheckedAgainst,
  mayStay: readonly Step[],
  author: Author,
): CheckContext {
  const variables = envVariables.list().records.map(({ name }) => name)
  return {
    envNames: new Set([...variables, ...NAMES_OF_ALL_FLOWS]),
    toleratedSteps: new Set(allOf(mayStay).map(({ ref_id, type }) => `${ref_id}/${type}`)),
    hasConnector: (id) => connectors.get(id) !== null,
    findAction: (connectorId, name) => actions.find(connectorId, name),
    findPlugin,
    paginationOf: (connectorId) => connectors.get(connectorId)?.pagination_config ?? null,
    connectorOfAuth: (id) =>
      reachesAuth(author, id) ? (connectorAuths.get(id, author.userId)?.connector_id ?? null) : null,
    needsAuth(id) {
      const connector = connectors.get(id)
      return connector !== null && needsAuth(connector)
    },
  }
}

/** The connector auths that steps refer to by id, with the step; auths chosen at run time aren't included. */
export function authsNamedIn(
  steps: readonly Step[],
): { readonly ref_id: string; readonly auth_id: string }[] {
  return allOf(steps).flatMap(({ ref_id, config: { auth_id: id } }) =>
    typeof id !== 'string' || id.trim() === '' || id.includes('{') ? [] : [{ ref_id, auth_id: id.trim() }],
  )
}

function allOf(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...allOf(stepsIn(step))])
}

function complete(step: Step, configOf: (step: Step) => Step['config']): Step {
  const inside = mapLists<Step, Step>(step, (list) => list.map((one) => complete(one, configOf)))
  return { ...inside, config: configOf(step) }
}

/** A plug-in's step has the hash of the plug-in's files at that time; a new or changed step gets the current hash. */
function withPluginHash(
  config: Step['config'],
  before: Step | undefined,
  findPlugin: FindPlugin,
): Step['config'] {
  const { plugin, hash, ...rest } = config
  if (typeof plugin !== 'string') return config
  const { hash: earlier, ...same } = before?.config ?? {}
  const isKept =
    hash !== undefined && (hash !== earlier || isDeepStrictEqual(plain({ plugin, ...rest }), plain(same)))
  const found = findPlugin(plugin)
  return isKept || found?.status !== 'ready' ? config : { ...config, hash: found.hash }
}

const plain = (value: object) => JSON.parse(writeJson(value as Data)) as unknown

function completeConfig({ type, config }: Step): Step['config'] {
  if (!isStepType(type)) return config
  const complete: Step['config'] = parseInput(STEP_CONFIGS[type], config, 'config')
  if (type !== 'rest' || complete['pagination'] === null) return complete
  return { ...complete, pagination: withReplaceBody(complete['pagination'] as PaginationConfig) }
}
