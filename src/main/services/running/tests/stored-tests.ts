/** Tests that are kept with their flows. */
import { z } from 'zod'
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { flowSource } from '../../../../shared/contract/flow-files.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import {
  type FlowTest,
  flowTest,
  type FlowTestResult,
  type FlowTestResults,
  type runStoredTestsRoute,
  STORED_TEST_LIMITS,
  type StoredTest,
  type WholeStoredTest,
} from '../../../../shared/contract/flow-tests.ts'
import { type Step, step } from '../../../../shared/contract/steps.ts'
import { OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import { normalTest, revisionOfTest } from '../../../engine/flow-source/test-form.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { FlowSourcesService } from '../flows/flow-sources.ts'
import type { FlowTestsService } from './flow-tests.ts'
import { requireNoSecrets } from './record-test.ts'

export interface StoredTestsOptions {
  readonly store: Pick<Store, 'flowTests' | 'flows' | 'write'>
  readonly flowSources: Pick<FlowSourcesService, 'ofSteps'>
  readonly flowTests: Pick<FlowTestsService, 'run'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly redactor: () => Redactor
}

type Played = FlowTestResults
type RunBody = z.output<typeof runStoredTestsRoute.body>
type Kept = Parameters<Store['flowTests']['insert']>[0]

/** The path segment of another route, so no test can have this name. */
const RESERVED_NAME = 'run'

export type StoredTestsService = ReturnType<typeof createStoredTestsService>

export function createStoredTestsService(options: StoredTestsOptions) {
  const { store, flowSources, flowTests, clock, events, redactor } = options
  const now = () => new Date(clock.now()).toISOString()
  const announce = (id: string) => events.emit({ type: 'updated', noun: 'flow', id })

  function requireFlow(id: string): Flow {
    const flow = store.flows.get(id)
    if (flow === null) throw flowNotFound(id)
    return flow
  }

  function find(flowId: string, name: string): Kept {
    requireFlow(flowId)
    const kept = store.flowTests.get(flowId, name)
    if (kept === null) throw noTest(name)
    return kept
  }

  /** Redacts values that have become secrets in the meantime. */
  const testIn = (content: string) =>
    flowTest.parse(redactor().redactData(parseJson(content, OWN_JSON_LIMITS)))

  function shown({ content, ...rest }: Kept): WholeStoredTest {
    return { ...rest, test: testIn(content) }
  }

  /** @throws AppError if the test can't be kept with this flow */
  function toKept(flowId: string, test: FlowTest, created_at: string): Kept {
    if (test.flow.toLowerCase() !== flowId.toLowerCase())
      throw fieldErrors({ 'test.flow': [say('is "{{id}}", which is another flow', { id: test.flow })] })
    if (test.name === RESERVED_NAME)
      throw fieldErrors({
        'test.name': [say('can\'t be "{{name}}"; choose another one', { name: test.name })],
      })
    requireNoSecrets(test, redactor())
    const content = writeJson(normalTest(test))
    const bytes = Buffer.byteLength(content)
    if (bytes > STORED_TEST_LIMITS.bytes)
      throw new AppError(
        'too_large',
        say('The test has {{size}} MB; the limit is {{most}} MB. Remove calls or results from it', {
          size: (bytes / 1_000_000).toFixed(1),
          most: STORED_TEST_LIMITS.bytes / 1_000_000,
        }),
      )
    const { name, calls } = test
    return {
      flow_id: flowId,
      name,
      content,
      calls: calls.length,
      revision: revisionOfTest(test),
      created_at,
      updated_at: now(),
    }
  }

  async function replace(flowId: string, name: string, test: FlowTest, revision?: string) {
    const kept = await store.write(() => {
      const before = find(flowId, name)
      if (revision !== undefined && before.revision !== revision)
        throw new AppError(
          'conflict',
          say('The test "{{name}}" has changed since it ran; run it again', { name }),
        )
      const after = toKept(flowId, test, before.created_at)
      if (after.name !== name) requireFree(flowId, after.name)
      requireRoom(flowId, after, before)
      store.flowTests.update(name, after)
      return after
    })
    announce(flowId)
    return shown(kept)
  }

  function requireFree(flowId: string, name: string): void {
    if (store.flowTests.get(flowId, name) !== null)
      throw new AppError(
        'conflict',
        say('The flow already has a test "{{name}}"; choose another name', { name }),
      )
  }

  /** Limits the size of a flow's tests, because all of them are in memory when they run. */
  function requireRoom(flowId: string, after: Kept, before?: Kept): void {
    const sizeOf = (kept: Kept) => Buffer.byteLength(kept.content)
    const bytes =
      store.flowTests.bytesOf(flowId) + sizeOf(after) - (before === undefined ? 0 : sizeOf(before))
    if (bytes <= STORED_TEST_LIMITS.bytesOfFlow) return
    throw new AppError(
      'conflict',
      say(
        'The tests of the flow would have {{size}} MB together; the limit is {{most}} MB. Delete one first',
        {
          size: (bytes / 1_000_000).toFixed(1),
          most: STORED_TEST_LIMITS.bytesOfFlow / 1_000_000,
        },
      ),
    )
  }

  /** Defaults to the unsaved steps, which can be incomplete. */
  function stepsOf(flow: Flow, version: number | undefined): readonly Step[] {
    if (version === undefined) {
      const copy = store.flows.workingCopy(flow.id)
      return copy === null ? flow.steps : parseInput(z.array(step), copy.steps, 'steps')
    }
    const steps = store.flows.version(flow.id, version)?.steps
    if (steps === undefined)
      throw fieldErrors({
        version: [
          say('is {{version}}, which doesn\'t exist in the flow "{{name}}"', {
            version: String(version),
            name: flow.name,
          }),
        ],
      })
    return steps
  }

  async function play(
    caller: Caller,
    flow: Flow,
    steps: readonly Step[],
    tests: FlowTest[],
  ): Promise<Played> {
    const source = flowSource.parse(flowSources.ofSteps(caller, flow, steps))
    return flowTests.run(caller, { source, tests })
  }

  return {
    /** Sorted by name. */
    list(flowId: string): readonly StoredTest[] {
      requireFlow(flowId)
      return store.flowTests.list(flowId)
    },
    /** @throws AppError `not_found` */
    read: (flowId: string, name: string): WholeStoredTest => shown(find(flowId, name)),
    /** @throws AppError `conflict` if there is a test of this name, or there are too many */
    async create(flowId: string, test: FlowTest): Promise<WholeStoredTest> {
      const kept = await store.write(() => {
        requireFlow(flowId)
        const fresh = toKept(flowId, test, now())
        requireFree(flowId, fresh.name)
        if (store.flowTests.list(flowId).length >= STORED_TEST_LIMITS.ofFlow)
          throw new AppError(
            'conflict',
            say('The flow has {{count}} tests, which is the limit; delete one first', {
              count: STORED_TEST_LIMITS.ofFlow,
            }),
          )
        requireRoom(flowId, fresh)
        store.flowTests.insert(fresh)
        return fresh
      })
      announce(flowId)
      return shown(kept)
    },
    replace: (flowId: string, name: string, test: FlowTest) => replace(flowId, name, test),
    async remove(flowId: string, name: string): Promise<void> {
      await store.write(() => {
        requireFlow(flowId)
        if (!store.flowTests.delete(flowId, name)) throw noTest(name)
      })
      announce(flowId)
    },
    async run(caller: Caller, flowId: string, { names, version }: RunBody): Promise<Played> {
      const flow = requireFlow(flowId)
      const steps = stepsOf(flow, version)
      const tests =
        names === undefined
          ? store.flowTests.contentsOf(flowId).map(testIn)
          : names.map((name) => testIn(find(flowId, name).content))
      return play(caller, flow, steps, tests)
    },
    /** @throws AppError `conflict` if anything besides the results differs */
    async accept(caller: Caller, flowId: string, name: string, version?: number): Promise<WholeStoredTest> {
      const kept = find(flowId, name)
      const flow = requireFlow(flowId)
      const test = testIn(kept.content)
      const { results } = await play(caller, flow, stepsOf(flow, version), [test])
      const { passed, can_accept: canAccept, actual } = results[0] as FlowTestResult
      if (passed) return shown(kept)
      if (!canAccept)
        throw new AppError(
          'conflict',
          say('The test "{{name}}" differs in more than its results; record it again', { name }),
        )
      return replace(flowId, name, { ...test, expect: actual }, kept.revision)
    },
    /** The names of the tests that fail with these steps. */
    async failing(caller: Caller, flow: Flow, steps: readonly Step[]): Promise<string[]> {
      const tests = store.flowTests.contentsOf(flow.id).map(testIn)
      if (tests.length === 0) return []
      const { results } = await play(caller, flow, steps, tests)
      return results.flatMap(({ name, passed }) => (passed ? [] : [name]))
    },
  }
}

const noTest = (name: string) =>
  new AppError('not_found', say('The flow has no test "{{name}}"', { name: name.slice(0, 200) }))
