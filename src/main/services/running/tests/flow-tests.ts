/**
 * Tests of flows: makes them from runs, and runs them with the recorded calls. Nothing is sent, and nothing is stored.
 */
import { say, type Said, spoken } from '../../../../shared/contract/base/message.ts'
import {
  type FlowSource,
  flowSource,
  type MissingItem,
  type runFlowTestsRoute,
} from '../../../../shared/contract/flow-files.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type {
  FlowTest,
  FlowTestResult,
  FlowTestResults,
  TestAuth,
  TestFailure,
} from '../../../../shared/contract/flow-tests.ts'
import type { z } from 'zod'
import { type Data, dictionaryOf, entriesOf, isDictionary, isList, writeJson } from '@millrace/jinja/data'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type CompiledFlow, compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import { compareEnd, expectationsOf } from '../../../engine/flow/testing/compare-results.ts'
import { type Played, playFlow, type TestPorts } from '../../../engine/flow/testing/play-flow.ts'
import type { Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { Caller } from '../../kit/caller.ts'
import { openAuthOf } from '../../reaching/auths/auth-secrets.ts'
import type { FlowSourcesService } from '../flows/flow-sources.ts'
import type { RunHistory } from '../runs/run-history.ts'
import { coverageOf } from './coverage.ts'
import { draftOf, type Draft, requireNoSecrets, unfit, withExpectations } from './record-test.ts'

export interface FlowTestsOptions {
  readonly store: Pick<Store, 'actions' | 'connectorAuths' | 'connectors' | 'flows'>
  readonly env: Pick<Env, 'shown'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly flowSources: Pick<FlowSourcesService, 'forTest' | 'ofVersion'>
  readonly flowRuns: Pick<RunHistory, 'read' | 'stateOf' | 'stepsOf'>
  readonly ports: Omit<TestPorts, 'findAction' | 'findConnector'>
}

type Tests = z.output<typeof runFlowTestsRoute.body>
type Results = FlowTestResults

/** The part of a test that its run needs. */
type Setup = Omit<FlowTest, 'expect'>

interface Prepared {
  readonly compiled: CompiledFlow
  readonly missing: readonly MissingItem[]
  readonly secrets: readonly string[]
}

export type FlowTestsService = ReturnType<typeof createFlowTestsService>

export function createFlowTestsService(options: FlowTestsOptions) {
  const { store, secrets, flowSources } = options
  const ports: TestPorts = {
    ...options.ports,
    findConnector: (id) => store.connectors.get(id),
    findAction(connectorId, name) {
      const connector = store.connectors.get(connectorId)
      const action = connector && store.actions.find(connectorId, name)
      return connector && action ? { connector, action } : null
    },
  }

  function prepare(
    caller: Caller,
    source: FlowSource,
    authIds: ReadonlyMap<string, string> | null,
  ): Prepared {
    const { steps, settings, missing, secrets: standIns } = flowSources.forTest(caller, source, authIds)
    return {
      compiled: compileFlow({ steps, settings: settings as Flow['settings'] }),
      missing,
      secrets: standIns,
    }
  }

  /** A connector can have a different ID in each installation. */
  function idOfConnector(name: string): string {
    const filters = [{ field: 'name', operator: 'eq', value: name }] as const
    return store.connectors.list({ filters }).records[0]?.id ?? ''
  }

  function play(
    { compiled, secrets: inSteps }: Prepared,
    test: Setup,
    find?: (id: string) => TestAuth,
  ): Promise<Played> {
    const found = new Map(test.auths.map((auth) => [auth.id, auth]))
    const variables = test.variables as Readonly<Record<string, Data>>
    const standIns = [...inSteps, ...Object.keys(variables).map(standInForVariable)]
    const opened = new Map<string, OpenAuth>()
    const open = (auth: TestAuth) => {
      const values = Object.fromEntries(auth.secrets.map((name) => [name, standInOf(auth, name)]))
      standIns.push(...Object.values(values))
      return toOpenAuth(auth, idOfConnector(auth.connector), values)
    }
    for (const auth of found.values()) opened.set(auth.id, open(auth))
    return playFlow(compiled, {
      test,
      ports,
      openAuth(id) {
        const known = opened.get(id)
        if (known !== undefined || find === undefined) return known ?? null
        const auth = open(find(id))
        opened.set(id, auth)
        return auth
      },
      env: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, unhide(value, standInForVariable(name))]),
      ),
      secrets: standIns,
      redactor: secrets.redactor(),
      limitMs: LIMIT_MS,
    })
  }

  async function runOne(
    caller: Caller,
    source: FlowSource,
    test: FlowTest,
  ): Promise<{ readonly result: FlowTestResult; readonly ran: ReadonlySet<string> }> {
    const startedAt = ports.clock.monotonic()
    const prepared = prepare(caller, source, new Map(test.auths.map(({ name, id }) => [name, id])))
    const setup = setupFailures(source, test, prepared.missing)
    if (setup.length > 0) return { result: failed(test, setup), ran: new Set() }
    const { end, failures: ofCalls, ran } = await play(prepared, test)
    const failures = ofCalls.length > 0 ? ofCalls : compareEnd(test.expect, end)
    return {
      ran,
      result: {
        name: test.name,
        passed: failures.length === 0,
        duration_ms: Math.round(ports.clock.monotonic() - startedAt),
        failures: [...failures],
        actual: expectationsOf(end, test.expect),
        can_accept: failures.length > 0 && ofCalls.length === 0,
      },
    }
  }

  return {
    async run(caller: Caller, { source, tests }: Tests): Promise<Results> {
      const played: Awaited<ReturnType<typeof runOne>>[] = []
      for (let at = 0; at < tests.length; at += AT_ONCE)
        played.push(
          ...(await Promise.all(tests.slice(at, at + AT_ONCE).map((test) => runOne(caller, source, test)))),
        )
      const { compiled } = prepare(caller, source, new Map())
      const ran = new Set(played.flatMap((one) => [...one.ran]))
      return { results: played.map(({ result }) => result), coverage: coverageOf(compiled.steps, ran) }
    },

    /** @throws AppError `conflict` saying which part of the run is missing */
    async record(caller: Caller, runId: string, name: string): Promise<{ readonly test: FlowTest }> {
      const draft = await draftOf(options, runId, name)
      const source = sourceOf(caller, draft)
      const used = new Map<string, TestAuth>()
      const find = (id: string) => {
        const auth = used.get(id) ?? authOf(caller, draft, id)
        used.set(id, auth)
        return auth
      }
      const prepared = prepare(caller, source, null)
      const [missing] = prepared.missing
      if (missing !== undefined)
        throw unfit(draft.run, say('{{name}} is missing here', { name: missing.name }))
      const texts = [writeJson(source as unknown as Data), ...connectorTexts(source.steps)]
      const test = { ...draft.test, variables: variablesIn(texts.join('\n')) }
      const played = await play(prepared, test, find)
      const recorded = withExpectations({ ...draft, test: { ...test, auths: [...used.values()] } }, played)
      requireNoSecrets(recorded, secrets.redactor())
      return { test: recorded }
    },
  }

  function sourceOf(caller: Caller, draft: Draft): FlowSource {
    const { flow_id: id, flow_version: version } = draft.run
    const source = flowSources.ofVersion(caller, id, version)
    if (source === null)
      throw unfit(draft.run, say('version {{version}} of its flow no longer exists', { version }))
    return flowSource.parse(source)
  }

  function authOf(caller: Caller, draft: Draft, id: string): TestAuth {
    const auth = store.connectorAuths.get(id, caller.userId)
    if (auth === null)
      throw unfit(draft.run, say("you can't read the connector auth {{id}}", { id: id.slice(0, 60) }))
    const stored = Object.entries(auth.secrets).flatMap(([field, isStored]) => (isStored ? [field] : []))
    const { name, auth_type, username, api_endpoint, user_input } = auth
    return {
      id,
      name,
      connector: store.connectors.get(auth.connector_id)?.name ?? '',
      auth_type,
      username,
      api_endpoint,
      user_input: user_input,
      secrets: [...new Set([...stored, ...(auth_type === 'oauth2' ? ['auth_token'] : [])])],
    }
  }

  /** Includes connectors, because their templates read variables too. */
  function connectorTexts(steps: FlowSource['steps']): string[] {
    const text = writeJson(steps as unknown as Data)
    return store.connectors
      .list()
      .records.filter(({ id, name: called }) => text.includes(id) || text.includes(JSON.stringify(called)))
      .flatMap((connector) => [
        writeJson(connector as unknown as Data),
        ...store.actions
          .list({ filters: [{ field: 'connector_id', operator: 'eq', value: connector.id }] })
          .records.map((action) => writeJson(action as unknown as Data)),
      ])
  }

  function variablesIn(text: string): FlowTest['variables'] {
    const words = new Set(text.match(/[\p{L}_][\p{L}\p{N}_]*/gu))
    const shown = Object.entries(options.env.shown(true)).filter(([name]) => words.has(name))
    return Object.fromEntries(shown) as FlowTest['variables']
  }
}

