import { join } from 'node:path'
import { STEP_CONFIGS, type StepConfig } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf, entriesOf, getKey, isDictionary } from '@millrace/jinja/data'
import type { FolderFile } from '../../../engine/flow/model/ports.ts'
import {
  type EventFile,
  fileInput,
  type FolderEvent,
} from '../../../engine/flow/steps/triggers/folder-trigger.ts'
import { idOf } from '../../../engine/polling/new-entries.ts'
import type { Clock } from '../../../engine/ports.ts'
import { contain } from '../../../engine/request/contain.ts'
import type { Log } from '../../kit/ports.ts'
import type { Folders } from '../../reaching/step-ports/folders.ts'
import type { Finding, TriggerCheck, TriggerKind, TriggerStart, Watch } from './trigger-kind.ts'

export interface FolderKindOptions {
  readonly folders: Pick<Folders, 'list' | 'admitFolder'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

type Config = StepConfig<'folder_trigger'>

/** Compares the content of a folder with its content at the last check; the system only signals when to check. */
export function createFolderKind(options: FolderKindOptions): TriggerKind {
  const parse = (config: Step['config']): Config => STEP_CONFIGS.folder_trigger.parse(config)
  /** Files that weren't complete at the last check, by trigger: their state, and since when it is unchanged. */
  const growing = new Map<string, Growing>()
  return {
    runTrigger: 'folder',
    looksAtStart: true,
    identity: ({ path, pattern, subfolders }) => [path, pattern, subfolders],
    everyMs: (config) => parse(config).every_minutes * 60_000,
    async check(check) {
      const config = parse(check.config)
      const now = options.clock.now()
      const key = `${check.flow.id}/${check.refId}`
      const before = growing.get(key) ?? new Map<string, Sighting>()
      const folder = await options.folders.admitFolder(config.path)
      const files = await options.folders.list(config.path, config)
      const found = compare(files, config, check, { folder, now, before })
      growing.delete(key)
      if (found.growing.size > 0) growing.set(key, found.growing)
      return found.finding
    },
    watch: (flowId, config, { onSign }) => watchFolder(parse(config), options, flowId, onSign),
  }
}

interface Sighting {
  readonly state: string
  readonly since: number
}
type Growing = ReadonlyMap<string, Sighting>

function compare(
  files: readonly FolderFile[],
  { events, first, settle_seconds: settleSeconds }: Config,
  { isFirst, state, isKnown }: TriggerCheck,
  { folder, now, before }: { readonly folder: string; readonly now: number; readonly before: Growing },
): { finding: Finding; growing: Growing } {
  const { generation, known } = readState(state)
  const settleMs = settleSeconds * 1_000
  const growing = new Map<string, Sighting>()
  const next = new Map<string, Data>()
  const changes: Change[] = []
  for (const file of files) {
    const mark = `${file.size}:${file.modifiedAt}`
    const old = known.get(file.name)
    if (old === mark) {
      next.set(file.name, mark)
      continue
    }
    const sighting = before.get(file.name)
    const since = sighting?.state === mark ? sighting.since : now
    if (!isComplete(file, since, now, settleMs)) {
      growing.set(file.name, { state: mark, since })
      // Once the file is complete, it is compared with its last complete state.
      if (old !== undefined) next.set(file.name, old)
      continue
    }
    next.set(file.name, mark)
    changes.push({ event: old === undefined ? 'new' : 'changed', file, mark })
  }
  const there = new Set(files.map(({ name }) => name))
  const gone = [...known].flatMap(([name, mark]) => (there.has(name) ? [] : [goneFile(folder, name, mark)]))
  const isTold = ({ event }: Change) => events.includes(event) && (!isFirst || first === 'all')
  const told = [...gone, ...changes.toSorted((a, b) => a.file.modifiedAt - b.file.modifiedAt)].filter(isTold)
  const hasChanged = gone.length + changes.length > 0
  const starts = told.flatMap((change): TriggerStart[] => {
    // Because of `generation`, a file that comes back unchanged is new, but one that a crash made appear twice isn't.
    const id = idOf([generation, change.event, change.file.name, change.mark])
    return isKnown(id) ? [] : [{ ids: [id], input: fileInput(change.event, change.file), state }]
  })
  return {
    growing,
    finding: {
      seen: [],
      starts,
      state: toState(hasChanged ? generation + 1 : generation, next),
      againMs: growing.size === 0 ? undefined : Math.max(settleMs, SOONEST_MS),
    },
  }
}

interface Change {
  readonly event: FolderEvent
  readonly file: EventFile
  readonly mark: string
}

/**
 * Whether the file has been unchanged for long enough, by its own times, or by those of the checks if its times are in
 * the future.
 */
function isComplete(
  { modifiedAt, touchedAt }: FolderFile,
  since: number,
  now: number,
  settleMs: number,
): boolean {
  return now - Math.max(modifiedAt, touchedAt) >= settleMs || (now > since && now - since >= settleMs)
}

function goneFile(folder: string, name: string, mark: string): Change {
  const [size = '0', modifiedAt = '0'] = mark.split(':')
  return {
    event: 'gone',
    file: { path: join(folder, name), name, size: Number(size), modifiedAt: Number(modifiedAt) },
    mark,
  }
}

function readState(state: Data): { generation: number; known: ReadonlyMap<string, string> } {
  if (!isDictionary(state)) return { generation: 0, known: new Map() }
  const files = getKey(state, 'files') ?? null
  return {
    generation: Number(getKey(state, 'generation') ?? 0),
    known: new Map(
      (isDictionary(files) ? entriesOf(files) : []).flatMap(([name, mark]) =>
        typeof mark === 'string' ? [[name, mark] as const] : [],
      ),
    ),
  }
}

function toState(generation: number, files: ReadonlyMap<string, Data>): Data {
  return dictionaryOf([
    ['generation', generation],
    ['files', dictionaryOf([...files])],
  ])
}

/**
 * Loads the package with the first watched folder. Where the system can't watch folders, only the regular checks
 * remain.
 */
function watchFolder(
  { path, subfolders }: Config,
  { folders, log }: FolderKindOptions,
  flowId: string,
  onSign: () => void,
): Watch {
  let isClosed = false
  let close = () => {}
  const failed = (error: unknown) =>
    log.warn({ err: error, flowId }, "A folder can't be watched; it is checked regularly")
  async function open(): Promise<void> {
    const folder = await folders.admitFolder(path)
    const { watch } = await import('chokidar')
    if (isClosed) return
    const watcher = watch(folder, {
      ignoreInitial: true,
      followSymlinks: false,
      ...(subfolders ? {} : { depth: 0 }),
    })
    watcher.on('all', () => onSign())
    watcher.on('error', failed)
    contain(watcher, 'emit', failed)
    close = () => void watcher.close().catch(failed)
  }
  // The check reports a folder that doesn't exist or isn't allowed.
  open().catch(() => undefined)
  return {
    close() {
      isClosed = true
      close()
    },
  }
}

const SOONEST_MS = 100
