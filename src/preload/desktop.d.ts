/** What the desktop app offers the page beyond HTTP. In a browser `window.desktop` is absent. */
export interface Desktop {
  /** The bearer of the local user, made at this start of the program. */
  sessionBearer(): Promise<string>
  /** Opens the data folder in the system's file manager. */
  showDataFolder(): Promise<void>
}

declare global {
  interface Window {
    readonly desktop?: Desktop
  }
}
