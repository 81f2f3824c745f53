/** What `millrace` understands. Each command's work is in a file of its own; here is how it is called. */
import { Command, CommanderError } from 'commander'
import { SCOPES } from '../../shared/contract/base/scopes.ts'
import { DEFAULT_PORT, readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { VERSION } from '../version.ts'
import { backUp, restore } from './commands/backup.ts'
import { runDoctor } from './commands/doctor.ts'
import { exportFlow, importFlow, listFlows, runFlowCommand } from './commands/flow.ts'
import { exportKey, importKey } from './commands/key.ts'
import { openPage } from './commands/open.ts'
import { paginate } from './commands/paginate.ts'
import { serve } from './commands/serve.ts'
import { createToken, listTokens, revokeToken } from './commands/token.ts'
import { explainFailure } from './support/failure.ts'
import { createOutput, type Output } from './support/output.ts'
import type { CommandContext } from './support/command-context.ts'

/** @returns the exit code; absent: 0 */
type Work<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<ExitCode | undefined | void>

/** Runs one command to its end. Whatever goes wrong is said on stderr and shows in the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok
  let output = createOutput(args.includes('--json'))
  process.on('uncaughtException', (error) => process.exit(explainFailure(error, output)))
  // Whoever read our first lines (`millrace serve | head -1`) may be gone; that is no reason to end.
  process.stdout.on('error', () => {})
  // A full disk under the log is none either.
  process.stderr.on('error', () => {})
  const program = createProgram(output, async (command, work) => {
    const options = command.opts<{ port?: string; dataDir?: string; json?: boolean }>()
    output = createOutput(options.json === true)
    const config = readConfig({ arguments: { port: options.port, dataDir: options.dataDir } })
    // Each command's work takes the options that are declared with it.
    exitCode = (await work({ config, output }, options as never, ...command.args)) ?? EXIT.ok
  })
  try {
    await program.parseAsync(helpLast(args), { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has already written what it has to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    return explainFailure(error, output)
  }
}

/** `help token create` is `token create --help`; commander's own goes one command deep. */
function helpLast(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : args
}

function createProgram(output: Output, run: (command: Command, work: Work<never>) => Promise<void>): Command {
  const program = new Command('millrace')
    .description('Build and run flows on your own machine.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      outputError: (text) => {
        const message = text
          .replace(/^error: /, '')
          .replaceAll(/\s+/g, ' ')
          .trim()
          .replace(/\.$/, '')
        output.failure('usage', `${message}${output.json ? '' : '; add --help to see what there is'}`)
      },
    })
    .addHelpText('after', ABOUT_ALL)

  const add = (parent: Command, usage: string, description: string, work: Work<never>) =>
    parent
      .command(usage)
      .description(description)
      .option('--data-dir <folder>', 'the folder that holds the data')
      .option('--json', 'print JSON, for programs')
      .allowExcessArguments(false)
      .action((...given: unknown[]) => run(given.at(-1) as Command, work))

  add(program, 'serve', 'run Millrace here, with its page in the browser', serve)
    .option('--port <port>', `the port to listen on, 0 for any free one (default: ${DEFAULT_PORT})`)
    .option('--next-port', 'take the next free port where that one is taken')
    .option('--no-open', 'do not open the page in the browser')
  add(program, 'open', "open the running Millrace's page and print its address", openPage).option(
    '--no-open',
    'only print the address',
  )

  const token = program.command('token').description('personal access tokens for scripts and other programs')
  add(token, 'create', 'create a token and print it, which only happens now', createToken)
    .requiredOption('--scopes <scopes>', 'what it may do, with commas: automation,connectors')
    .addHelpText('after', `\nScopes: ${SCOPES.join(', ')}`)
    .requiredOption('--note <text>', 'what it is for')
    .option('--expiration <days>', 'days until it expires (default: never)')
  add(token, 'list', 'list the tokens', listTokens)
  add(token, 'revoke <id>', 'revoke a token', revokeToken)

  const flow = program.command('flow').description('flows as files, and flows run from here')
  add(flow, 'list', 'list the flows', listFlows)
  add(
    flow,
    'import <file>',
    'create flows, as drafts, from a file of Millrace or n8n ("-": from stdin) or a sample ("sample:echo")',
    importFlow,
  ).option('--yes', 'do not ask, once the hosts and templates were listed')
  add(flow, 'export <flow>', 'print a flow, given by its id or its name, as a file', exportFlow).option(
    '--out <file>',
    'write to this file instead',
  )
  add(flow, 'run <flow>', 'run a flow, given by its id or its name, and print the run', runFlowCommand)
    .option('--input <json>', 'the input, a JSON object ("-": from stdin)')
    .option('--steps', 'print what each step gave as well')
    .option('--no-wait', 'print the id of the run at once')

  add(program, 'paginate', 'read a paginated list to its end, a record a line', paginate)
    .requiredOption('--config <file>', 'the pagination configuration, JSON ("-": from stdin)')
    .requiredOption('--url <url>', 'the address of the first page')
    .option('--header <header>', '"Name: value", as often as needed', collect)
    .option('--method <method>', 'how to ask', 'GET')

  const key = program
    .command('key')
    .description('the key to stored credentials, for moving to another machine')
  add(key, 'export', 'print the key', exportKey).option('--out <file>', 'write to this file instead')
  add(key, 'import <file>', 'take over the key of another machine ("-": from stdin)', importKey)

  add(program, 'backup <file>', 'copy the database to a file, also while Millrace runs', backUp).option(
    '--overwrite',
    'replace the file if it is already there',
  )
  add(program, 'restore <file>', 'put a backup in the place of the database', restore)

  add(program, 'doctor', 'check the folder, the database, the key and the port', runDoctor).option(
    '--port <port>',
    `the port to check (default: ${DEFAULT_PORT})`,
  )
  return program
}

const collect = (value: string, before: readonly string[] = []) => [...before, value]

const ABOUT_ALL = `
Every command takes --json (one JSON value on stdout, failures on stderr) and --data-dir.

Environment: MILLRACE_DATA_DIR, MILLRACE_PORT, MILLRACE_MASTER_KEY, MILLRACE_WEBHOOK_RATE_LIMIT

Exit codes: 0 done, 1 failed, 2 wrong usage, 69 port taken, 70 internal error,
74 data damaged, 75 data folder in use or its disk full, 78 data folder not writable

Examples:
  millrace serve --port 0 --no-open
  millrace token create --scopes automation --note "my script"
  millrace flow import sample:echo
  millrace flow run Echo --input '{"name": "Ada"}' --steps`
