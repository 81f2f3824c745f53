/** Files that flows can read and write: only those in the folders that the settings allow. */
import { type Said, say } from '../../../../shared/contract/base/message.ts'
import { databaseFiles } from '../../../store/index.ts'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FolderPort } from '../../../engine/flow/model/ports.ts'
import type { ClosedPlaces } from '../../keeping/files/closed-places.ts'
import { listFiles } from './list-files.ts'
import { nameProblem, twinOf } from './portable-names.ts'

export interface FoldersOptions {
  /** Absolute paths. */
  readonly folders: () => readonly string[]
  /** Never readable or writable, whatever the settings allow. */
  readonly closedPlaces: ClosedPlaces
}

export interface Folders extends FolderPort {
  /** The real path of a file that is written; its folder is created. */
  admitFile(path: string): Promise<string>
  /** The real path of a SQLite file, whether or not it exists. */
  admitDatabase(path: string): Promise<string>
  /** The real path of an existing folder. */
  admitFolder(path: string): Promise<string>
}

export function createFolders({ folders, closedPlaces }: FoldersOptions): Folders {
  /** The path with links resolved, in an allowed folder. The file itself may not exist. */
  async function admit(path: string): Promise<string> {
    const allowed = folders()
    const [first] = allowed
    if (first === undefined) {
      throw new AppError(
        'forbidden',
        say(
          '"{{path}}" isn\'t allowed: no folders are allowed yet. Add one under Settings, Allowed folders',
          { path },
        ),
      )
    }
    const wanted = isAbsolute(path) ? resolve(path) : resolve(first, path)
    const lexical = allowed.find((folder) => isInside(resolve(folder), wanted))
    if (lexical === undefined) throw outside(path, allowed)
    await requirePortable(path, resolve(lexical), wanted)
    // Links are resolved before the check, because one inside the folder can point out of it.
    const parent = await nearestReal(dirname(wanted))
    const real = join(parent, basename(wanted))
    const roots = await Promise.all(allowed.map((folder) => realpath(folder).catch(() => null)))
    if (!roots.some((root) => root !== null && isInside(root, real))) throw outside(path, allowed)
    const closed = closedPlaces.closedBy(real)
    if (closed !== null)
      throw new AppError(
        'forbidden',
        say('"{{path}}" is in {{closed}}, which flows can\'t use', { path, closed }),
      )
    return real
  }

  async function admitFolderOf(path: string): Promise<string> {
    const real = await admit(path)
    await mkdir(dirname(real), { recursive: true }).catch((error: unknown) => {
      throw refused(path, error)
    })
    // A link could have been created in the meantime, so the path is checked again.
    if ((await admit(path)) !== real) throw outside(path, folders())
    return real
  }

  async function admitFolder(path: string): Promise<string> {
    const wanted = resolve(folders()[0] ?? '/', path)
    const root = folders().find((folder) => resolve(folder) === wanted)
    // An allowed folder itself isn't inside an allowed folder.
    const real = root === undefined ? await admit(path) : await nearestReal(wanted)
    const closed = closedPlaces.closedBy(real)
    if (closed !== null)
      throw new AppError(
        'forbidden',
        say('"{{path}}" is in {{closed}}, which flows can\'t use', { path, closed }),
      )
    const found = await lstat(real).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noFolder(path) : refused(path, error)
    })
    if (!found.isDirectory()) throw noFolder(path)
    return real
  }

  return {
    admitFolder,
    async list(path, options) {
      return listFiles(await admitFolder(path), path, options)
    },
    async admitDatabase(path) {
      const real = await admit(path)
      // SQLite opens these files next to the database, and would follow links.
      for (const part of databaseFiles(real)) {
        const found = await lstat(part).catch(() => null)
        if (found !== null && !found.isFile()) throw refused(path, linkError(part))
      }
      return real
    },
    async admitFile(path) {
      const real = await admitFolderOf(path)
      const found = await lstat(real).catch(() => null)
      if (found !== null && !found.isFile()) throw refused(path, linkError(real))
      return real
    },
    async read(path) {
      const file = await openFile(await admit(path), path, constants.O_RDONLY)
      try {
        const info = await file.stat()
        if (!info.isFile()) throw new AppError('validation', say('"{{path}}" isn\'t a file', { path }))
        if (info.size > MOST_BYTES) throw tooLarge(path, info.size)
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
    async write(path, content, { append }) {
      if (content.byteLength > MOST_BYTES) throw tooLarge(path, content.byteLength)
      const real = await admitFolderOf(path)
      const flags = constants.O_WRONLY | constants.O_CREAT | (append ? constants.O_APPEND : constants.O_TRUNC)
      const file = await openFile(real, path, flags)
      try {
        await file.writeFile(content)
        await file.sync()
        return { path: real, size: (await file.stat()).size }
      } catch (error) {
        throw refused(path, error)
      } finally {
        await file.close()
      }
    },
  }
}

function noFolder(path: string): AppError {
  return new AppError(
    'not_found',
    say('There is no folder "{{path}}"; create it, or correct the path', { path: shorten(path) }),
  )
}

/** @throws AppError if a name below the folder means something else on another system */
async function requirePortable(path: string, folder: string, wanted: string): Promise<void> {
  let at = folder
  for (const name of relative(folder, wanted).split(sep)) {
    const problem = nameProblem(name) ?? twinProblem(name, await readdir(at).catch(() => []))
    if (problem !== null) {
      throw new AppError(
        'validation',
        say('"{{path}}" cannot be used: the name {{name}} {{problem}}; choose another name', {
          path: shorten(path),
          name: JSON.stringify(name),
          problem,
        }),
      )
    }
    at = join(at, name)
  }
}

function twinProblem(name: string, names: readonly string[]): Said | null {
  const twin = twinOf(name, names)
  return twin === null ? null : say('is the same file as "{{twin}}" on Windows and macOS', { twin })
}

/** A link in place of the file isn't followed, and a pipe isn't waited for. */
async function openFile(real: string, path: string, flags: number): Promise<FileHandle> {
  try {
    // Windows has no `O_NOFOLLOW`.
    const isLink = await lstat(real).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw linkError(real)
    return await open(real, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600)
  } catch (error) {
    throw refused(path, error)
  }
}

function linkError(path: string): Error {
  return Object.assign(new Error(`ELOOP: ${path} is a link`), { code: 'ELOOP', syscall: 'open' })
}

/** The folder with links resolved, as far as it exists. */
async function nearestReal(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch (error) {
    const above = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw refused(folder, error)
    return join(await nearestReal(above), basename(folder))
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside(path: string, allowed: readonly string[]): AppError {
  const names = allowed.map((folder) => `"${folder}"`).join(', ')
  return new AppError(
    'forbidden',
    say(
      '"{{path}}" is outside of the folders that flows can use ({{names}}); choose a path in one of them, or allow another folder under Settings, Allowed folders',
      { path, names },
    ),
  )
}

function tooLarge(path: string, bytes: number): AppError {
  return new AppError(
    'too_large',
    say('"{{path}}" has {{bytes}} bytes; the limit for a step is {{limit}}', {
      path,
      bytes,
      limit: MOST_BYTES,
    }),
  )
}

const REASONS: Readonly<
  Record<string, readonly ['not_found' | 'forbidden' | 'validation' | 'unavailable', Said]>
> = {
  ENOENT: ['not_found', say("the file doesn't exist; check the path")],
  EACCES: ['forbidden', say('permission denied; change the permissions of the file')],
  EPERM: ['forbidden', say('permission denied; change the permissions of the file')],
  EISDIR: ['validation', say('it is a folder; choose a file in it')],
  ENOTDIR: ['validation', say('a part of the path is a file, not a folder')],
  ELOOP: ['forbidden', say('it is a link; use the path of the file it points to')],
  EEXIST: ['validation', say('a part of the path is a file, not a folder')],
  ENXIO: ['validation', say("it isn't a file")],
  ENAMETOOLONG: [
    'validation',
    say('the path or a name in it is too long for this disk; choose a shorter one'),
  ],
  EDQUOT: ['unavailable', say("the user's disk quota is used up")],
  ENOSPC: ['unavailable', say('the disk is full')],
  EROFS: ['forbidden', say('the disk is read-only')],
}

function refused(path: string, error: unknown): unknown {
  const { code: name = '', syscall } = error as NodeJS.ErrnoException
  // If the system rejects the path, that is the user's error, not a bug.
  if (syscall === undefined) return error
  const [code, reason] = REASONS[name] ?? [
    'unavailable',
    say('the system refuses it ({{code}})', { code: name }),
  ]
  return new AppError(code, say('"{{path}}" cannot be used: {{reason}}', { path: shorten(path), reason }), {
    cause: error,
  })
}

const shorten = (path: string) => (path.length > 300 ? `${path.slice(0, 300)}…` : path)

const MOST_BYTES = 10_000_000
