/**
 * Reads a plug-in's files into memory, so that exactly the hashed files run, whatever happens to the folder afterwards.
 */
import { type Said, say } from '../../../../shared/contract/base/message.ts'
import { hash } from 'node:crypto'
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { nameProblem } from '../step-ports/portable-names.ts'

/** Keyed by path below the folder, with `/` between its parts. */
export type PluginFiles = ReadonlyMap<string, Buffer>

/**
 * Reads a folder. Names that begin with a dot, such as `.git`, and `node_modules` are left out.
 *
 * @throws AppError `validation` or `too_large` saying what isn't allowed
 */
export function readPluginFolder(folder: string): PluginFiles {
  const files = new CollectedFiles()
  const readBelow = (path: string, depth: number) => {
    for (const entry of entriesOf(join(folder, path))) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`
      if (isLeftOut(at)) continue
      if (entry.isDirectory() && depth < MOST_DEPTH) readBelow(at, depth + 1)
      else if (entry.isFile()) {
        const { size } = lstatSync(join(folder, at))
        files.admit(at, size)
        files.add(at, readFileSync(join(folder, at)))
      } else throw refused(at, entry.isDirectory() ? TOO_DEEP : say('is a link or not a file'))
    }
  }
  readBelow('', 1)
  return files.sorted()
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError(
      'validation',
      say('The folder "{{folder}}" can\'t be read ({{reason}})', { folder, reason: code ?? 'unknown error' }),
      {
        cause: error,
      },
    )
  }
}

/**
 * Reads a `.tar` or `.tar.gz` archive. If everything in it is in one folder, that is the plug-in.
 *
 * @throws AppError `validation` or `too_large` saying what isn't allowed
 */
export function readPluginArchive(content: Buffer): PluginFiles {
  const files = new CollectedFiles()
  for (const { path, content: bytes } of entriesOfTar(unzipped(content))) {
    files.admit(path, bytes.length)
    files.add(path, bytes)
  }
  const all = files.sorted()
  const [top] = [...all.keys()].map((path) => path.split('/')[0])
  const isWrapped = !all.has('manifest.json') && [...all.keys()].every((path) => path.startsWith(`${top}/`))
  const named = isWrapped
    ? [...all].map(([path, bytes]) => [path.slice((top ?? '').length + 1), bytes] as const)
    : [...all]
  return new Map(named.filter(([path]) => !isLeftOut(path)))
}

function unzipped(content: Buffer): Buffer {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content
  try {
    return gunzipSync(content, { maxOutputLength: 2 * MOST_BYTES })
  } catch (error) {
    throw new AppError(
      'validation',
      say("The archive can't be unpacked, or is larger than {{most}} bytes", { most: 2 * MOST_BYTES }),
      {
        cause: error,
      },
    )
  }
}

/**
 * The files of an archive in ustar format, which every tar uses for short names. Refuses anything but files and
 * folders.
 */
function entriesOfTar(tar: Buffer): { readonly path: string; readonly content: Buffer }[] {
  const entries: { path: string; content: Buffer }[] = []
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + BLOCK)
    const text = (from: number, length: number) =>
      header.toString('utf8', from, from + length).split('\0')[0] ?? ''
    const size = Number.parseInt(text(124, 12).trim() || '0', 8)
    const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
    const path = (prefix === '' ? '' : `${prefix}/`) + text(0, 100)
    const type = text(156, 1)
    const end = at + BLOCK + size
    if (!Number.isSafeInteger(size) || size < 0 || end > tar.length) throw refused(path, say('is incomplete'))
    if (type === '' || type === '0') {
      entries.push({ path: path.replace(/^\.\//, ''), content: tar.subarray(at + BLOCK, end) })
    } else if (!SKIPPED_ENTRIES.has(type) || renames(type, tar.subarray(at + BLOCK, end))) {
      throw refused(
        path,
        say('is a link, has a very long name or is not a file; pack it with short names, as ustar'),
      )
    }
    at = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return entries
}

/** A pax header can hold the path of the file after it, whose own name is then truncated. */
const renames = (type: string, content: Buffer) => type === 'x' && content.includes(' path=')

const BLOCK = 512
/** Folders, and headers in which git and pax describe the archive or a file. */
const SKIPPED_ENTRIES: ReadonlySet<string> = new Set(['5', 'g', 'x'])

class CollectedFiles {
  readonly #files = new Map<string, Buffer>()
  #bytes = 0

  /** @throws AppError if a plug-in can't have this file */
  admit(path: string, size: number): void {
    const parts = path.split('/')
    const problem = parts
      .map((part) =>
        part === '' || part === '..' ? say("is outside the plug-in's folder") : nameProblem(part),
      )
      .find(Boolean)
    if (problem) throw refused(path, problem)
    if (parts.length > MOST_DEPTH) throw refused(path, TOO_DEEP)
    this.#bytes += size
    if (this.#bytes > MOST_BYTES || this.#files.size >= MOST_FILES) {
      throw new AppError(
        'too_large',
        say("A plug-in can have at most {{files}} files and {{most}} bytes; remove what it doesn't need", {
          files: MOST_FILES,
          most: MOST_BYTES,
        }),
      )
    }
    const twin = [...this.#files.keys()].find((other) => other.toLowerCase() === path.toLowerCase())
    if (twin !== undefined)
      throw refused(path, say('appears twice, or is the same as "{{twin}}" on some systems', { twin }))
  }

  add(path: string, content: Buffer): void {
    this.#files.set(path, content)
  }

  sorted(): PluginFiles {
    return new Map([...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const TOO_DEEP = say('is nested too deeply')

const isLeftOut = (path: string) =>
  path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')

function refused(path: string, problem: Said): AppError {
  return new AppError(
    'validation',
    say('The file "{{path}}" of the plug-in {{rest}}', { path: path.slice(0, 200), rest: problem }),
  )
}

/** Hashes names, sizes and contents, in the order of the names. */
export function hashOf(files: PluginFiles): string {
  const list = [...files].map(([path, content]) => [path, hash('sha256', content)])
  return hash('sha256', JSON.stringify(list))
}

export function packFiles(files: PluginFiles): Buffer {
  return gzipSync(JSON.stringify([...files].map(([path, content]) => [path, content.toString('base64')])))
}

export function unpackFiles(packed: Uint8Array): PluginFiles {
  const list = JSON.parse(gunzipSync(packed).toString()) as [path: string, content: string][]
  return new Map(list.map(([path, content]) => [path, Buffer.from(content, 'base64')]))
}

/** Writes the files into a folder that doesn't exist yet. */
export function writePluginFolder(folder: string, files: PluginFiles): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, path), content, { mode: 0o600, flag: 'wx' })
  }
}

const MOST_BYTES = 5_000_000
const MOST_FILES = 200
const MOST_DEPTH = 6
