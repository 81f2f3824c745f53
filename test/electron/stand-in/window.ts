import { Emitter, later, must, onlyOptions, options, Preventable, report, state, strict } from './base.ts'

type OpenHandler = (details: { url: string }) => { action: string }

export class Contents extends Emitter {
  readonly session = strict('session', 'Session', {
    addWordToSpellCheckerDictionary: (word: string) => report('addWord', word),
  })
  #url = ''
  setWindowOpenHandler(handler: OpenHandler): void {
    opened.openHandler = handler
  }
  getURL(): string {
    return this.#url
  }
  navigated(url: string): void {
    this.#url = url
    this.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false, url })
    this.emit('did-finish-load')
  }
  send(channel: string, ...args: unknown[]): void {
    report('send', channel, ...args)
  }
  replaceMisspelling(text: string): void {
    report('replaceMisspelling', text)
  }
  forcefullyCrashRenderer(): void {
    report('forcefullyCrashRenderer')
    this.emit('render-process-gone', new Preventable(), { reason: 'crashed', exitCode: 5 })
  }
  reload(): void {
    report('reload')
    this.navigated(this.#url)
  }
}

export const windows = new Set<Window>()
export const opened: { window: Window | null; contents: Contents | null; openHandler: OpenHandler | null } = {
  window: null,
  contents: null,
  openHandler: null,
}

/** Set by `app`, so that this module needn't import it. */
export const created: { tell: (contents: object) => void } = { tell: () => {} }

export class Window extends Emitter {
  readonly webContents: Contents
  #bounds: Electron.Rectangle
  #isMaximized = false
  #isMinimized = false

  constructor(given: Readonly<Record<string, unknown>> & Partial<Electron.Rectangle>) {
    super('BrowserWindow')
    must(state.isReady, 'a BrowserWindow may be made once the app is ready')
    onlyOptions(given, 'BrowserWindowConstructorOptions')
    onlyOptions(given['webPreferences'] ?? {}, 'WebPreferences')
    this.#bounds = {
      x: given.x ?? 10,
      y: given.y ?? 20,
      width: given.width ?? 800,
      height: given.height ?? 600,
    }
    const contents = new Contents('WebContents')
    this.webContents = strict('webContents', 'WebContents', contents)
    Object.assign(opened, { window: this, contents })
    windows.add(this)
    report('BrowserWindow', given)
    created.tell(this.webContents)
    return strict('BrowserWindow', 'BrowserWindow', this)
  }
  loadURL(url: string): Promise<void> {
    report('loadURL', url)
    return later(() => {
      if (options.loadFails) throw new Error('ERR_FAILED (-2) loading the page')
      this.webContents.navigated(url)
      this.emit('ready-to-show')
    })
  }
  show(): void {
    report('show')
  }
  hide(): void {
    report('hide')
  }
  focus(): void {
    report('focus')
  }
  maximize(): void {
    report('maximize')
    this.#isMaximized = true
  }
  isMaximized(): boolean {
    return this.#isMaximized
  }
  isMinimized(): boolean {
    return this.#isMinimized
  }
  minimize(): void {
    this.#isMinimized = true
  }
  restore(): void {
    this.#isMinimized = false
    report('restore')
  }
  setTitle(title: string): void {
    must(typeof title === 'string', 'setTitle() takes a text')
    report('setTitle', title)
  }
  /** Closes it without asking its page. */
  destroy(): void {
    if (windows.delete(this)) this.emit('closed')
  }
  isDestroyed(): boolean {
    return !windows.has(this)
  }
  getNormalBounds(): Electron.Rectangle {
    must(!this.isDestroyed(), 'the window is destroyed')
    return this.#bounds
  }
  setBounds(bounds: Electron.Rectangle): void {
    this.#bounds = bounds
    this.emit('move')
    this.emit('resize')
  }
  /** @returns whether it is closed */
  closeByUser(): boolean {
    if (this.ask('close')) return false
    if (unsaved.isLeft && !this.webContents.ask('will-prevent-unload')) return false
    windows.delete(this)
    this.emit('closed')
    return true
  }
}

/** Whether the page has unsaved changes. */
export const unsaved = { isLeft: false }