function setupFailures(source: FlowSource, test: FlowTest, missing: readonly MissingItem[]): TestFailure[] {
  const said: (readonly [string | null, Said])[] = missing.map(({ kind, name, ref_id }) => [
    ref_id,
    kind === 'connector'
      ? say('There is no connector "{{name}}" here; import it first', { name })
      : say('The test has no connector auth "{{name}}"; record it again', { name }),
  ])
  if (test.flow.toLowerCase() !== source.id.toLowerCase())
    said.push([null, say('The test belongs to another flow ({{id}})', { id: test.flow })])
  if (Number.isNaN(Date.parse(test.clock)))
    said.push([null, say('"clock" is "{{value}}", which is not a time', { value: test.clock })])
  return said.map(([step, sentence]) => ({ kind: 'setup', step, ...spoken(sentence), differences: [] }))
}

const failed = ({ name, expect: actual }: FlowTest, failures: TestFailure[]): FlowTestResult => ({
  name,
  passed: false,
  duration_ms: 0,
  failures,
  actual,
  can_accept: false,
})

function toOpenAuth(auth: TestAuth, connectorId: string, values: Readonly<Record<string, string>>): OpenAuth {
  const shown = { ...auth, connector_id: connectorId, auth_details: '' }
  return openAuthOf(shown as unknown as Parameters<typeof openAuthOf>[0], values)
}

const standInOf = ({ name }: TestAuth, field: string) =>
  `stand-in-${`${name}-${field}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
const standInForVariable = (name: string) => `stand-in-variable-${name}`

/** Puts the stand-in where a secret was hidden. */
function unhide(value: Data, standIn: string): Data {
  if (typeof value === 'string') return value === '***' ? standIn : value
  if (isList(value)) return value.map((item) => unhide(item, standIn))
  if (!isDictionary(value)) return value
  return dictionaryOf(entriesOf(value).map(([key, item]) => [key, unhide(item, standIn)]))
}

/** Scripts run on two threads; everything else takes turns anyway. */
const AT_ONCE = 8
/** Limit in real time; waits of a flow don't count. */
const LIMIT_MS = 30_000
