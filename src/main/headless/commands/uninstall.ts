import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { readShim, removeShim, shimPath } from '../../host/machine/command-shim.ts'
import { locationFile } from '../../host/folder/data-location.ts'
import { defaultFolders } from '../../host/folder/default-folders.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import { loginEntryPath, LOGIN_ITEM, removeLoginEntry } from '../../host/machine/login-entry.ts'
import { removeEmptyFolder, removeFile, removeFolder, removeOwnEntries } from '../../store/index.ts'
import type { CommandContext } from '../support/command-context.ts'
import { confirm } from '../support/confirm.ts'
import { stopRunning } from './stop.ts'

/**
 * Removes the files and entries that Millrace has created outside its program folder. Users remove the program itself
 * in the way in which they installed it.
 */
export async function uninstall(
  { config, output }: CommandContext,
  { data = false, yes = false }: { readonly data?: boolean; readonly yes?: boolean },
): Promise<ExitCode> {
  const { dataDir, keyFile } = config
  if (!yes) {
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      throw new HostError(
        EXIT.usage,
        data
          ? `--data deletes everything in ${dataDir}; add --yes if that is intended`
          : 'uninstall stops Millrace and removes its caches, command and login item; add --yes if that is intended',
      )
    const question = data
      ? `Delete all flows, runs and credentials in ${dataDir}?`
      : 'Stop Millrace, and remove its caches, command and login item?'
    if (!(await confirm(question))) {
      output.note('Nothing was removed.')
      return EXIT.failed
    }
  }
  await stopRunning(config, output)

  const folders = defaultFolders(process.platform, process.env, homedir())
  const removed: string[] = []
  const left: string[] = []
  async function remove(path: string, work: () => unknown): Promise<void> {
    if (!existsSync(path)) return
    try {
      await work()
      removed.push(path)
    } catch (error) {
      left.push(`${path} (${(error as Error).message})`)
    }
  }

  const loginEntry = loginEntryPath(process.env, homedir())
  await remove(loginEntry, () => removeLoginEntry(loginEntry))
  if (process.platform === 'win32') removeLoginItem()
  const shim = shimPath(process.platform, process.env, homedir())
  // Another program's file with this name stays.
  if (readShim(shim, process.env).state === 'installed') await remove(shim, () => removeShim(shim))
  for (const folder of [folders.cache, folders.desktop]) await remove(folder, () => removeFolder(folder))
  if (data) {
    const location = locationFile(folders)
    await remove(dataDir, () => removeOwnEntries(dataDir))
    await remove(keyFile, () => removeFile(keyFile))
    await remove(location, () => removeFile(location))
    await removeEmptyFolder(folders.config)
  }

  const kept = data ? null : dataDir
  output.answer(
    { removed, left, data_dir: kept },
    [
      removed.length === 0 ? 'There was nothing to remove.' : `Removed:\n${removed.join('\n')}`,
      ...(left.length === 0 ? [] : [`Couldn't remove:\n${left.join('\n')}`]),
      ...(kept === null
        ? []
        : [`Your flows are still in ${kept}; "millrace uninstall --data" deletes them.`]),
      process.versions['electron'] === undefined
        ? 'Now remove the program: npm uninstall --global millrace'
        : 'Now remove the app the way you installed it.',
    ].join('\n'),
  )
  return left.length === 0 ? EXIT.ok : EXIT.failed
}

/** Removes the login item from where Electron writes it. On macOS, it is removed with the app. */
function removeLoginItem(): void {
  const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`
  try {
    execFileSync('reg', ['delete', key, '/v', LOGIN_ITEM, '/f'], { stdio: 'ignore' })
  } catch {
    // There is no login item.
  }
}
