import { say } from '../../../../shared/contract/base/message.ts'
import { lstat, readdir } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FolderFile, ListOptions } from '../../../engine/flow/model/ports.ts'

/**
 * The files of a folder whose names match, without links and the incomplete files of browsers and editors.
 *
 * @param shown the folder's name in messages
 */
export async function listFiles(
  folder: string,
  shown: string,
  { pattern, subfolders }: ListOptions,
): Promise<readonly FolderFile[]> {
  const names: string[] = []
  const open: { readonly path: string; readonly below: string; readonly depth: number }[] = [
    { path: folder, below: '', depth: 0 },
  ]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { path, below, depth } = at
    for (const entry of await entriesOf(path, depth === 0 ? shown : path)) {
      const name = `${below}${entry.name}`
      if (entry.name.startsWith('.') || INCOMPLETE.test(entry.name)) continue
      if (entry.isDirectory()) {
        if (subfolders && depth < DEEPEST)
          open.push({ path: join(path, entry.name), below: `${name}/`, depth: depth + 1 })
      } else if (
        entry.isFile() &&
        (matchesGlob(name, pattern) || (subfolders && matchesGlob(entry.name, pattern)))
      ) {
        names.push(name)
        if (names.length > MOST_FILES) throw tooMany(shown)
      }
    }
  }
  const files: (FolderFile | null)[] = []
  for (let at = 0; at < names.length; at += AT_ONCE)
    files.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => fileAt(folder, name)))))
  return files.filter((file) => file !== null)
}

async function entriesOf(path: string, shown: string) {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    throw new AppError(
      'unavailable',
      say('The folder "{{folder}}" can\'t be read ({{reason}})', {
        folder: shown.slice(0, 300),
        reason: code,
      }),
      {
        cause,
      },
    )
  }
}

/** Null if the file has been deleted in the meantime. */
async function fileAt(folder: string, name: string): Promise<FolderFile | null> {
  const path = join(folder, ...name.split('/'))
  const found = await lstat(path).catch(() => null)
  if (found === null || !found.isFile()) return null
  return {
    path,
    name,
    size: found.size,
    modifiedAt: Math.trunc(found.mtimeMs),
    touchedAt: Math.trunc(found.ctimeMs),
  }
}

function tooMany(shown: string): AppError {
  return new AppError(
    'too_large',
    say(
      'The folder "{{folder}}" has more than {{limit}} such files; narrow the pattern, or move files that are done',
      { folder: shown.slice(0, 300), limit: MOST_FILES },
    ),
  )
}

const INCOMPLETE = /^~\$|\.(?:part|partial|tmp|crdownload|download)$/i
const MOST_FILES = 20_000
const DEEPEST = 20
const AT_ONCE = 64
