/** `npm start`: the desktop app, or the same app in the browser if Electron can't run. */
import { JS_FLAGS, runChild } from '../src/main/process-flags.ts'
import { ensureBuild, ROOT } from './lib/build.ts'
import { findElectron } from './lib/electron.ts'
import { runProgram } from './lib/run-program.ts'

const args = process.argv.slice(2)
ensureBuild()
const electron = await findElectron()
if ('path' in electron) {
  runChild(electron.path, [ROOT, JS_FLAGS, ...args])
} else {
  process.stdout.write(`${electron.reason}, so Millrace opens in your browser.\n`)
  runProgram(['start', ...args])
}
