/** Manages breakpoints of flows, and continues stopped runs. */
import type { z } from 'zod'
import { Message, say } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import type {
  Breakpoint,
  decideRunStopRoute,
  RunStop,
  setBreakpointRoute,
} from '../../../../shared/contract/reach/breakpoints.ts'
import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import { hasForEach } from '../../../../shared/contract/step-types/parts/for-each.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  equalData,
  getKey,
  isDictionary,
  isList,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import { parseConfig } from '../../../engine/flow/definition/check-step-config.ts'
import type {
  EditedConfig,
  RunBreakpoints,
  StopDecision,
} from '../../../engine/flow/model/run-breakpoints.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store, StoredStop } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound, runNotFound } from '../../kit/not-found.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import { unhidden } from '../../keeping/secrets/unhidden.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import type { RunPlan } from '../execution/run-executor.ts'
import { readStart } from '../execution/resume-log.ts'
import type { RunnableFlows } from '../execution/runnable-flows.ts'
import { createWakers } from './wakers.ts'

type Decision = z.output<typeof decideRunStopRoute.body>

export interface BreakpointsOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly runnable: Pick<RunnableFlows, 'version'>
  /** Called when a run that was parked can continue. */
  readonly onDecided: () => void
  readonly cancel: (runId: string) => Promise<unknown>
}

/** The maximum number of steps in a flow. */
const MOST_BREAKPOINTS = 1_000

export function createBreakpointsService(options: BreakpointsOptions) {
  const { store, clock, random, events, secrets, runnable, onDecided, cancel } = options
  const wakers = createWakers()

  function requireFlow(id: string): void {
    if (store.flows.get(id) === null) throw flowNotFound(id)
  }

  function announceRun(runId: string): void {
    const run = store.flowRuns.get(runId)
    if (run !== null)
      events.emit({ type: 'updated', noun: 'flow_run', id: runId, flow_id: run.flow_id, status: run.status })
  }

  const contentOf = (id: string) => parseJson(store.breakpoints.contentOf(id)) as Dictionary
  const openStops = (runId: string) => store.breakpoints.stopsOf(runId).filter(({ isDecided }) => !isDecided)

  /** @throws AppError `not_found` if it has ended */
  function requireRun(runId: string) {
    const run = store.flowRuns.get(runId)
    if (run === null) throw runNotFound(runId)
    return run
  }

  /** A typed-in input or result must not give access to auths that its author can't read. */
  function requireReader(runId: string, userId: string): void {
    const run = requireRun(runId)
    const readers =
      readStart(store.runStates.of(runId))?.readers ??
      runnable.version(run.flow_id, run.flow_version)?.readers ??
      []
    // An empty ID stands for an unknown user, who can only read what everybody can.
    if (!readers.includes(userId) && !readers.includes(''))
      throw new AppError(
        'forbidden',
        say("Only the owner of the flow and whoever wrote its steps can change a step's input or result"),
      )
  }

  return {
    /** @throws AppError `not_found` */
    list(flowId: string): readonly Breakpoint[] {
      requireFlow(flowId)
      return store.breakpoints.ofFlow(flowId)
    },
    /** @throws AppError `not_found`, `validation` */
    async set(
      flowId: string,
      refId: string,
      { condition, real_runs }: z.output<typeof setBreakpointRoute.body>,
    ): Promise<Breakpoint> {
      if (!/^[A-Za-z_]\w{0,99}$/.test(refId)) throw fieldErrors({ ref_id: [say("isn't the name of a step")] })
      requireTemplates({ condition })
      const breakpoint = { ref_id: refId, condition, real_runs }
      await store.write(() => {
        requireFlow(flowId)
        const others = store.breakpoints.ofFlow(flowId).filter((one) => one.ref_id !== refId)
        if (others.length >= MOST_BREAKPOINTS)
          throw new AppError(
            'conflict',
            say('{{count}} steps have a breakpoint', { count: MOST_BREAKPOINTS }),
          )
        store.breakpoints.save(flowId, breakpoint)
      })
      events.emit({ type: 'updated', noun: 'flow', id: flowId })
      return breakpoint
    },
    async remove(flowId: string, refId: string): Promise<void> {
      await store.write(() => {
        requireFlow(flowId)
        if (!store.breakpoints.delete(flowId, refId))
          throw new AppError(
            'not_found',
            say('The step "{{step}}" has no breakpoint', { step: refId.slice(0, 100) }),
          )
      })
      events.emit({ type: 'updated', noun: 'flow', id: flowId })
    },

    /** The breakpoints of a run that is about to be executed. */
    ofRun({ flow, run, resumeData }: Pick<RunPlan, 'flow' | 'run' | 'resumeData'>): RunBreakpoints | null {
      if (flow.breakpoints === null && resumeData === null) return null
      const isTest = run.trigger === 'test'
      const conditions = new Map(
        (flow.breakpoints ?? []).flatMap(({ ref_id, condition, real_runs }) =>
          isTest || real_runs ? [[ref_id, condition] as const] : [],
        ),
      )
      const known = new Map<string, StoredStop>()
      if (resumeData !== null)
        for (const stop of store.breakpoints.stopsOf(run.id)) known.set(stop.stepKey, stop)
      if (conditions.size === 0 && known.size === 0) return null
      const reached = new Set(known.keys())
      return {
        conditions,
        reached,
        decisionAt(key) {
          const stop = known.get(key)
          const decision = stop === undefined ? null : store.breakpoints.decisionOf(stop.id)
          return decision === null ? null : readDecision(parseJson(decision) as Dictionary)
        },
        async stop({ key, refId, type, config, input, data }) {
          const before = known.get(key)
          if (before !== undefined) return before.id
          const stop = { id: random.uuid(), stepKey: key, refId, at: clock.now(), isDecided: false }
          const content = writeJson(
            dictionaryOf([
              ['type', type],
              ['config', config as Data],
              ['input', input],
              ['data', data],
            ]),
          )
          await writeSealed(store.write, () => store.breakpoints.stop(run.id, stop, content))
          known.set(key, stop)
          reached.add(key)
          announceRun(run.id)
          return stop.id
        },
        wait: (id, signal) => wakers.wait(id, Infinity, signal, () => store.breakpoints.isDecided(id)),
      }
    },

    /** @throws AppError `not_found` */
    stopsOf(runId: string): RunStop[] {
      if (requireRun(runId).finished_at !== null) return []
      const redactor = secrets.redactor()
      return openStops(runId).map(({ id, refId, stepKey, at }) => {
        const content = contentOf(id)
        const shown = (name: string) => redactor.redactData(getKey(content, name) ?? null) as Json
        return {
          id,
          ref_id: refId,
          iteration: iterationOf(stepKey),
          at: isoOf(at),
          input: shown('input') as RunStop['input'],
          data: shown('data') as RunStop['data'],
        }
      })
    },

    /** @throws AppError `not_found`, `conflict`, `forbidden`, `validation` */
    async decide(
      { userId }: Pick<Caller, 'userId'>,
      runId: string,
      { do: what, id, input, result }: Decision,
    ): Promise<void> {
      const run = requireRun(runId)
      const open = run.finished_at === null ? openStops(runId) : []
      const stop = id === undefined ? open[0] : open.find((one) => one.id === id)
      if (stop === undefined)
        throw new AppError('conflict', say("Run {{id}} hasn't stopped at a breakpoint", { id: runId }))
      if (what === 'stop') {
        await cancel(runId)
        return
      }
      if (input !== undefined || result !== undefined) requireReader(runId, userId)
      const edited =
        input === undefined || what === 'skip' ? null : edit(contentOf(stop.id), input, secrets.redactor())
      const decision = dictionaryOf([
        ['do', what],
        ...(what === 'skip' ? [['result', (result ?? null) as Data] as const] : []),
        ...(edited === null ? [] : [['edited', edited] as const]),
      ])
      const isStored = await writeSealed(store.write, () => {
        if (!store.breakpoints.decide(stop.id, writeJson(decision))) return false
        store.runQueue.wake(runId, clock.now())
        return true
      })
      if (!isStored) throw new AppError('conflict', say('This was already decided'))
      wakers.wake(stop.id)
      onDecided()
      announceRun(runId)
    },
  }
}

