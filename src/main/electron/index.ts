/** The desktop app: a window on the same server that the headless host runs. */
import { app } from 'electron'
import { runDesktop } from './run-desktop.ts'

app.enableSandbox()
if (app.requestSingleInstanceLock()) void runDesktop()
else app.quit()
