/** The desktop app: one window over the very server that the headless host runs. */
import { app } from 'electron'
import { runDesktop } from './run-desktop.ts'

app.enableSandbox()
if (app.requestSingleInstanceLock()) void runDesktop()
else app.quit()
