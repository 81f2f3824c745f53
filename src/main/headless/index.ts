/** The `millrace` command. What the build compiles to is kept beside it: later starts take half as long. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

if (import.meta.filename.endsWith('.js')) enableCompileCache(join(import.meta.dirname, 'compile-cache'))
const { runCommandLine } = await import('./command-line.ts')
const exitCode = await runCommandLine(process.argv.slice(2))
// Whatever still holds the process open (kept connections, for instance) is of no use any more.
process.stdout.write('', () => process.exit(exitCode))
