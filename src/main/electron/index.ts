/** The desktop app: a window on the same server that the headless host runs. */
import { app } from 'electron'
import { runDesktop } from './run-desktop.ts'
import { startAgain } from './start-again.ts'

app.enableSandbox()
if (startAgain()) app.exit(0)
else if (app.requestSingleInstanceLock()) void runDesktop()
else app.quit()
