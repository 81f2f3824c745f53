/** Gives the page the few things that HTTP can't. The main process checks who asks. */
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
    // Chosen before there was a page to listen.
    void takePath().then((path) => path === null || listener(path))
  },
}

contextBridge.exposeInMainWorld('desktop', desktop)
