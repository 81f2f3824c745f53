/** Parses the command line with the table of commands, and runs the command. */
import { Command, CommanderError, Option } from 'commander'
import { type ConfigSource, readConfig } from '../host/config.ts'
import { EXIT, type ExitCode } from '../host/machine/exit-codes.ts'
import { VERSION } from '../host/machine/version.ts'
import { COMMANDS, COMMON_OPTIONS, GROUPS } from './command-table.ts'
import { type CommandEntry, type OptionEntry, type Work, writtenArgument } from './support/command-entry.ts'
import { explainFailure } from './support/failure.ts'
import { createOutput, type Output } from './support/output.ts'

/** Runs one command. Prints errors on stderr, and returns the exit code for them. */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok
  let output = createOutput(args.includes('--json'))
  process.on('uncaughtException', (error) => process.exit(explainFailure(error, output)))
  // The program that reads stdout may close it early. `millrace serve | head -1` keeps running, but commands with
  // endless output stop.
  const reader = new AbortController()
  process.stdout.on('error', () => reader.abort())
  // A full disk under stderr must not end the process.
  process.stderr.on('error', () => {})
  const program = createProgram(output, async (command, work) => {
    const options = command.opts<NonNullable<ConfigSource['arguments']> & { readonly json?: boolean }>()
    output = createOutput(options.json === true)
    const { port, dataDir, webhookListen, insecure } = options
    const config = readConfig({ arguments: { port, dataDir, webhookListen, insecure } })
    // Programs started from here must not inherit the key.
    delete process.env.MILLRACE_MASTER_KEY
    // Each command's work takes the options that the command declares, so the cast is safe.
    exitCode =
      (await work({ config, output, readerGone: reader.signal }, options as never, ...command.args)) ??
      EXIT.ok
  })
  try {
    await program.parseAsync(helpLast(startWithout(args)), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error === reader.signal.reason && reader.signal.aborted) return EXIT.readerGone
    // Commander has already printed the message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    return explainFailure(error, output)
  }
}

/** // `millrace` without a command means `millrace start`, and so does `millrace --port 5000`. */
function startWithout(args: readonly string[]): readonly string[] {
  const [first = '--start'] = args
  return first.startsWith('-') && !ABOUT_PROGRAM.includes(first) ? ['start', ...args] : args
}

const ABOUT_PROGRAM = ['-h', '--help', '-V', '--version']

/** `help token create` means `token create --help`; commander's own help only takes one word. */
function helpLast(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : args
}

function createProgram(output: Output, run: (command: Command, work: Work<never>) => Promise<void>): Command {
  const program = new Command('millrace')
    .description('Build and run flows on your own machine.')
    .version(VERSION)
    // Commands can have options with the same names: `run replay RUN --version 4`.
    .enablePositionalOptions()
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

  const groups = new Map<string, Command>()
  const groupOf = (word: string) => {
    const group = groups.get(word) ?? program.command(word).description(GROUPS[word] ?? '')
    groups.set(word, group)
    return group
  }
  for (const entry of COMMANDS) {
    const [first = '', second] = entry.name.split(' ')
    const command = second === undefined ? program.command(first) : groupOf(first).command(second)
    addEntry(command, entry).action((...given: unknown[]) => run(given.at(-1) as Command, entry.run))
  }
  return program
}

function addEntry(command: Command, entry: CommandEntry): Command {
  command.description(sentence(entry.summary)).summary(entry.summary).allowExcessArguments(false)
  for (const argument of entry.arguments ?? [])
    command.argument(writtenArgument(argument), argument.description)
  for (const option of [...(entry.options ?? []), ...COMMON_OPTIONS]) command.addOption(toOption(option))
  const details = entry.details === undefined ? '' : `\n${entry.details}\n`
  return command.addHelpText(
    'after',
    `${details}\nExamples:\n${entry.examples.map((line) => `  ${line}`).join('\n')}`,
  )
}

function toOption({ flags, description, required = false, default: value, repeatable }: OptionEntry): Option {
  const option = new Option(flags, description).makeOptionMandatory(required)
  if (value !== undefined) option.default(value)
  return repeatable ? option.argParser(collect) : option
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

const ABOUT_ALL = `
Every command takes --json (JSON on stdout, failures as JSON on stderr) and --data-dir.

Environment: MILLRACE_DATA_DIR, MILLRACE_PORT, MILLRACE_MASTER_KEY, MILLRACE_MASTER_KEY_FILE,
MILLRACE_PASSPHRASE, MILLRACE_WEBHOOK_RATE_LIMIT, MILLRACE_WEBHOOK_LISTEN, MILLRACE_TRUSTED_PROXIES, MILLRACE_INSECURE,
MILLRACE_PAGE_URL

Exit codes: 0 done, 1 failed, 2 wrong usage, 69 port taken, 70 internal error,
74 data damaged, 75 data folder in use or its disk full, 78 data folder not writable,
141 output closed by its reader

Examples:
  millrace serve --port 0 --no-open
  millrace token create --scopes automation --note "my script"
  millrace flow import sample:form-to-json
  millrace flow run "Form to JSON" --input '{"name": "ada", "seats": "2"}' --steps
  source <(millrace completion bash)`
