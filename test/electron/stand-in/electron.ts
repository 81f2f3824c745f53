/**
 * A stand-in for the `electron` module, as strict as the real one is silent: a call throws if it comes too early, is
 * unknown, or has arguments or listens to events that Electron's own type definitions don't have. Every call is
 * reported to the test, and the test plays the user, the page and the system over the same channel.
 */
import { request, type RequestOptions } from 'node:http'
import { closeWindow, theApp } from './app.ts'
import {
  Emitter,
  must,
  onlyOptions,
  options as standInOptions,
  Preventable,
  report,
  state,
  strict,
} from './base.ts'
import { chosen, itemOf, menus, notifications, thePowerMonitor, trays } from './system.ts'
import { created, opened, unsaved, type Window } from './window.ts'

export { app } from './app.ts'
export {
  dialog,
  Menu,
  nativeImage,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  safeStorage,
  screen,
  shell,
  SystemNotification as Notification,
  Tray,
} from './system.ts'
export { Window as BrowserWindow } from './window.ts'

created.tell = (contents) => void theApp.emit('web-contents-created', new Preventable(), contents)

type PermissionAnswer = (granted: boolean) => void
type RequestHandler = (
  contents: object,
  permission: string,
  answer: PermissionAnswer,
  details: object,
) => void
type CheckHandler = (contents: object | null, permission: string, origin: string, details: object) => boolean

const handlers: { request?: RequestHandler; check?: CheckHandler; device?: () => boolean } = {}
const defaultSession = strict('session.defaultSession', 'Session', {
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
  setSpellCheckerEnabled(isOn: boolean) {
    report('setSpellCheckerEnabled', isOn)
  },
})
export const session = {
  fromPartition(partition: string, given: object) {
    must(!partition.startsWith('persist:'), 'what is read of others is not kept')
    onlyOptions(given, 'FromPartitionOptions')
    return { partition }
  },
  get defaultSession() {
    must(state.isReady, 'session.defaultSession is there once the app is ready')
    return defaultSession
  },
}

/** Chromium's requests, as far as Node's are like them. */
export const net = strict('net', 'Net', {
  request({ session: given, ...options }: RequestOptions & { readonly session?: object }) {
    must(given, 'a request outside of the session has other proxies')
    return request(options)
  },
})
/** The part of Electron that installs updates on macOS; elsewhere it only announces that an update ends the app. */
export const autoUpdater = new Emitter('AutoUpdater')
Object.assign(process, { resourcesPath: standInOptions.resources ?? '/nonexistent' })

type InvokeHandler = (event: object, ...args: unknown[]) => unknown
const invokable = new Map<string, InvokeHandler>()
export const ipcMain = strict('ipcMain', 'IpcMain', {
  handle(channel: string, handler: InvokeHandler) {
    must(!invokable.has(channel), `ipcMain.handle("${channel}") is called twice`)
    invokable.set(channel, handler)
  },
  removeHandler(channel: string) {
    invokable.delete(channel)
  },
})

const windowOf = (): Window => {
  must(opened.window, 'there is no window yet')
  return opened.window
}

/** What the test can do, each with its response. */
const ACTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  async invoke(channel: string, origin: string, isMainFrame: boolean, ...args: unknown[]) {
    const senderFrame = origin === 'gone' ? null : { origin, parent: isMainFrame ? null : {} }
    const handler = invokable.get(channel)
    must(handler, `nothing answers "${channel}"`)
    return handler({ senderFrame, sender: opened.window?.webContents }, ...args)
  },
  startAgain: (argv: string[] = []) =>
    void theApp.emit('second-instance', new Preventable(), argv, '/', null),
  choose: (path: string) => void (chosen.path = path),
  openLink: (link: string) => theApp.ask('open-url', {}, link),
  closeWindow,
  quit: () => theApp.quit(),
  minimize: () => windowOf().minimize(),
  place: (bounds: Electron.Rectangle) => windowOf().setBounds(bounds),
  changePage: () => void (unsaved.isLeft = true),
  chooseInMenu: (label: string) => itemOf(menus.application, label).click?.(),
  keysOf: (label: string) => itemOf(menus.application, label).accelerator,
  chooseInTray: (label: string) => itemOf(menus.tray, label).click?.(),
  clickTray: () => void trays.at(-1)?.emit('click', {}),
  contextMenu(params: object) {
    opened.contents?.emit('context-menu', new Preventable(), params)
  },
  chooseInContext: (label: string) => itemOf(menus.context, label).click?.(),
  clickNotification: () => void notifications.at(-1)?.emit('click', new Preventable()),
  failNotification: () => void notifications.at(-1)?.emit('failed', new Preventable(), 'no service'),
  power: (event: string) => thePowerMonitor.ask(event),
  windowEvent: (event: string) => windowOf().ask(event),
  crashPage: (reason: string) =>
    void opened.contents?.emit('render-process-gone', new Preventable(), { reason, exitCode: 5 }),
  navigate(event: string, url: string) {
    return opened.contents?.ask(event, { url, isMainFrame: true })
  },
  attachWebview: () => opened.contents?.ask('will-attach-webview', {}, {}, {}),
  openWindow: (url: string) => opened.openHandler?.({ url }),
  requestPermission: (permission: string, requestingUrl: string) =>
    new Promise((answer) => handlers.request?.({}, permission, answer, { requestingUrl })),
  checkPermission: (permission: string, origin: string) => handlers.check?.(null, permission, origin, {}),
  checkDevice: () => handlers.device?.(),
  setPageTitle: (title: string) => windowOf().ask('page-title-updated', {}, title, true),
}

process.on('message', ({ id, action, args }: { id: number; action: string; args: never[] }) => {
  void Promise.resolve()
    .then(() => ACTIONS[action]?.(...args))
    .then(
      (result) => process.send?.({ id, result }),
      (error: Error) => process.send?.({ id, error: error.message }),
    )
})