function iterationOf(stepKey: string): number[] {
  const turns = stepKey.split('#')[1]
  return turns === undefined ? [] : turns.split('.').map(Number)
}

function readDecision(decision: Dictionary): StopDecision {
  const what = getKey(decision, 'do')
  if (what === 'skip') return { do: 'skip', result: getKey(decision, 'result') ?? null }
  const edited = getKey(decision, 'edited')
  return {
    do: what === 'step' ? 'step' : 'continue',
    edited: isDictionary(edited) ? readEdited(edited) : null,
  }
}

function readEdited(edited: Dictionary): EditedConfig {
  const literals = getKey(edited, 'literals') ?? null
  return {
    config: getKey(edited, 'config') as Step['config'],
    literals: new Set(isList(literals) ? literals.map(String) : []),
  }
}

/**
 * The config with the values that were changed in its rendered form; all other values keep their templates. Null if
 * nothing was changed.
 *
 * @throws AppError `validation`
 */
function edit(content: Dictionary, edited: Data, redactor: ReturnType<KnownSecrets['redactor']>): Data {
  const input = getKey(content, 'input') ?? null
  const given = unhidden(edited, input, redactor)
  if (equalData(given, input)) return null
  if (hasForEach(getKey(content, 'config') as Step['config']))
    throw fieldErrors({ input: [say("can't be changed: the step makes a call for each item of a list")] })
  const literals: string[] = []
  const config = replaced(getKey(content, 'config') ?? null, input, given, literals)
  const type = getKey(content, 'type') as StepType
  const parsed = parseConfig(type, config)
  if (parsed instanceof Message) throw fieldErrors({ input: [parsed] })
  return dictionaryOf([
    ['config', config],
    ['literals', literals],
  ])
}

function replaced(config: Data, input: Data, given: Data, literals: string[]): Data {
  if (equalData(given, input)) return config
  if (isDictionary(config) && isDictionary(input) && isDictionary(given))
    return dictionaryOf(
      entriesOf(given).map(([key, item]) => [
        key,
        replaced(getKey(config, key) ?? null, getKey(input, key) ?? null, item, literals),
      ]),
    )
  if (isList(config) && isList(input) && isList(given) && config.length === input.length)
    return given.map((item, index) => replaced(config[index] ?? null, input[index] ?? null, item, literals))
  collect(given, literals)
  return given
}

function collect(value: Data, literals: string[]): void {
  if (typeof value === 'string') literals.push(value)
  else if (isList(value)) for (const item of value) collect(item, literals)
  else if (isDictionary(value)) for (const [, item] of entriesOf(value)) collect(item, literals)
}
