/** The `millrace` command. Its compiled code is cached next to the build, which halves the time of later starts. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

if (import.meta.filename.endsWith('.js')) enableCompileCache(join(import.meta.dirname, 'compile-cache'))
const { runCommandLine } = await import('./command-line.ts')
const exitCode = await runCommandLine(process.argv.slice(2))
// Whatever still keeps the process alive (idle connections, for instance) is no longer needed.
process.stdout.write('', () => process.exit(exitCode))
