import type { DesktopChange, DesktopSettings, PassphraseChange } from '../shared/desktop/settings.ts'

/** Functions that the desktop app offers the page beyond HTTP. In a browser, `window.desktop` is absent. */
export interface Desktop {
  /** The local user's bearer, valid until Millrace stops. */
  sessionBearer(): Promise<string>
  /** Opens the data folder in the system's file manager. */
  showDataFolder(): Promise<void>
  /** Lets the user choose a folder, moves the data there, and starts the app again. */
  moveDataFolder(): Promise<void>
  /** Changes the passphrase of the key file. Rejects if the current one is wrong. */
  changePassphrase(change: PassphraseChange): Promise<void>
  /** For the window that asks for the passphrase at the start. Resolves to false if it was wrong. */
  unlock(passphrase: string): Promise<boolean>
  /** Calls the listener with a path of the page that the user chose outside it, in a menu, a notification or a link. */
  onOpen(listener: (path: string) => void): void
  settings(): Promise<DesktopSettings>
  changeSettings(change: DesktopChange): Promise<DesktopSettings>
}

declare global {
  interface Window {
    readonly desktop?: Desktop
  }
}
