/** The settings of the desktop app itself. */
import { homedir } from 'node:os'
import { app, session } from 'electron'
import { desktopChange, type DesktopSettings } from '../../shared/desktop/settings.ts'
import type { Config } from '../host/config.ts'
import { installShim, readShim, removeShim, shimPath } from '../host/machine/command-shim.ts'
import {
  hasLoginEntry,
  LOGIN_ITEM,
  loginEntryPath,
  removeLoginEntry,
  writeLoginEntry,
} from '../host/machine/login-entry.ts'
import { readKeyFile, SealedKey } from '../host/key/master-key.ts'
import { IN_APP, JS_FLAGS } from '../host/machine/process-flags.ts'
import type { PreferencesFile } from './preferences.ts'
import { outerProgram } from './relaunch.ts'
import type { Updates } from './updates.ts'

export interface DesktopSettingsHost {
  readonly preferences: PreferencesFile
  readonly config: Pick<Config, 'dataDir' | 'dataDirIsGiven' | 'keyFile' | 'masterKey'>
  readonly hasKeychain: boolean
  readonly hasTray: () => boolean
  readonly updates: Updates
}

export function createDesktopSettings(host: DesktopSettingsHost) {
  const { preferences, config, hasKeychain, hasTray, updates } = host
  const shim = shimPath(process.platform, process.env, homedir())

  function read(): DesktopSettings {
    const { state, path, onPath } = readShim(shim, process.env)
    return {
      keep_running: hasTray() ? preferences.current().keep_running : false,
      has_tray: hasTray(),
      start_at_login: startsAtLogin(),
      spell_check: checksSpelling(preferences),
      downloads_dictionaries: process.platform !== 'darwin',
      command: { path, state, on_path: onPath },
      check_updates: preferences.current().check_updates,
      update: updates.state(),
      key: {
        place: config.masterKey !== null ? 'environment' : hasKeychain ? 'keychain' : 'file',
        path: config.keyFile,
        is_protected: isSealed(config.keyFile),
      },
      data_folder: { path: config.dataDir, is_given: config.dataDirIsGiven },
    }
  }

  return {
    read,
    /** @throws Error if the change is malformed, or the system rejects it */
    change(given: unknown): DesktopSettings {
      const { keep_running, start_at_login, spell_check, check_updates, update, command } =
        desktopChange.parse(given)
      if (keep_running !== undefined) preferences.set({ keep_running })
      if (spell_check !== undefined) {
        preferences.set({ spell_check })
        applySpelling(preferences)
      }
      if (check_updates !== undefined) {
        preferences.set({ check_updates })
        updates.changed()
      }
      if (update !== undefined) void updates[update]()
      if (start_at_login !== undefined) setStartAtLogin(start_at_login)
      if (command === true) installCommand(shim)
      if (command === false) removeShim(shim)
      return read()
    },
  }
}

function installCommand(shim: string): void {
  installShim(shim, [...ownCommand(), JS_FLAGS, IN_APP], process.platform)
}

/** After an update to a different path, updates everything that starts the program. */
export function followProgram(path: string): void {
  process.env.APPIMAGE = path
  const shim = shimPath(process.platform, process.env, homedir())
  if (readShim(shim, process.env).state === 'installed') installCommand(shim)
  if (startsAtLogin()) setStartAtLogin(true)
}

function isSealed(keyFile: string): boolean {
  try {
    return readKeyFile(keyFile) instanceof SealedKey
  } catch {
    return false
  }
}

/** By default, spelling is only checked on systems where no dictionary has to be downloaded first. */
function checksSpelling(preferences: PreferencesFile): boolean {
  return preferences.current().spell_check ?? process.platform === 'darwin'
}

export function applySpelling(preferences: PreferencesFile): void {
  session.defaultSession.setSpellCheckerEnabled(checksSpelling(preferences))
}

const HIDDEN = '--hidden'

function startsAtLogin(): boolean {
  if (process.platform === 'linux') return hasLoginEntry(loginEntryPath(process.env, homedir()))
  const [path] = ownCommand()
  return app.getLoginItemSettings({ path: path, args: [HIDDEN] }).openAtLogin
}

function setStartAtLogin(isOn: boolean): void {
  const [path, ...args] = [...ownCommand(), HIDDEN]
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isOn, path: path, args, name: LOGIN_ITEM })
    return
  }
  const entry = loginEntryPath(process.env, homedir())
  if (isOn) writeLoginEntry(entry, [path, JS_FLAGS, ...args])
  else removeLoginEntry(entry)
}

/** macOS reports this instead of passing an argument. */
export function isStartedByLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
}

/** The command with which the system starts this program again. */
function ownCommand(): readonly [string, ...string[]] {
  const program = outerProgram() ?? process.execPath
  return app.isPackaged ? [program] : [program, app.getAppPath()]
}
