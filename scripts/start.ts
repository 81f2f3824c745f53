/** `npm start`: the desktop app, or the same app in the browser if Electron can't run. */
import { ensureBuild } from './lib/build.ts'
import { findElectron } from './lib/electron.ts'
import { runElectron } from './lib/run-electron.ts'
import { runProgram } from './lib/run-program.ts'

const args = process.argv.slice(2)
ensureBuild()
const electron = await findElectron()
const { reason, remedy } = 'path' in electron ? await runElectron(electron.path, args) : electron
const advice = remedy === undefined ? '' : `; for a window, ${remedy}`
process.stdout.write(`${reason}, so Millrace opens in your browser${advice}.\n`)
runProgram(['start', ...args])
