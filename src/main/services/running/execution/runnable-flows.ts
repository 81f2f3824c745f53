import type { Breakpoint } from '../../../../shared/contract/reach/breakpoints.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { type CompiledFlow, compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import type { Forward } from '../../../../shared/contract/reach/forwards.ts'
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import type { Store } from '../../../store/index.ts'
import type { RunStart } from './resume-log.ts'

/** A compiled version of a flow, with everything needed to start it. */
export interface RunnableFlow {
  readonly id: string
  readonly name: string
  readonly status: Flow['status']
  readonly settings: Flow['settings']
  readonly version: number
  /** The flow's owner and the author of its steps; runs can only use connector auths that all of them can see. */
  readonly readers: readonly string[]
  readonly compiled: CompiledFlow
  /** Null if it has none. */
  readonly breakpoints: readonly Breakpoint[] | null
  /** SHA-256 of its webhook token, in hexadecimal; null if it has none. */
  readonly tokenHash: string | null
  /** The settings with which its webhook forwards requests to a local program; null if it doesn't. */
  readonly forward: Forward | null
}

/**
 * Compiles flows once per version and caches them until they change, so that webhooks don't read and compile them each
 * time.
 */
export interface RunnableFlows {
  /** The newest version; null if the flow doesn't exist. */
  get(id: string): RunnableFlow | null
  /** A particular version; null if the flow never had it. */
  version(id: string, version: number): RunnableFlow | null
  /** Call when a flow, its settings or its token changed. */
  forget(id: string): void
  /** Call when flows may have a new owner. */
  forgetAll(): void
}

export function createRunnableFlows(store: Pick<Store, 'breakpoints' | 'flows'>): RunnableFlows {
  const newest = new Map<string, RunnableFlow>()

  function load(id: string): RunnableFlow | null {
    const flow = store.flows.get(id)
    if (flow === null) return null
    const { name, status, settings, version } = flow
    const tokenHash = store.flows.webhookToken(id)?.hash ?? null
    const readers = readersOf(id, version)
    const compiled = compileFlow(flow)
    const set = store.breakpoints.ofFlow(id)
    const breakpoints = set.length === 0 ? null : set
    const forward = store.flows.forwardOf(id)
    const runnable = {
      id,
      name,
      status,
      settings,
      version,
      readers,
      tokenHash,
      compiled,
      breakpoints,
      forward,
    }
    if (newest.size >= MOST_KEPT) newest.clear()
    newest.set(id, runnable)
    return runnable
  }

  function readersOf(id: string, version: number): readonly string[] {
    const owner = store.flows.ownerOf(id) ?? ''
    const author = store.flows.authorOf(id, version) ?? owner
    return author === owner ? [owner] : [owner, author]
  }

  return {
    get: (id) => newest.get(id) ?? load(id),
    version(id, version) {
      const flow = this.get(id)
      if (flow === null || flow.version === version) return flow
      const older = store.flows.version(id, version)
      if (older === null) return null
      const compiled = compileFlow({ steps: older.steps, settings: flow.settings })
      return { ...flow, version, readers: readersOf(id, version), compiled }
    },
    forget: (id) => void newest.delete(id),
    forgetAll: () => newest.clear(),
  }
}

/** More than normal use needs; limits the memory that misuse could fill. */
const MOST_KEPT = 1_000

/**
 * The users who influenced the results of a run. A run that reuses the results can only use auths that all of them can
 * read.
 *
 * @param start null if it was not kept
 */
export function readersOfRun(
  runnable: Pick<RunnableFlows, 'version'>,
  { flow_id, flow_version }: Pick<FlowRun, 'flow_id' | 'flow_version'>,
  start: Pick<RunStart, 'readers'> | null,
): readonly string[] {
  return start?.readers ?? runnable.version(flow_id, flow_version)?.readers ?? []
}

/** All users without duplicates; the flow's owner stays first. */
export function allReaders(...groups: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(groups.flat())]
}

/**
 * The users who must all be able to see an auth for the editor's copy to use it, so that neither its steps nor typed-in
 * results can borrow one from the flow's owner.
 */
export function readersOfCopy(
  store: Pick<Store, 'flows'>,
  { id, readers }: Pick<RunnableFlow, 'id' | 'readers'>,
  userId: string,
): readonly string[] {
  const [owner = ''] = readers
  return allReaders([owner, store.flows.authorOfWorkingCopy(id) ?? owner, userId])
}
