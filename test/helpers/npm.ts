/** npm itself. Windows can't start its command without a shell, so its script runs on the Node that runs the tests. */
import { dirname, join } from 'node:path'
import { runCommand, type CommandOptions, type CommandResult } from './run-command.ts'

export function runNpm(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  // npm passes the path of its own script to whatever it runs; npx is next to it.
  const { npm_execpath: named } = process.env
  return named?.endsWith('.js')
    ? runCommand(process.execPath, [join(dirname(named), 'npm-cli.js'), ...args], options)
    : runCommand('npm', args, options)
}
