/** Gives the page the few functions that HTTP can't provide. The main process checks who calls them. */
import { contextBridge, ipcRenderer } from 'electron'
import type { Desktop } from './desktop.d.ts'

const takePath = (): Promise<string | null> => ipcRenderer.invoke('desktop:take-path')

const desktop: Desktop = {
  sessionBearer: () => ipcRenderer.invoke('desktop:session-bearer'),
  showDataFolder: () => ipcRenderer.invoke('desktop:show-data-folder'),
  moveDataFolder: () => ipcRenderer.invoke('desktop:move-data-folder'),
  changePassphrase: (change) => ipcRenderer.invoke('desktop:change-passphrase', change),
  unlock: (passphrase) => ipcRenderer.invoke('desktop:unlock', passphrase),
  settings: () => ipcRenderer.invoke('desktop:settings'),
  changeSettings: (change) => ipcRenderer.invoke('desktop:change-settings', change),
  onOpen(listener) {
    ipcRenderer.on('desktop:open', (_event, path: string) => listener(path))
    // The path that was chosen before the page listened.
    void takePath().then((path) => path === null || listener(path))
  },
}

contextBridge.exposeInMainWorld('desktop', desktop)
