import { join } from 'node:path'
import { BrowserWindow } from 'electron'

/** Shows the page. If it isn't at the default URL, the title shows the URL. */
export async function openWindow(
  url: string,
  { wantedPort }: { readonly wantedPort: number },
): Promise<BrowserWindow> {
  const window = new BrowserWindow({
    width: 1280,
    height: 820,
    minWidth: 640,
    minHeight: 480,
    show: false,
    autoHideMenuBar: true,
    title: 'Millrace',
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  const { port, host } = new URL(url)
  if (Number(port) !== wantedPort && wantedPort !== 0) {
    window.on('page-title-updated', (event, title) => {
      event.preventDefault()
      window.setTitle(`${title} – ${host}, because port ${wantedPort} is taken`)
    })
  }
  // Shown with its first frame, so that nothing flashes.
  window.once('ready-to-show', () => window.show())
  await window.loadURL(url)
  return window
}
