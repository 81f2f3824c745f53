/** Exchanges the tests of flows between a folder and Millrace, by the same rules as the flows. */
import {
  createStoredTestRoute,
  deleteStoredTestRoute,
  listStoredTestsRoute,
  readStoredTestRoute,
  type StoredTest,
  updateStoredTestRoute,
} from '../../../shared/contract/flow-tests.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { revisionOfTest } from '../../engine/flow-source/test-form.ts'
import {
  type FolderFault,
  readFlowFolder,
  readSynced,
  removeFlowFile,
  type SyncedFlow,
  writeSynced,
} from './flow-folder.ts'
import { changedIn, type StoredFlow } from './flow-sync.ts'
import type { HostClient } from './host-client.ts'
import {
  type Action,
  type Compared,
  pullAction,
  pullMessage,
  pushAction,
  pushMessage,
  sentenceOf,
  type SyncedResult,
} from './sync-actions.ts'
import { addTestFile, readTestFiles, type TestFile, writeTestFile } from './test-files.ts'

export interface TestSync {
  readonly host: HostClient
  readonly folder: string
  readonly place: string
  readonly isDryRun: boolean
  readonly force: boolean
}

interface LocalTest extends TestFile {
  readonly revision: string
}

interface ComparedTest extends Compared {
  /** The test's key in the folder's stored state. */
  readonly key: string
  readonly flow: StoredFlow['source']
  readonly flowFile: string
  readonly name: string
  readonly local: LocalTest | null
  readonly stored: StoredTest | null
}

/** Two files can't contain the same test, because one would replace the other. */
export function readComparableTests(folder: string): {
  readonly tests: ReadonlyMap<string, LocalTest>
  readonly faults: readonly FolderFault[]
} {
  const { tests: files, faults } = readTestFiles(folder)
  const tests = new Map<string, LocalTest>()
  const twins: FolderFault[] = []
  for (const { file, test } of files) {
    const key = keyOf(test.flow.toLowerCase(), test.name)
    const other = tests.get(key)
    if (other === undefined) tests.set(key, { file, test, revision: revisionOfTest(test) })
    else
      twins.push({
        file,
        line: null,
        message: `has the same name as ${other.file}; rename one of the two tests`,
      })
  }
  return { tests, faults: [...faults, ...twins] }
}

const keyOf = (flowId: string, name: string) => `${flowId} ${name}`

/** Compares the tests of flows that exist on both sides. */
async function compareTests(
  { host, folder, place }: TestSync,
  sources: readonly StoredFlow[],
): Promise<ComparedTest[]> {
  const { flows } = await readFlowFolder(folder)
  const { tests } = readComparableTests(folder)
  const synced = readSynced(folder, place)
  const there = new Map(sources.map(({ source }) => [source.id, source]))
  const compared: ComparedTest[] = []
  for (const { file: flowFile, normal } of flows) {
    const flow = there.get(normal.id)
    if (flow === undefined) continue
    const list = await host.call(listStoredTestsRoute, { params: { id: flow.id } })
    const stored = new Map(list.map((test) => [test.name, test]))
    const local = new Map(
      [...tests.values()]
        .filter(({ test }) => test.flow.toLowerCase() === flow.id)
        .map((test) => [test.test.name, test]),
    )
    for (const name of new Set([...local.keys(), ...stored.keys()])) {
      const key = keyOf(flow.id, name)
      const pair = { local: local.get(name) ?? null, stored: stored.get(name) ?? null }
      const wasSynced = synced.has(key)
      compared.push({
        key,
        flow,
        flowFile,
        name,
        ...pair,
        changedIn: changedIn(pair, synced.get(key)),
        wasSynced,
      })
    }
  }
  return compared
}

/** Writes tests that changed in Millrace into the folder. */
export async function pullTests(sync: TestSync, sources: readonly StoredFlow[]): Promise<SyncedResult[]> {
  const { host, folder, force } = sync
  return exchange(sync, await compareTests(sync, sources), {
    actionOf: (test) => pullAction(test, force),
    messageOf: (test, action) => pullMessage(test, action, 'test'),
    async apply({ flow, flowFile, name, local, stored }, action) {
      if (action === 'delete' && local !== null) {
        removeFlowFile(folder, local.file)
        return { common: null }
      }
      if (stored === null) return {}
      const { test } = await host.call(readStoredTestRoute, { params: { id: flow.id, name } })
      const file = local?.file ?? addTestFile(folder, flowFile, test)
      if (local !== null) writeTestFile(folder, file, test)
      return { file, common: { file: revisionOfTest(test), flow: stored.revision } }
    },
  })
}

/** Stores tests that changed in the folder. */
export async function pushTests(
  sync: TestSync & { readonly deletes: boolean },
  sources: readonly StoredFlow[],
): Promise<SyncedResult[]> {
  const { host, force, deletes } = sync
  return exchange(sync, await compareTests(sync, sources), {
    actionOf: (test) => (test.changedIn === 'none' ? null : pushAction(test, { force, deletes })),
    messageOf: (test, action) => pushMessage(test, action, 'test'),
    async apply({ flow, name, local, stored }, action) {
      const params = { id: flow.id, name }
      if (action === 'delete') {
        await host.call(deleteStoredTestRoute, { params })
        return { common: null }
      }
      if (local === null) return {}
      const body = { test: local.test }
      const { revision } =
        stored === null
          ? await host.call(createStoredTestRoute, { params: { id: flow.id }, body })
          : await host.call(updateStoredTestRoute, { params, body })
      return { common: { file: local.revision, flow: revision } }
    },
  })
}

interface Direction {
  readonly actionOf: (test: ComparedTest) => Action | null
  readonly messageOf: (test: ComparedTest, action: Action) => string | null
  /** Returns the content that both sides then have in common (null if neither has the test), and a new file. */
  readonly apply: (
    test: ComparedTest,
    action: Action,
  ) => Promise<{ readonly common?: SyncedFlow | null; readonly file?: string }>
}

async function exchange(
  { folder, place, isDryRun }: TestSync,
  compared: readonly ComparedTest[],
  { actionOf, messageOf, apply }: Direction,
): Promise<SyncedResult[]> {
  const synced = new Map<string, SyncedFlow | null>()
  const results: SyncedResult[] = []
  for (const test of compared) {
    const { key, flow, name, local, stored } = test
    const action = actionOf(test)
    if (action === null) {
      if (local && stored) synced.set(key, { file: local.revision, flow: stored.revision })
      continue
    }
    const message = messageOf(test, action)
    const result: SyncedResult = {
      id: key,
      name: `${flow.name} › ${name}`,
      file: local?.file ?? null,
      action,
      changes: [],
      ...(message !== null && { message }),
    }
    const isDone = isDryRun || action === 'keep' || action === 'conflict'
    results.push(isDone ? result : await attempt(result, test))
  }
  if (!isDryRun) writeSynced(folder, place, synced)
  return results

  async function attempt(result: SyncedResult, test: ComparedTest): Promise<SyncedResult> {
    try {
      const { common, file = result.file } = await apply(test, result.action)
      if (common !== undefined) synced.set(test.key, common)
      return { ...result, file }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...result, action: 'fail', message: sentenceOf(error) }
    }
  }
}
