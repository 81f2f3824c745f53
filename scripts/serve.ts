/** `npm run serve -- ARGUMENTS`: `millrace serve`, on the newest build. */
import { ensureBuild } from './lib/build.ts'
import { runProgram } from './lib/run-program.ts'

ensureBuild()
runProgram(['serve', ...process.argv.slice(2)])
