/** The passphrase of the key file, on systems without a keychain. */
import { randomBytes } from 'node:crypto'
import { app, BrowserWindow, ipcMain } from 'electron'
import { join } from 'node:path'
import { passphraseChange } from '../../shared/desktop/settings.ts'
import { EXIT } from '../host/machine/exit-codes.ts'
import { openKeyFile, readKeyFile, SealedKey, writeKeyFile } from '../host/key/master-key.ts'
import type { AskPassphrase } from '../host/unlock-key.ts'
import { SAFE_PAGE } from './window.ts'
import type { Words } from './words.ts'

/** Asks in a window of its own before anything starts; the app ends if it is closed. */
export function createPassphraseWindow(words: Words): { readonly ask: AskPassphrase; close(): void } {
  let window: BrowserWindow | null = null
  let answer: (passphrase: string) => void = () => {}
  /** Tells the page whether the last passphrase was wrong. */
  let tell: (wasWrong: boolean) => void = () => {}
  let isDone = false

  function open(): void {
    window = new BrowserWindow({
      width: 460,
      height: 300,
      resizable: false,
      autoHideMenuBar: true,
      title: 'Millrace',
      webPreferences: { ...SAFE_PAGE, preload: join(import.meta.dirname, '../preload/index.cjs') },
    })
    const { webContents } = window
    ipcMain.handle('desktop:unlock', (event, given: unknown) => {
      if (
        isDone ||
        event.sender !== webContents ||
        event.senderFrame?.parent !== null ||
        typeof given !== 'string'
      )
        throw new Error('desktop:unlock is for the window that asks')
      return new Promise<boolean>((resolve) => {
        tell = (wasWrong) => resolve(!wasWrong)
        answer(given)
      })
    })
    window.on('closed', () => {
      if (!isDone) app.exit(EXIT.ok)
    })
    void window.loadURL(passphrasePage(words))
  }

  return {
    ask(wasWrong) {
      if (window === null) open()
      else if (wasWrong) tell(true)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    close() {
      isDone = true
      tell(false)
      ipcMain.removeHandler('desktop:unlock')
      window?.destroy()
    },
  }
}

/** @throws Error if the present passphrase is another one, or the file can't be written */
export async function changePassphrase(keyFile: string, given: unknown): Promise<void> {
  const { current, next } = passphraseChange.parse(given)
  const found = readKeyFile(keyFile) ?? openKeyFile(keyFile, randomBytes)
  const key = found instanceof SealedKey ? await found.open(current ?? '') : found
  if (key === null) throw new Error("That isn't the current passphrase")
  await writeKeyFile(keyFile, key, next)
}

function passphrasePage(words: Words): string {
  const nonce = randomBytes(16).toString('base64')
  const html = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<title>Millrace</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
form { display: grid; gap: .75rem; padding: 1rem }
h1 { font-size: 1.15rem; margin: 0 }
p { margin: 0 }
label { display: grid; gap: .25rem }
input, button { font: inherit; padding: .45rem .6rem }
button { justify-self: start; border: 0; border-radius: .4rem; background: #0f766e; color: #fff }
[role=alert] { min-height: 1.5em }
</style>
</head>
<body>
<form>
<h1>${words.locked}</h1>
<label>${words.passphrase}<input type="password" autocomplete="current-password" autofocus required></label>
<p role="alert"></p>
<button>${words.unlock}</button>
</form>
<script nonce="${nonce}">
const form = document.querySelector('form'), input = form.querySelector('input'), problem = form.querySelector('p')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  input.readOnly = true
  if (await desktop.unlock(input.value)) return
  input.readOnly = false
  problem.textContent = ${JSON.stringify(words.wrongPassphrase)}
  input.select()
})
</script>
</body>
</html>`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}
