import { say, sentenceOf, type Said } from '../../../../shared/contract/base/message.ts'
import { got } from '../../../../shared/contract/base/validate.ts'
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { z } from 'zod'
import type {
  Backup,
  DataFolder,
  restoreBackupRoute,
  writeBackupRoute,
} from '../../../../shared/contract/data-folder.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { type ClosedPlaces, isWithin } from '../../keeping/files/closed-places.ts'
import type { KeysService } from './keys.ts'

export interface DataFolderOptions {
  readonly store: Pick<Store, 'dataDir' | 'backups' | 'maintenance' | 'secretBox'>
  readonly keys: KeysService
  readonly clock: Pick<Clock, 'now'>
  readonly closedPlaces: ClosedPlaces
  /** Stops the program, restores the file and restarts; absent if the host can't. */
  readonly restore?: RestoreHost | undefined
}

export type RestoreHost = (path: string, passphrase: string | null) => void

export type DataFolderService = ReturnType<typeof createDataFolderService>

export function createDataFolderService(options: DataFolderOptions) {
  const { store, keys: dataKeys, clock, closedPlaces, restore } = options

  function secrets(): DataFolder['secrets'] {
    const { locked, hasUnreadable } = store.secretBox
    if (locked) return 'locked'
    return hasUnreadable ? 'needs_key' : 'readable'
  }

  async function sizes() {
    const { bytes, freeBytes } = store.maintenance.size()
    return {
      database_bytes: bytes,
      free_bytes: freeBytes,
      files_bytes: await bytesBeside(store.dataDir),
      backups_bytes: store.backups.list().reduce((sum, each) => sum + each.bytes, 0),
    }
  }

  return {
    sizes,
    async read(): Promise<DataFolder> {
      const [measured, { bavail, bsize }] = await Promise.all([sizes(), statfs(store.dataDir)])
      return {
        path: store.dataDir,
        ...measured,
        disk_free_bytes: bavail * bsize,
        backups: [...store.backups.list()],
        backup_path: freePlace(homedir(), new Date(clock.now())),
        secrets: secrets(),
      }
    },
    /**
     * @param overwrite replaces an existing file of that name
     * @throws AppError `validation` if no backup can be written at the path, `conflict` if writing fails
     */
    async backUp({ path, overwrite, passphrase }: z.output<typeof writeBackupRoute.body>): Promise<Backup> {
      const problem = placeOrSystemProblem(path, { dataDir: store.dataDir, overwrite, closedPlaces })
      if (problem !== null) throw fieldErrors({ path: [problem] })
      try {
        await store.backups.writeTo(path, { overwrite, passphrase })
      } catch (cause) {
        const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
        throw new AppError('conflict', say("Can't write the backup to {{path}} ({{why}})", { path, why }), {
          cause,
        })
      }
      const created_at = new Date(clock.now()).toISOString()
      return { path, bytes: statSync(path).size, created_at, reason: 'asked' }
    },
    /**
     * Starts restoring a backup, which takes effect after Millrace has restarted.
     *
     * @throws AppError `validation` if the path isn't a file, `conflict` if it can't be restored, or if this host can't
     *   restore backups
     */
    async restore({ path, passphrase: sent }: z.output<typeof restoreBackupRoute.body>) {
      const passphrase = sent ?? null
      if (!isAbsolute(path) || path.includes('\0'))
        throw fieldErrors({ path: [got(say('must be an absolute path'), path)] })
      if (restore === undefined)
        throw new AppError(
          'conflict',
          say('Millrace can\'t restart itself here; run "millrace restore {{path}}"', { path }),
        )
      try {
        await store.backups.check(path, passphrase)
      } catch (cause) {
        throw new AppError('conflict', sentenceOf(cause as Error), { cause })
      }
      restore(path, passphrase)
      return { path }
    },
    exportKeys: () => ({
      keys: dataKeys.exportKeys().map((key) => Buffer.from(key).toString('hex')),
    }),
    /** @throws AppError `conflict` if this host has no master key to protect them */
    async importKeys(keys: readonly string[]): Promise<Pick<DataFolder, 'secrets'>> {
      const why = store.secretBox.lockedBecause
      if (why !== null) throw new AppError('conflict', say("Keys can't be stored here: {{why}}", { why }))
      await dataKeys.importKeys(keys.map((key) => Buffer.from(key, 'hex')))
      return { secrets: secrets() }
    },
  }
}

/** Size of the data folder's subfolders, except backups. A file deleted in the meantime counts as 0. */
async function bytesBeside(dataDir: string): Promise<number> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    // linear: anchored, and a name ends at the next separator
    .filter((path) => /^(?!backups)[^/\\]+[/\\]/.test(relative(dataDir, path)))
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A path that the system itself rejects (name too long, folder not readable) is the user's error, not a bug. */
function placeOrSystemProblem(...place: Parameters<typeof placeProblem>): Said | null {
  try {
    return placeProblem(...place)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    return say("can't be used ({{code}}); choose another file", { code: String(code) })
  }
}

interface PlaceRules extends Pick<DataFolderOptions, 'closedPlaces'> {
  readonly dataDir: string
  readonly overwrite: boolean
}

function placeProblem(path: string, { dataDir, overwrite, closedPlaces }: PlaceRules): Said | null {
  if (!isAbsolute(path) || path.includes('\0')) return got(say('must be an absolute path'), path)
  if (!existsSync(dirname(path)))
    return say("is in a folder that doesn't exist: {{path}}", { path: dirname(path) })
  // The system resolves the path, because after a link, `..` doesn't mean what the string suggests.
  if (isWithin(realpathSync.native(dirname(path)), dataDir))
    return say(
      'is inside the data folder, where a backup could overwrite its own source; choose a file outside of {{dataDir}}',
      { dataDir },
    )
  const existing = lstatSync(path, { throwIfNoEntry: false })
  if (existing === undefined) return null
  if (existing.isDirectory()) return say('is a folder; choose a file in it')
  // A backup must not overwrite the key file: without it, every stored secret is lost, including those in the backup.
  const closed = closedPlaces.closedBy(path)
  if (closed !== null)
    return say("is in {{closed}}, where backups can't be written; choose another file", { closed })
  if (!existing.isFile() && !existing.isSymbolicLink()) return say("isn't a regular file; choose another")
  return overwrite
    ? null
    : say('already exists; choose another file, or allow overwriting ("overwrite": true)')
}

/** An unused file name that contains the date. */
function freePlace(folder: string, now: Date): string {
  const name = join(folder, `millrace-${now.toISOString().slice(0, 10)}`)
  for (let copy = 1; ; copy++) {
    const path = `${name}${copy === 1 ? '' : `-${copy}`}.db`
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  }
}
