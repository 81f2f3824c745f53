import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { COMMANDS } from '../../src/main/headless/command-table.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'
import { onLinux, onPosix } from '../helpers/platform.ts'

let home: Home
beforeAll(() => {
  home = createHome()
})
afterAll(() => home.remove())

test('the help of every command names its options and shows an example', async () => {
  const helps = (await helpOfAll()).map((help, at) => ({ command: COMMANDS[at]!, help }))
  const lacking = helps.filter(
    ({ command: { name, options = [], examples }, help }) =>
      !help.startsWith(`Usage: millrace ${name} `) ||
      !options.every(({ flags }) => help.includes(flags)) ||
      examples.length === 0 ||
      !examples.every((example) => help.includes(`  ${example}`)),
  )
  expect(lacking.map(({ command }) => command.name)).toEqual([])
})

/** Prints all help pages of the built program in one process, because its start takes longer than a help page. */
async function helpOfAll(): Promise<readonly string[]> {
  const built = join(import.meta.dirname, '../../out/main')
  const [chunk = ''] = /command-line-[^`'"]+\.js/.exec(readFileSync(join(built, 'headless.js'), 'utf8')) ?? []
  const script = `
    const { runCommandLine } = await import(${JSON.stringify(pathToFileURL(join(built, chunk)))})
    const write = process.stdout.write.bind(process.stdout)
    const helps = []
    process.setMaxListeners(0)
    process.stdout.setMaxListeners(0)
    process.stderr.setMaxListeners(0)
    for (const name of ${JSON.stringify(COMMANDS.map(({ name }) => name))}) {
      let help = ''
      process.stdout.write = (text) => { help += text; return true }
      await runCommandLine([...name.split(' '), '--help'])
      helps.push(help)
    }
    write(JSON.stringify(helps))`
  const args = [...FLAGS, '--input-type=module', '--eval', script]
  const { stdout, stderr } = await runCommand(process.execPath, args, { env: home.env })
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout) as string[]
}

/** The completions that bash offers at the end of a line. */
async function complete(script: string, line: string): Promise<string[]> {
  const words = line.split(' ')
  const ask = `${script}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await runCommand('bash', ['--norc', '-c', ask], { cwd: import.meta.dirname })
  return stdout.split('\n').filter(Boolean)
}

test.runIf(onPosix)('bash completes commands, options, their values and files', async () => {
  const { code, stdout: script } = await home.run(['completion', 'bash'])
  const lines = ['millrace fl', 'millrace flow ', 'millrace --json flow te', 'millrace run list --sta']
  const values = [
    'millrace run list --status s',
    'millrace flow import ../helpers/chi',
    'millrace completion z',
  ]
  const offered = await Promise.all([...lines, ...values].map((line) => complete(script, line)))
  expect({ code, offered }).toEqual({
    code: 0,
    offered: [
      ['flow'],
      ['list', 'import', 'export', 'run', 'pull', 'push', 'check', 'test'],
      ['test'],
      ['--status'],
      ['success'],
      ['../helpers/child.ts'],
      ['zsh'],
    ],
  })
})

test('zsh, fish and PowerShell get what they read, and other shells an error', async () => {
  const scripts = await Promise.all(
    ['zsh', 'fish', 'powershell', 'tcsh'].map((shell) => home.run(['completion', shell])),
  )
  expect(scripts.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual([
    {
      code: 0,
      stdout: expect.stringMatching(/^#compdef millrace\n[^]*complete -o filenames -F _millrace millrace\n$/),
      stderr: '',
    },
    {
      code: 0,
      stdout: expect.stringContaining("complete -c millrace -f -a '(__millrace_complete)'"),
      stderr: '',
    },
    {
      code: 0,
      stdout: expect.stringContaining('Register-ArgumentCompleter -Native -CommandName millrace'),
      stderr: '',
    },
    { code: 2, stdout: '', stderr: expect.stringContaining('bash, zsh, fish, powershell, not for "tcsh"') },
  ])
})

const LINES = ['millrace fl', 'millrace flow te', 'millrace --json flow te', 'millrace run list --sta']
const VALUES = [
  'millrace run list --status s',
  'millrace completion z',
  'millrace token create --expiration ',
]
const OFFERED = [['flow'], ['test'], ['test'], ['--status'], ['success'], ['zsh'], []]

/** Only on machines that have it: `fish` is a package of Linux distributions, PowerShell comes with Windows. */
const has = (program: string) => spawnSync(program, ['--version']).error === undefined

test.runIf(has('fish'))('fish completes as bash does', async () => {
  const { stdout: script } = await home.run(['completion', 'fish'])
  const offered = await Promise.all(
    [...LINES, ...VALUES].map(async (line) => {
      const ask = `${script}\ncomplete -C '${line}'`
      const { stdout } = await runCommand('fish', ['--no-config', '-c', ask], { env: home.env })
      return stdout.split('\n').filter(Boolean)
    }),
  )
  expect(offered).toEqual(OFFERED)
})

test.runIf(has('pwsh'))('PowerShell completes as bash does', async () => {
  const { stdout: script } = await home.run(['completion', 'powershell'])
  const ask = [...LINES, ...VALUES]
    .map(
      (line) => `((TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText -join ' ') + ';'`,
    )
    .join('\n')
  const { stdout } = await runCommand('pwsh', ['-NoProfile', '-Command', `${script}\n${ask}`], {
    cwd: home.folder,
  })
  // If nothing is offered, PowerShell offers files.
  expect(
    stdout
      .split(';')
      .slice(0, 6)
      .map((line) => line.trim()),
  ).toEqual(OFFERED.slice(0, 6).map((words) => words.join(' ')))
})

test.runIf(onLinux)('progress is shown only on a terminal, on stderr', async () => {
  const flow = ['flow', 'import', 'sample:echo']
  await home.run(flow)
  const command = [
    process.execPath,
    ...FLAGS,
    join(import.meta.dirname, '../../out/main/headless.js'),
    'flow',
    'run',
    'Echo',
  ]
  const quoted = command.map((word) => `'${word}'`).join(' ')
  const terminal = await runCommand('script', ['-qec', `${quoted} > /dev/null`, '/dev/null'], {
    env: home.env,
  })
  const piped = await home.run(['flow', 'run', 'Echo'])
  expect({ terminal: terminal.stdout, piped: piped.stderr }).toEqual({
    terminal: expect.stringContaining('\r\u001b[KRunning "Echo" … 0 s'),
    piped: '',
  })
})

test('the reference has every command', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8')
  const lacking = COMMANDS.filter(({ name }) => !page.includes(`\`${name}`)).map(({ name }) => name)
  expect(lacking).toEqual([])
})
