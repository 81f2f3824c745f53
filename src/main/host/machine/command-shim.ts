/** The `millrace` command of the desktop app: a script in a folder of the user's PATH that starts the app's program. */
import type { DesktopSettings } from '../../../shared/desktop/settings.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { makeFolder, moveFileSync, removeFileSync } from '../../store/index.ts'

export interface CommandShim {
  /** The path of the script, even if it doesn't exist. */
  readonly path: string
  readonly state: DesktopSettings['command']['state']
  /** Whether a shell finds it by its name. */
  readonly onPath: boolean
}

/** Marks the script as ours; others are never overwritten or deleted. */
const MARK = 'Written by Millrace, which also removes it: Settings, Desktop app'

/** The path of the script. Its folder is usually on the PATH, and users can write there without special permissions. */
export function shimPath(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv, home: string): string {
  if (platform !== 'win32') return join(home, '.local', 'bin', 'millrace')
  const local = environment.LOCALAPPDATA || join(home, 'AppData', 'Local')
  return join(local, 'Microsoft', 'WindowsApps', 'millrace.cmd')
}

export function readShim(path: string, environment: NodeJS.ProcessEnv): CommandShim {
  const text = read(path)
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter)
  return {
    path,
    state: text === null ? 'absent' : text.includes(MARK) ? 'installed' : 'foreign',
    onPath: folders.includes(dirname(path)),
  }
}

/** @throws Error if another program's file is there, or the folder can't be written */
export function installShim(path: string, command: readonly string[], platform: NodeJS.Platform): void {
  refuseForeign(path)
  makeFolder(dirname(path))
  writeFileSync(`${path}.new`, scriptOf(command, platform), { mode: 0o755 })
  moveFileSync(`${path}.new`, path)
}

/** @throws Error if another program's file is there */
export function removeShim(path: string): void {
  refuseForeign(path)
  removeFileSync(path)
}

function refuseForeign(path: string): void {
  if (!(read(path)?.includes(MARK) ?? true))
    throw new Error(`${path} belongs to another program; rename it first`)
}

function scriptOf(command: readonly string[], platform: NodeJS.Platform): string {
  // A percent sign would begin a variable.
  if (platform === 'win32')
    return `@echo off\r\nrem ${MARK}\r\n${command.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ')} %*\r\n`
  return `#!/bin/sh\n# ${MARK}\nexec ${command.map(quoted).join(' ')} "$@"\n`
}

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
