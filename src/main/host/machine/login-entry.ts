/** Starts the app at login on Linux with a file that every desktop reads (the XDG autostart specification). */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { makeFolder, moveFileSync, removeFileSync } from '../../store/index.ts'

/** The name of the login item in the Windows registry, by which the uninstaller finds it. */
export const LOGIN_ITEM = 'Millrace'

export function loginEntryPath(environment: NodeJS.ProcessEnv, home: string): string {
  const { XDG_CONFIG_HOME: given } = environment
  const config = given && isAbsolute(given) ? given : join(home, '.config')
  return join(config, 'autostart', 'millrace.desktop')
}

export const hasLoginEntry = (path: string): boolean => existsSync(path)

export function writeLoginEntry(path: string, command: readonly string[]): void {
  makeFolder(dirname(path))
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Millrace',
    `Exec=${command.map(quoted).join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ]
  writeFileSync(`${path}.new`, lines.join('\n'))
  moveFileSync(`${path}.new`, path)
}

export function removeLoginEntry(path: string): void {
  removeFileSync(path)
}

/** Quotes a word twice, as the specification of desktop entries requires: for the command, then for the file. */
function quoted(word: string): string {
  const inQuotes = word.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')
  return `"${inQuotes.replaceAll('\\', String.raw`\\`)}"`
}
