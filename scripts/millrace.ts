/** `npm run -s millrace -- ARGUMENTS`: the command, on the newest build. */
import { ensureBuild } from './lib/build.ts'
import { runProgram } from './lib/run-program.ts'

ensureBuild()
runProgram(process.argv.slice(2))
