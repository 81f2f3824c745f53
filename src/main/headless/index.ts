/** The `millrace` command. Its compiled code is cached, which halves the time of later starts. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { defaultFolders } from '../host/folder/default-folders.ts'
import { becomeNode, IN_APP, NO_CODE_FROM_TEXT } from '../host/machine/process-flags.ts'

// Inside the desktop app, the process already has the flags it needs.
const inApp = process.argv.indexOf(IN_APP)

// If it was started as `node headless.js`, by the installed command or a service, it starts itself again with the flags
// it needs.
if (inApp !== -1) await run(process.argv.slice(inApp + 1))
else if (process.execArgv.includes(NO_CODE_FROM_TEXT)) await run(process.argv.slice(2))
else becomeNode(import.meta.filename, process.argv.slice(2), process.execArgv)

async function run(args: readonly string[]): Promise<void> {
  // The cache is never next to the program, which may be read-only or signed. If the folder can't be written, V8
  // compiles as usual.
  const { cache } = defaultFolders(process.platform, process.env, homedir())
  if (import.meta.filename.endsWith('.js')) enableCompileCache(join(cache, 'compiled'))
  const { runCommandLine } = await import('./command-line.ts')
  const exitCode = await runCommandLine(args)
  // Whatever still keeps the process alive (idle connections, for instance) is no longer needed.
  process.stdout.write('', () => process.exit(exitCode))
}
