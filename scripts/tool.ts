/**
 * `node scripts/tool.ts FOLDER [COMMAND …]`: installs packages that `npm ci` doesn't, and runs one of their commands.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { installTool, type Tool } from './lib/tools.ts'

const [tool, command, ...args] = process.argv.slice(2)
const folder = installTool(tool as Tool)
if (command !== undefined) {
  // The tool's commands find each other on the PATH, as in npm's own scripts.
  const env = { ...process.env, PATH: [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter) }
  // Windows starts these commands only through its shell; the arguments that scripts pass have no spaces.
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env,
    shell: process.platform === 'win32',
  })
  if (error !== undefined) throw error
  process.exitCode = status ?? 1
}
