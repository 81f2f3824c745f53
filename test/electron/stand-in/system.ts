import type { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { Emitter, later, must, onlyOptions, options, pressed, report, state, strict } from './base.ts'

export const shell = strict('shell', 'Shell', {
  openExternal(url: string): Promise<void> {
    must(/^https?:/.test(url), `shell.openExternal("${url}") would start a program`)
    report('shell.openExternal', url)
    return later(() => {
      if (options.openFails) throw new Error('there is no browser')
    })
  },
  openPath(path: string): Promise<string> {
    must(typeof path === 'string', 'shell.openPath() takes a path')
    report('shell.openPath', path)
    return later(() => '')
  },
})

interface Question {
  readonly buttons: readonly string[]
  readonly cancelId: number
  readonly signal?: AbortSignal
}

function ask(question: Question): number {
  onlyOptions(question, 'MessageBoxOptions')
  must(question.buttons.length > 0, 'a question has buttons')
  report('ask', question.buttons, (question as { message?: string }).message)
  return pressed(question.cancelId)
}

/** What the user chooses in the file dialog; null cancels it. */
export const chosen: { path: string | null } = { path: null }

export const dialog = strict('dialog', 'Dialog', {
  showErrorBox(title: string, content: string) {
    must(typeof title === 'string' && typeof content === 'string', 'dialog.showErrorBox() takes two texts')
    report('dialog.showErrorBox', title, content)
  },
  showMessageBox(_window: object, question: Question): Promise<{ response: number }> {
    must(state.isReady, 'dialogs come once the app is ready')
    return later(() => ({ response: ask(question) }))
  },
  showOpenDialog(_window: object, given: object): Promise<{ canceled: boolean; filePaths: string[] }> {
    onlyOptions(given, 'OpenDialogOptions')
    return later(() => {
      const path = chosen.path
      return { canceled: path === null, filePaths: path === null ? [] : [path] }
    })
  },
  showMessageBoxSync: (_window: object, question: Question): number => ask(question),
})

const SEALED = 'keychain:'
export const safeStorage = strict('safeStorage', 'SafeStorage', {
  isAsyncEncryptionAvailable(): Promise<boolean> {
    must(state.isReady, 'safeStorage may be asked once the app is ready')
    return later(() => options.hasKeychain ?? true)
  },
  getSelectedStorageBackend(): string {
    must(process.platform === 'linux', 'getSelectedStorageBackend() is there on Linux alone')
    return state.isReady ? (options.keychain ?? 'gnome_libsecret') : 'unknown'
  },
  encryptStringAsync(text: string): Promise<Buffer> {
    must(state.isReady && options.hasKeychain !== false, 'encryptStringAsync() where there is no keychain')
    must(typeof text === 'string', 'safeStorage.encryptStringAsync() takes a text')
    return later(() => Buffer.from(SEALED + Buffer.from(text).toString('hex')))
  },
  decryptStringAsync(sealed: Buffer): Promise<{ shouldReEncrypt: boolean; result: string }> {
    must(state.isReady && options.hasKeychain !== false, 'decryptStringAsync() where there is no keychain')
    must(Buffer.isBuffer(sealed), 'safeStorage.decryptStringAsync() takes a Buffer')
    return later(() => {
      const text = sealed.toString()
      if (options.keychainForgot || !text.startsWith(SEALED))
        throw new Error('the keychain cannot decrypt this')
      return { shouldReEncrypt: false, result: Buffer.from(text.slice(SEALED.length), 'hex').toString() }
    })
  },
})

export const notifications: SystemNotification[] = []

export class SystemNotification extends Emitter {
  static isSupported(): boolean {
    must(state.isReady, 'Notification.isSupported() is known once the app is ready')
    return true
  }
  readonly #options: object
  constructor(given: object) {
    super('Notification')
    onlyOptions(given, 'NotificationConstructorOptions')
    this.#options = given
  }
  show(): void {
    notifications.push(this)
    report('notify', this.#options)
  }
}

interface MenuItem {
  readonly label?: string
  readonly accelerator?: string
  readonly click?: () => void
  readonly submenu?: readonly MenuItem[]
}

class StandInMenu {
  readonly items: readonly MenuItem[]
  constructor(items: readonly MenuItem[]) {
    this.items = items
  }
  popup(): void {
    menus.context = this
    report('popup', labelsOf(this.items))
  }
}

export const menus: {
  application: StandInMenu | null
  tray: StandInMenu | null
  context: StandInMenu | null
} = {
  application: null,
  tray: null,
  context: null,
}

const labelsOf = (items: readonly MenuItem[]) =>
  items.map((item) => item.label ?? (item as { role?: string }).role)

function checkItems(items: readonly MenuItem[]): void {
  for (const item of items) {
    onlyOptions(item, 'MenuItemConstructorOptions')
    checkItems(item.submenu ?? [])
  }
}

export const Menu = strict('Menu', 'Menu', {
  buildFromTemplate(items: readonly MenuItem[]): StandInMenu {
    must(state.isReady, 'menus are made once the app is ready')
    checkItems(items)
    return new StandInMenu(items)
  },
  setApplicationMenu(menu: StandInMenu): void {
    menus.application = menu
  },
})

/** Finds an item in a menu and its submenus. */
export function itemOf(menu: StandInMenu | null, label: string): MenuItem {
  const search = (items: readonly MenuItem[]): MenuItem | undefined => {
    for (const item of items) {
      const found = item.label === label ? item : search(item.submenu ?? [])
      if (found) return found
    }
    return undefined
  }
  const found = search(menu?.items ?? [])
  must(found, `there is no menu item "${label}"`)
  return found
}

export const nativeImage = strict('nativeImage', 'NativeImage', {
  createFromPath(path: string) {
    must(existsSync(path), `there is no image ${path}`)
    return { setTemplateImage: () => report('setTemplateImage') }
  },
})

export class Tray extends Emitter {
  constructor(_image: object) {
    super('Tray')
    must(state.isReady, 'a tray is made once the app is ready')
    report('tray')
    trays.push(this)
  }
  setToolTip(text: string): void {
    must(text, 'a tray says whose it is')
  }
  setContextMenu(menu: StandInMenu): void {
    menus.tray = menu
  }
}
export const trays: Tray[] = []

export const theScreen = {
  getAllDisplays() {
    must(state.isReady, 'screens are known once the app is ready')
    const screens = options.screens ?? [{ x: 0, y: 0, width: 1920, height: 1080 }]
    return screens.map((workArea) => ({ workArea }))
  },
}
export const screen = strict('screen', 'Screen', theScreen)

export const nativeTheme = strict('nativeTheme', 'NativeTheme', {
  themeSource: 'system',
  shouldUseDarkColors: false,
})

export const thePowerMonitor = new Emitter('PowerMonitor')
export const powerMonitor = strict('powerMonitor', 'PowerMonitor', thePowerMonitor as EventEmitter)

const blockers = new Set<number>()
export const powerSaveBlocker = strict('powerSaveBlocker', 'PowerSaveBlocker', {
  start(type: string): number {
    must(['prevent-app-suspension', 'prevent-display-sleep'].includes(type), `no blocker is called ${type}`)
    const id = blockers.size
    blockers.add(id)
    report('powerSaveBlocker.start', type)
    return id
  },
  stop(id: number): boolean {
    must(blockers.has(id), 'only a blocker that was started is stopped')
    report('powerSaveBlocker.stop')
    return blockers.delete(id)
  },
})
