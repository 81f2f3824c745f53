/** Reads, shows, confirms and removes the plug-ins in the data folder. */
import { englishOf, SAID, type Said, say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { filterName, pluginName } from '../../../../shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../../../shared/contract/plugins/plugins.ts'
import type { InstalledPlugin } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { ConfirmedPlugin, Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { OriginGuard } from '../../kit/origin-guard.ts'
import type { Log } from '../../kit/ports.ts'
import { type PluginConnector, putPluginConnectors, requireNoSecrets } from './plugin-connectors.ts'
import {
  hashOf,
  packFiles,
  type PluginFiles,
  readPluginArchive,
  readPluginFolder,
  unpackFiles,
} from './plugin-files.ts'
import { createPluginFolders } from './plugin-folders.ts'
import { readPlugin, requirePlugin } from './read-manifest.ts'

export interface PluginsService {
  /** Reads the folders again. */
  list(): Promise<Plugin[]>
  /** @throws AppError `not_found` */
  read(name: string): Promise<Plugin>
  /** @throws AppError saying what is wrong with it */
  add(caller: Caller, source: PluginSource): Promise<Plugin>
  confirm(caller: Caller, name: string, hash: string): Promise<Plugin>
  remove(caller: Caller, name: string): Promise<void>
  /** The plug-in as last read; its folder is read only once. Null if there is none. */
  find(name: string): InstalledPlugin | null
  /** The confirmed plug-ins, by name. */
  confirmed(): readonly InstalledPlugin[]
}

export interface PluginSource {
  readonly path?: string | undefined
  readonly file_id?: string | undefined
}

export interface PluginsOptions {
  readonly store: Pick<Store, 'plugins' | 'connectors' | 'actions' | 'connectorAuths' | 'dataDir'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Pick<Log, 'warn'>
  readonly origins: OriginGuard
  readonly env: Pick<Env, 'secretNames'>
  /** The content of an uploaded file. */
  readonly pathOfUpload: (caller: Caller, fileId: string) => string
}

interface Loaded extends InstalledPlugin {
  readonly shown: Plugin
  readonly files: PluginFiles
  readonly connectors: readonly PluginConnector[]
}

export function createPluginsService(options: PluginsOptions): PluginsService {
  const { store, clock, events, log, origins, env } = options
  const folders = createPluginFolders(join(store.dataDir, 'plugins'))
  const confirmations = new Map(store.plugins.all().map((one) => [one.name, one]))
  const loaded = new Map<string, Loaded>()
  let last: Promise<unknown> = Promise.resolve()

  /** Runs one change after another. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }

  function reload(name: string): Loaded | null {
    const confirmed = confirmations.get(name) ?? null
    if (confirmed !== null && !folders.has(name)) bringBack(name)
    const before = loaded.get(name)
    if (!folders.has(name)) {
      loaded.delete(name)
      return null
    }
    const now = load(name, folders.pathOf(name), confirmed, () => store.plugins.filesOf(name))
    loaded.set(name, now)
    if (before !== undefined && (before.hash !== now.hash || before.status !== now.status))
      events.emit({ type: 'updated', noun: 'plugin', id: name })
    return now
  }

  /** Writes back a missing folder: a restored backup contains the files of confirmed plug-ins only in the database. */
  function bringBack(name: string): void {
    try {
      folders.bringBack(name, unpackFiles(store.plugins.filesOf(name)))
    } catch (error) {
      log.warn({ err: error, plugin: name }, 'The folder of a plug-in could not be rewritten')
    }
  }

  function require(name: string): Loaded {
    const found = reload(name)
    if (found !== null) return found
    throw new AppError('not_found', say('There is no plug-in "{{name}}"', { name }))
  }

  function readSource(caller: Caller, { path, file_id: fileId }: PluginSource): PluginFiles {
    if (fileId !== undefined) return readPluginArchive(readFileSync(options.pathOfUpload(caller, fileId)))
    if (path === undefined || !isAbsolute(path))
      throw new AppError('validation', say('"path" must be a full path'), {
        data: { path: ['must be a full path'] },
      })
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined)
      throw new AppError('not_found', say('There is nothing at "{{path}}"; check the path', { path }))
    if (found.isDirectory()) return readPluginFolder(path)
    if (found.size > MOST_ARCHIVE_BYTES)
      throw new AppError(
        'too_large',
        say('"{{path}}" has {{size}} bytes; an archive can have {{most}}', {
          path,
          size: found.size,
          most: MOST_ARCHIVE_BYTES,
        }),
      )
    return readPluginArchive(readFileSync(path))
  }

  /**
   * Adds, changes or removes the connectors of the plug-in. Auths whose secrets would then go elsewhere have to wait.
   */
  async function write(
    caller: Caller,
    name: string,
    connectors: readonly PluginConnector[],
    work: () => void,
  ) {
    const now = new Date(clock.now()).toISOString()
    const changed = await origins.write({ caller, field: 'hash', reentry: true }, () => {
      work()
      return putPluginConnectors(name, connectors, store, now)
    })
    for (const id of changed.result) events.emit({ type: 'updated', noun: 'connector', id })
  }

  function find(name: string): Loaded | null {
    const found = loaded.get(name)
    if (found !== undefined) return found
    return pluginName.safeParse(name).success ? reload(name) : null
  }

  const confirmed = (): InstalledPlugin[] =>
    [...confirmations.keys()].flatMap((name) => {
      const found = find(name)
      return found?.status === 'ready' ? [found] : []
    })

  folders.restore()
  void inTurn(() => folders.clean()).catch((error: unknown) =>
    log.warn({ err: error }, 'The remains of a plug-in could not be deleted'),
  )
  return {
    list: () =>
      inTurn(async () => {
        const names = new Set([...folders.names(), ...confirmations.keys()])
        for (const name of names) {
          reload(name)
          // Each plug-in can have several megabytes to read.
          await nextTurn()
        }
        for (const name of loaded.keys()) if (!names.has(name)) loaded.delete(name)
        return [...loaded].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { shown }]) => shown)
      }),
    read: (name) => inTurn(() => Promise.resolve(require(name).shown)),
    add: (caller, source) =>
      inTurn(async () => {
        const files = readSource(caller, source)
        const { name } = requirePlugin(files).manifest
        const isNew = find(name) === null
        await folders.put(name, files)
        const { shown } = require(name)
        events.emit({ type: isNew ? 'created' : 'updated', noun: 'plugin', id: name })
        return shown
      }),
    confirm: (caller, name, hash) =>
      inTurn(async () => {
        const { shown, files, connectors, problem } = require(name)
        if (shown.status === 'broken')
          throw new AppError(
            'conflict',
            say('The plug-in "{{name}}" can\'t be used: {{rest}}', { name, rest: problem ?? '' }),
          )
        if (shown.hash !== hash) {
          throw new AppError(
            'conflict',
            say(
              'The files of the plug-in "{{name}}" have changed since they were shown; look at them again',
              {
                name,
              },
            ),
          )
        }
        requireNoSecrets(connectors, env.secretNames())
        requireOwnFilters(shown, confirmed())
        const row = {
          name,
          hash,
          confirmed_by: caller.userId,
          confirmed_at: new Date(clock.now()).toISOString(),
        }
        await write(caller, name, connectors, () => store.plugins.put({ ...row, files: packFiles(files) }))
        confirmations.set(name, row)
        return require(name).shown
      }),
    remove: (caller, name) =>
      inTurn(async () => {
        require(name)
        await write(caller, name, [], () => store.plugins.delete(name))
        confirmations.delete(name)
        await folders.remove(name)
        loaded.delete(name)
        events.emit({ type: 'deleted', noun: 'plugin', id: name })
      }),
    find,
    confirmed,
  }
}

