/** If the page itself fails, Millrace continues, and the window offers to load the page again. */
import { type BrowserWindow, dialog } from 'electron'
import type { Log } from '../services/kit/ports.ts'
import type { Words } from './words.ts'

export interface CrashHost {
  readonly url: () => string
  readonly words: () => Words
  readonly log: Log
}

export function watchPage(window: BrowserWindow, { url, words, log }: CrashHost): void {
  const { webContents } = window
  let isReloading = false
  webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || isReloading) return
    log.error({ reason, exitCode }, "The page's process ended")
    window.loadURL(crashPage(url(), words())).catch(() => undefined)
  })

  let question: AbortController | null = null
  window.on('unresponsive', () => {
    if (question !== null) return
    log.warn({}, 'The page does not respond')
    question = new AbortController()
    void offerReload(question.signal)
  })
  async function offerReload(signal: AbortSignal): Promise<void> {
    const reloads = await askToReload(window, words(), signal)
    question = null
    if (!reloads) return
    // Crashes the renderer first, because reloading would wait for the page.
    isReloading = true
    webContents.forcefullyCrashRenderer()
    webContents.reload()
  }
  webContents.on('did-finish-load', () => {
    isReloading = false
  })
  window.on('responsive', () => question?.abort())
}

async function askToReload(window: BrowserWindow, words: Words, signal: AbortSignal): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: words.notResponding,
    detail: words.notRespondingDetail,
    buttons: [words.wait, words.reload],
    defaultId: 0,
    cancelId: 0,
    signal,
  })
  return response === 1
}

/** A page that needs neither the server nor scripts. Its link leads to the app. */
function crashPage(url: string, words: Words): string {
  const html = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Millrace</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { display: grid; place-content: center; justify-items: start; min-height: 90vh; max-width: 34rem; margin: auto; padding: 1rem }
h1 { font-size: 1.25rem; margin: 0 }
a { padding: .5rem .9rem; border-radius: .4rem; background: #0f766e; color: #fff; text-decoration: none }
</style>
</head>
<body>
<h1>${words.crashed}</h1>
<p>${words.crashedDetail}</p>
<a href="${url}">${words.reload}</a>
</body>
</html>`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}
