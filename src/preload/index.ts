/** Gives the page the few things that HTTP can't. The main process checks who asks. */
import { contextBridge, ipcRenderer } from 'electron'
import type { Desktop } from './desktop.d.ts'

const desktop: Desktop = {
  sessionBearer: () => ipcRenderer.invoke('desktop:session-bearer'),
  showDataFolder: () => ipcRenderer.invoke('desktop:show-data-folder'),
}

contextBridge.exposeInMainWorld('desktop', desktop)
