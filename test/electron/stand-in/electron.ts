/**
 * A stand-in for the `electron` module, as strict as the real one is silent: calls that are too early, have
 * undocumented arguments or are unknown throw. Every call is reported to the test, and the test plays the user, the
 * page and the system over the same channel.
 */
import { EventEmitter } from 'node:events'

export interface StandInOptions {
  readonly isFirstInstance?: boolean
  readonly hasKeychain?: boolean
  /** The keychain can't decrypt anything. */
  readonly keychainForgot?: boolean
  readonly loadFails?: boolean
  readonly openFails?: boolean
}

const options = JSON.parse(process.env.STAND_IN ?? '{}') as StandInOptions
const { isFirstInstance = true, hasKeychain = true } = options
let isReady = false

function report(call: string, ...args: unknown[]): void {
  process.send?.({ call, args })
}

function must(condition: unknown, sentence: string): asserts condition {
  if (condition) return
  report('misuse', sentence)
  throw new Error(`electron stand-in: ${sentence}`)
}

/** Unknown names throw instead of being undefined. */
function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      must(typeof key === 'symbol' || key === 'then' || key in object, `${name}.${String(key)} is not known`)
      const value: unknown = Reflect.get(object, key, receiver)
      return typeof value === 'function' ? (value.bind(object) as unknown) : value
    },
  })
}

/** Resolves a little later, as the system does; code that forgets to wait has nothing yet. */
const later = <T>(give: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(give())
      } catch (error) {
        reject(error)
      }
    }, 5)
  })

class Preventable {
  defaultPrevented = false
  constructor(fields: object = {}) {
    Object.assign(this, fields)
  }
  preventDefault(): void {
    this.defaultPrevented = true
  }
}