/** Rejects a plug-in whose filter names are taken: `a_b` with `c` and `a` with `b_c` name the same filter. */
function requireOwnFilters({ name, manifest }: Plugin, confirmed: readonly InstalledPlugin[]): void {
  const own = new Set(manifest?.filters.map((one) => filterName(name, one)))
  for (const { manifest: other } of confirmed) {
    const taken = other?.filters.map((one) => filterName(other.name, one)).find((one) => own.has(one))
    if (other && other.name !== name && taken !== undefined)
      throw new AppError(
        'conflict',
        say('The plug-in "{{other}}" already has a filter "{{name}}"', { other: other.name, name: taken }),
      )
  }
}

function load(
  name: string,
  path: string,
  confirmed: ConfirmedPlugin | null,
  confirmedFiles: () => Uint8Array,
): Loaded {
  const { files, failure } = filesIn(path)
  const { manifest, connectors, problem } =
    failure === null ? readPlugin(files) : { manifest: null, connectors: [], problem: failure }
  const misnamed =
    manifest !== null && manifest.name !== name
      ? say('its manifest names it "{{name}}"', { name: manifest.name })
      : problem
  const hash = hashOf(files)
  const changed = confirmed === null ? 'unconfirmed' : confirmed.hash === hash ? 'ready' : 'changed'
  const status = misnamed === null ? changed : 'broken'
  return {
    status,
    problem: misnamed,
    hash,
    manifest,
    source: files.get('run.js')?.toString() ?? '',
    files,
    connectors,
    shown: {
      name,
      status,
      problem: misnamed && englishOf(misnamed),
      ...(misnamed && { [SAID]: misnamed }),
      hash,
      confirmed_hash: confirmed?.hash ?? null,
      confirmed_by: confirmed?.confirmed_by ?? null,
      confirmed_at: confirmed?.confirmed_at ?? null,
      manifest,
      connectors: connectors.map(({ id, connector, actions }) => ({
        id,
        name: connector.name,
        base_domain: connector.base_domain ?? '',
        actions: actions.map((action) => action.name),
      })),
      confirmed_manifest: changed === 'changed' ? readPlugin(unpackFiles(confirmedFiles())).manifest : null,
      readme: files.get('README.md')?.toString().slice(0, MOST_README) ?? '',
      files: [...files].map(([at, content]) => ({ path: at, size: content.length })),
    },
  }
}

function filesIn(path: string): { readonly files: PluginFiles; readonly failure: Said | null } {
  try {
    return { files: readPluginFolder(path), failure: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { files: new Map(), failure: sentenceOf(error) }
  }
}

const MOST_ARCHIVE_BYTES = 10_000_000
const MOST_README = 100_000
