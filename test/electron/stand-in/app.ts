import { statSync } from 'node:fs'
import { Emitter, later, must, onlyOptions, options, report, state, strict } from './base.ts'
import { windows } from './window.ts'

const paths = new Map<string, string>()
let isLocked = false

class App extends Emitter {
  readonly isPackaged = options.isPackaged ?? false
  readonly name = 'Millrace'
  readonly dock = undefined

  readonly commandLine = { hasSwitch: (name: string) => process.argv.includes(`--${name}`) }

  setPath(name: string, path: string): void {
    must(!isLocked, 'the lock of the instance lies in the folder: app.setPath() comes before it')
    must(statSync(path, { throwIfNoEntry: false })?.isDirectory(), `app.setPath() throws: no ${path}`)
    paths.set(name, path)
    report('app.setPath', name, path)
  }
  getPath(name: string): string {
    const path = paths.get(name)
    must(path, `app.getPath("${name}") was not set`)
    return path
  }
  setAppUserModelId(id: string): void {
    must(!state.isReady, 'app.setAppUserModelId() comes before any window')
    report('app.setAppUserModelId', id)
  }
  setAsDefaultProtocolClient(scheme: string): boolean {
    report('app.setAsDefaultProtocolClient', scheme)
    return true
  }
  getLoginItemSettings(): { openAtLogin: boolean } {
    must(process.platform !== 'linux', 'Electron knows no login items on Linux')
    return { openAtLogin: false }
  }
  setLoginItemSettings(given: object): void {
    must(process.platform !== 'linux', 'Electron knows no login items on Linux')
    onlyOptions(given, 'Settings')
    report('app.setLoginItemSettings', given)
  }
  getVersion(): string {
    return '0.1.0'
  }
  getName(): string {
    return this.name
  }
  getLocale(): string {
    return options.locale ?? 'en-US'
  }
  getAppPath(): string {
    return process.cwd()
  }
  releaseSingleInstanceLock(): void {
    isLocked = false
    report('app.releaseSingleInstanceLock')
  }
  requestSingleInstanceLock(): boolean {
    isLocked = true
    return options.isFirstInstance ?? true
  }
  whenReady(): Promise<void> {
    if (options.firstLink !== undefined) this.ask('open-url', {}, options.firstLink)
    return later(() => {
      state.isReady = true
    })
  }
  relaunch(given: { readonly args?: readonly string[] } = {}): void {
    onlyOptions(given, 'RelaunchOptions')
    // The link that started the app comes as an event of this process, and only this process is the login item.
    must(state.isReady, 'app.relaunch() at the start loses the link and the login item')
    const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
    must(
      !APPIMAGE && !PORTABLE_EXECUTABLE_FILE,
      'app.relaunch() starts its helper from the folder that goes away with this process',
    )
    must(
      (given.args ?? []).every((arg) => typeof arg === 'string'),
      'app.relaunch() takes texts as arguments',
    )
    report('app.relaunch', given.args)
  }
  /** Works like the real one: the windows are closed first, and each of them can refuse. */
  quit(): void {
    report('app.quit')
    if (this.ask('before-quit')) return
    for (const window of windows) if (!window.closeByUser()) return
    if (this.ask('will-quit')) return
    process.exit(0)
  }
  exit(code: number): void {
    must(Number.isInteger(code), 'app.exit() takes a whole number')
    process.exit(code)
  }
}

export const theApp = new App('App')
export const app = strict('app', 'App', theApp)

/** Called when the user closes the last window. */
export function closeWindow(): void {
  for (const window of windows) window.closeByUser()
  if (windows.size === 0) theApp.emit('window-all-closed')
}