/** Listens to the named events, and to no others. */
class Emitter extends EventEmitter {
  readonly #name: string
  readonly #events: readonly string[]
  constructor(name: string, events: readonly string[]) {
    super()
    this.#name = name
    this.#events = events
  }
  override on(event: string, listener: (...args: never[]) => void): this {
    must(this.#events.includes(event), `${this.#name} has no event "${event}"`)
    return super.on(event, listener as (...args: unknown[]) => void)
  }
  override once(event: string, listener: (...args: never[]) => void): this {
    must(this.#events.includes(event), `${this.#name} has no event "${event}"`)
    return super.once(event, listener as (...args: unknown[]) => void)
  }
}

const APP_EVENTS = ['web-contents-created', 'second-instance', 'window-all-closed', 'before-quit']

class App extends Emitter {
  enableSandbox(): void {
    must(!isReady, 'app.enableSandbox() must come before the app is ready')
    report('app.enableSandbox')
  }
  requestSingleInstanceLock(): boolean {
    return isFirstInstance
  }
  whenReady(): Promise<void> {
    return later(() => {
      isReady = true
    })
  }
  relaunch({ args, ...rest }: { args: readonly string[] }): void {
    must(Object.keys(rest).length === 0, 'app.relaunch() is asked for arguments alone')
    must(
      args.every((arg) => typeof arg === 'string'),
      'app.relaunch() takes texts as arguments',
    )
    report('app.relaunch', args, process.env.MALLOC_ARENA_MAX)
  }
  quit(): void {
    report('app.quit')
    const event = new Preventable()
    this.emit('before-quit', event)
    if (!event.defaultPrevented) process.exit(0)
  }
  exit(code: number): void {
    must(Number.isInteger(code), 'app.exit() takes a whole number')
    process.exit(code)
  }
}
export const app = strict('app', new App('app', APP_EVENTS))

type PermissionAnswer = (granted: boolean) => void
type RequestHandler = (
  contents: object,
  permission: string,
  answer: PermissionAnswer,
  details: object,
) => void
type CheckHandler = (contents: object | null, permission: string, origin: string, details: object) => boolean

const handlers: { request?: RequestHandler; check?: CheckHandler; device?: () => boolean } = {}
const defaultSession = strict('session.defaultSession', {
  setPermissionRequestHandler(handler: RequestHandler) {
    must(handler.length >= 3, 'the permission request handler must answer by its callback')
    handlers.request = handler
  },
  setPermissionCheckHandler(handler: CheckHandler) {
    handlers.check = handler
  },
  setDevicePermissionHandler(handler: () => boolean) {
    handlers.device = handler
  },
})
export const session = strict('session', {
  get defaultSession() {
    must(isReady, 'session.defaultSession is there once the app is ready')
    return defaultSession
  },
})

type InvokeHandler = (event: object, ...args: unknown[]) => unknown
const invokable = new Map<string, InvokeHandler>()
export const ipcMain = strict('ipcMain', {
  handle(channel: string, handler: InvokeHandler) {
    must(!invokable.has(channel), `ipcMain.handle("${channel}") is called twice`)
    invokable.set(channel, handler)
  },
})

export const shell = strict('shell', {
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

export const dialog = strict('dialog', {
  showErrorBox(title: string, content: string) {
    must(typeof title === 'string' && typeof content === 'string', 'dialog.showErrorBox() takes two texts')
    report('dialog.showErrorBox', title, content)
  },
})

const SEALED = 'keychain:'
export const safeStorage = strict('safeStorage', {
  isAsyncEncryptionAvailable(): Promise<boolean> {
    must(isReady, 'safeStorage may be asked once the app is ready')
    return later(() => hasKeychain)
  },
  encryptStringAsync(text: string): Promise<Buffer> {
    must(isReady && hasKeychain, 'safeStorage.encryptStringAsync() where there is no keychain')
    must(typeof text === 'string', 'safeStorage.encryptStringAsync() takes a text')
    return later(() => Buffer.from(SEALED + Buffer.from(text).toString('hex')))
  },
  decryptStringAsync(sealed: Buffer): Promise<{ shouldReEncrypt: boolean; result: string }> {
    must(isReady && hasKeychain, 'safeStorage.decryptStringAsync() where there is no keychain')
    must(Buffer.isBuffer(sealed), 'safeStorage.decryptStringAsync() takes a Buffer')
    return later(() => {
      const text = sealed.toString()
      if (options.keychainForgot || !text.startsWith(SEALED))
        throw new Error('the keychain cannot decrypt this')
      return { shouldReEncrypt: false, result: Buffer.from(text.slice(SEALED.length), 'hex').toString() }
    })
  },
})

const CONTENTS_EVENTS = ['will-frame-navigate', 'will-redirect', 'will-attach-webview']
type OpenHandler = (details: { url: string }) => { action: string }

class Contents extends Emitter {
  openHandler: OpenHandler | null = null
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }
}

const WINDOW_EVENTS = ['ready-to-show', 'page-title-updated']
const WINDOW_OPTIONS = new Set([
  'width',
  'height',
  'minWidth',
  'minHeight',
  'show',
  'autoHideMenuBar',
  'title',
  'webPreferences',
])

let opened: { readonly window: Window; readonly contents: Contents } | null = null

class Window extends Emitter {
  constructor(given: Readonly<Record<string, unknown>>) {
    super('BrowserWindow', WINDOW_EVENTS)
    must(isReady, 'a BrowserWindow may be made once the app is ready')
    const unknown = Object.keys(given).filter((key) => !WINDOW_OPTIONS.has(key))
    must(unknown.length === 0, `BrowserWindow does not know ${unknown.join(', ')}`)
    const contents = new Contents('webContents', CONTENTS_EVENTS)
    opened = { window: this, contents }
    report('BrowserWindow', given)
    app.emit('web-contents-created', new Preventable(), strict('webContents', contents))
    return strict('BrowserWindow', this)
  }
  loadURL(url: string): Promise<void> {
    report('loadURL', url)
    return later(() => {
      if (options.loadFails) throw new Error('ERR_FAILED (-2) loading the page')
      this.emit('ready-to-show')
    })
  }
  show(): void {
    report('show')
  }
  setTitle(title: string): void {
    must(typeof title === 'string', 'setTitle() takes a text')
    report('setTitle', title)
  }
  isMinimized(): boolean {
    return true
  }
  restore(): void {
    report('restore')
  }
  focus(): void {
    report('focus')
  }
}
class SystemNotification extends Emitter {
  static isSupported(): boolean {
    must(isReady, 'Notification.isSupported() is known once the app is ready')
    return true
  }
  readonly #options: object
  constructor(options: object) {
    super('notification', ['click', 'close', 'show'])
    this.#options = options
  }
  show(): void {
    report('notify', this.#options)
  }
}
export { SystemNotification as Notification }

export { Window as BrowserWindow }

/** What the test can do, each with its response. */
const ACTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  async invoke(channel: string, origin: string, isMainFrame: boolean) {
    const senderFrame = origin === 'gone' ? null : { origin, parent: isMainFrame ? null : {} }
    const handler = invokable.get(channel)
    must(handler, `nothing answers "${channel}"`)
    return handler({ senderFrame })
  },
  startAgain: () => void app.emit('second-instance', new Preventable(), [], '/', null),
  closeWindow: () => void app.emit('window-all-closed'),
  navigate(event: string, url: string) {
    const navigation = new Preventable({ url, isMainFrame: true })
    opened?.contents.emit(event, navigation)
    return navigation.defaultPrevented
  },
  attachWebview() {
    const event = new Preventable()
    opened?.contents.emit('will-attach-webview', event, {}, {})
    return event.defaultPrevented
  },
  openWindow: (url: string) => opened?.contents.openHandler?.({ url }),
  requestPermission: (permission: string, requestingUrl: string) =>
    new Promise((answer) => handlers.request?.({}, permission, answer, { requestingUrl })),
  checkPermission: (permission: string, origin: string) => handlers.check?.(null, permission, origin, {}),
  checkDevice: () => handlers.device?.(),
  setPageTitle(title: string) {
    const event = new Preventable()
    opened?.window.emit('page-title-updated', event, title, true)
    return event.defaultPrevented
  },
}

process.on('message', ({ id, action, args }: { id: number; action: string; args: never[] }) => {
  void Promise.resolve()
    .then(() => ACTIONS[action]?.(...args))
    .then(
      (result) => process.send?.({ id, result }),
      (error: Error) => process.send?.({ id, error: error.message }),
    )
})
