/** Plug-ins in the data folder: read, shown, confirmed, removed. */
import { say } from '../../../../shared/contract/base/message.ts'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { pluginName } from '../../../../shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../../../shared/contract/plugins/plugins.ts'
import type { InstalledPlugin } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import { moveFile, removeFolder, type Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'
import {
  hashOf,
  packFiles,
  type PluginFiles,
  readPluginArchive,
  readPluginFolder,
  unpackFiles,
  writePluginFolder,
} from './plugin-files.ts'
import { readManifest, requireManifest } from './read-manifest.ts'

export interface PluginsService {
  /** Reads the folders again. */
  list(): Plugin[]
  /** @throws AppError `not_found` */
  read(name: string): Plugin
  /** @throws AppError saying what is wrong with it */
  add(caller: Caller, source: PluginSource): Promise<Plugin>
  confirm(caller: Caller, name: string, hash: string): Promise<Plugin>
  remove(name: string): Promise<void>
  /** As it was read last; null if there is none. */
  find(name: string): InstalledPlugin | null
}

export interface PluginSource {
  readonly path?: string | undefined
  readonly file_id?: string | undefined
}

export interface PluginsOptions {
  readonly store: Pick<Store, 'plugins' | 'write' | 'dataDir'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Pick<Log, 'warn'>
  /** The content of an uploaded file. */
  readonly pathOfUpload: (caller: Caller, fileId: string) => string
}

interface Loaded extends InstalledPlugin {
  readonly shown: Plugin
  readonly files: PluginFiles
}

export function createPluginsService(options: PluginsOptions): PluginsService {
  const { store, clock, events, log } = options
  const folder = join(store.dataDir, 'plugins')
  let loaded: ReadonlyMap<string, Loaded> = new Map()

  function scan(): void {
    const confirmed = new Map(store.plugins.all().map((one) => [one.name, one]))
    const names = namesIn(folder)
    loaded = new Map(names.map((name) => [name, load(name, join(folder, name), confirmed.get(name) ?? null)]))
  }

  /** A restored backup has the files of what was confirmed. */
  function bringBack(): void {
    for (const { name, files } of store.plugins.all()) {
      if (existsSync(join(folder, name))) continue
      try {
        writePluginFolder(join(folder, name), unpackFiles(files))
      } catch (error) {
        log.warn({ err: error, plugin: name }, 'The folder of a plug-in could not be written again')
      }
    }
  }

  function require(name: string): Loaded {
    const found = loaded.get(name)
    if (found !== undefined) return found
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

  bringBack()
  scan()
  return {
    list() {
      scan()
      return [...loaded.values()].map(({ shown }) => shown)
    },
    read(name) {
      scan()
      return require(name).shown
    },
    async add(caller, source) {
      const files = readSource(caller, source)
      const { name } = requireManifest(files)
      // Written next to its place and moved, so that a half-written one never counts.
      const isNew = !existsSync(join(folder, name))
      writePluginFolder(folder, new Map())
      const fresh = mkdtempSync(join(folder, '.new-'))
      writePluginFolder(join(fresh, name), files)
      await removeFolder(join(folder, name))
      await moveFile(join(fresh, name), join(folder, name))
      await removeFolder(fresh)
      scan()
      events.emit({ type: isNew ? 'created' : 'updated', noun: 'plugin', id: name })
      return require(name).shown
    },
    async confirm(caller, name, hash) {
      scan()
      const { shown, files } = require(name)
      if (shown.status === 'broken')
        throw new AppError(
          'conflict',
          say('The plug-in "{{name}}" can\'t be used: {{rest}}', { name, rest: String(shown.problem) }),
        )
      if (shown.hash !== hash) {
        throw new AppError(
          'conflict',
          say('The files of the plug-in "{{name}}" have changed since they were shown; look at it again', {
            name,
          }),
        )
      }
      await store.write(() =>
        store.plugins.put({
          name,
          hash,
          files: packFiles(files),
          confirmed_by: caller.userId,
          confirmed_at: new Date(clock.now()).toISOString(),
        }),
      )
      scan()
      events.emit({ type: 'updated', noun: 'plugin', id: name })
      return require(name).shown
    },
    async remove(name) {
      scan()
      require(name)
      await store.write(() => store.plugins.delete(name))
      await removeFolder(join(folder, name))
      scan()
      events.emit({ type: 'deleted', noun: 'plugin', id: name })
    },
    find: (name) => loaded.get(name) ?? null,
  }
}

/** Folders of other names can't be plug-ins. */
function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && pluginName.safeParse(entry.name).success)
    .map(({ name }) => name)
    .toSorted()
}

interface Confirmation {
  readonly hash: string
  readonly confirmed_by: string
  readonly confirmed_at: string
}

function load(name: string, path: string, confirmed: Confirmation | null): Loaded {
  const { files, failure } = filesIn(path)
  const { manifest, problem } = failure === null ? readManifest(files) : { manifest: null, problem: failure }
  const misnamed =
    manifest !== null && manifest.name !== name ? `its manifest names it "${manifest.name}"` : problem
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
    shown: {
      name,
      status,
      problem: misnamed,
      hash,
      confirmed_hash: confirmed?.hash ?? null,
      confirmed_by: confirmed?.confirmed_by ?? null,
      confirmed_at: confirmed?.confirmed_at ?? null,
      manifest,
      readme: files.get('README.md')?.toString().slice(0, MOST_README) ?? '',
      files: [...files].map(([at, content]) => ({ path: at, size: content.length })),
    },
  }
}

function filesIn(path: string): { readonly files: PluginFiles; readonly failure: string | null } {
  try {
    return { files: readPluginFolder(path), failure: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { files: new Map(), failure: error.message }
  }
}

const MOST_ARCHIVE_BYTES = 10_000_000
const MOST_README = 100_000
