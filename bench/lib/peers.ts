/**
 * The programs that `npm run bench peers` compares with. Each is installed into the user's cache after asking, then
 * started.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultFolders } from '../../src/main/host/folder/default-folders.ts'
import { freePort } from '../../test/helpers/free-port.ts'
import { sendOnce } from './load.ts'
import { type Program, startProgram } from './program.ts'

export interface Peer {
  readonly name: string
  readonly version: string
  /** Size of its installed files in megabytes, stated when asking whether to install it. */
  readonly megabytes: number
  readonly start: (installed: string, folder: string, apiUrl: string) => Promise<StartedPeer>
}

export interface StartedPeer {
  readonly name: string
  readonly program: Program
  readonly port: number
  /** The webhook that marks an order as received, and the one that reads all pages. */
  readonly paths: { readonly hook: string; readonly pages: string }
}

const RIVALS = join(import.meta.dirname, '../rivals')

export const PEERS: readonly Peer[] = [
  { name: 'node-red', version: '5.0.7', megabytes: 150, start: startNodeRed },
  { name: 'n8n', version: '2.40.5', megabytes: 2_500, start: startN8n },
]

/**
 * @returns the folder of the installed package; null if it isn't there and must not be installed
 * @throws Error if the installation fails, with npm's last lines
 */
export async function installPeer({ name, version, megabytes }: Peer): Promise<string | null> {
  const { cache } = defaultFolders(process.platform, process.env, homedir())
  const folder = join(cache, 'bench', `${name}-${version}`)
  const installed = join(folder, 'node_modules', name)
  const done = join(folder, 'installed')
  if (existsSync(done)) return installed
  if (!(await mayInstall(`${name} ${version} is missing. Install it into ${folder} (${megabytes} MB)?`)))
    return null
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`${name} could not be installed: ${stderr.slice(-2_000)}`)
  writeFileSync(done, '')
  return installed
}

/** Without a terminal, the environment decides. */
async function mayInstall(question: string): Promise<boolean> {
  if (process.env.MILLRACE_BENCH_INSTALL === 'yes') return true
  if (!process.stdin.isTTY) {
    process.stderr.write(`${question} Set MILLRACE_BENCH_INSTALL=yes to say yes.\n`)
    return false
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function startNodeRed(installed: string, folder: string, apiUrl: string): Promise<StartedPeer> {
  const flows = join(folder, 'flows.json')
  writeFileSync(
    flows,
    readFileSync(join(RIVALS, 'node-red-flows.json'), 'utf8').replaceAll('API_URL', apiUrl),
  )
  const port = await freePort()
  const args = [join(installed, 'red.js'), '--userDir', folder, '--port', String(port), flows]
  const program = await startProgram(args, /Started flows/)
  return { name: 'Node-RED', program, port, paths: { hook: '/hook', pages: '/pages' } }
}

async function startN8n(installed: string, folder: string, apiUrl: string): Promise<StartedPeer> {
  const workflows = join(folder, 'workflows.json')
  const text = readFileSync(join(RIVALS, 'n8n-workflows.json'), 'utf8').replaceAll('API_URL', apiUrl)
  writeFileSync(workflows, text)
  const port = await freePort()
  const env = {
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
  }
  const command = join(installed, 'bin/n8n')
  const run = (...args: readonly string[]) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    if (status !== 0)
      throw new Error(`n8n ${args.join(' ')} failed: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`)
  }
  run('import:workflow', `--input=${workflows}`)
  for (const { id } of JSON.parse(text) as readonly { readonly id: string }[])
    run('publish:workflow', `--id=${id}`)
  const program = await startProgram([command, 'start'], /Editor is now accessible/, env)
  // n8n prints this line before its webhooks are registered.
  const paths = { hook: '/webhook/hook', pages: '/webhook/pages' }
  await untilAnswered({ port, path: paths.hook, headers: {}, body: '{}' })
  await untilAnswered({ port, path: paths.pages, headers: {}, body: '{}' })
  return { name: 'n8n', program, port, paths }
}

async function untilAnswered(request: Parameters<typeof sendOnce>[0]): Promise<void> {
  for (let second = 0; ; second++) {
    try {
      await sendOnce(request)
      return
    } catch (error) {
      if (second >= MOST_SECONDS_TO_REGISTER) throw error
      await sleep(1_000)
    }
  }
}

const MOST_SECONDS_TO_REGISTER = 60
