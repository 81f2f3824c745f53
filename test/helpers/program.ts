/** The built `millrace` command as a separate process, in folders that are removed with the test. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultFolders } from '../../src/main/host/folder/default-folders.ts'
import { FLAGS, withMemory } from '../../src/main/host/machine/process-flags.ts'
import { endsBy } from './platform.ts'
import { runCommand, type CommandResult } from './run-command.ts'

const ROOT = join(import.meta.dirname, '../..')
export const COMMAND = join(ROOT, 'out/main/headless.js')

export interface Home {
  readonly folder: string
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command to its end. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<CommandResult>
  /** Starts `serve` on any free port; resolves once it reports that it listens. */
  serve(options?: ServeOptions): Promise<Served>
  /** Ends remaining processes and removes the folders. */
  remove(): Promise<void>
}

export interface ServeOptions {
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly nodeArgs?: readonly string[]
  /** Opens the page with the browser that `env` names. */
  readonly opens?: boolean
  /** A file for its stderr; without it, `stderr()` returns the text. */
  readonly stderr?: number
}

export interface Served {
  readonly process: ChildProcess
  readonly url: string
  readonly sessionUrl: string
  readonly bearer: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves to the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/** A user's home: data, key and configuration in a separate folder, and nothing from the machine's own. */
export function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-home-'))
  const running = new Set<Served>()
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: folder,
    // Windows has the same variables under other names; nothing runs there without the first.
    SystemRoot: process.env.SystemRoot,
    USERPROFILE: folder,
    LOCALAPPDATA: join(folder, 'local'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    // Shared by all homes, because with an empty cache every start would compile the program.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
  }
  return {
    folder,
    dataDir: defaultFolders(process.platform, env, folder).data,
    env,
    run: (args, extra = {}, input = '') =>
      runCommand(process.execPath, [...FLAGS, COMMAND, ...args], { env: { ...env, ...extra }, input }),
    async serve({ args = ['--port', '0'], env: extra = {}, nodeArgs = [], opens = false, stderr } = {}) {
      const command = [...FLAGS, ...nodeArgs, COMMAND, 'serve', ...(opens ? [] : ['--no-open']), ...args]
      const child = spawn(process.execPath, command, {
        env: withMemory({ ...env, ...extra }),
        stdio: ['pipe', 'pipe', stderr ?? 'pipe'],
      })
      const folder = args.includes('--data-dir') ? args.slice(args.indexOf('--data-dir')).slice(0, 2) : []
      endsBy(child, () => void this.run(['stop', ...folder], extra))
      const served = await listening(child)
      running.add(served)
      return served
    },
    async remove() {
      for (const served of running) {
        served.process.kill('SIGKILL')
        await served.ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves once the process reports that it listens. */
export function listening(child: ChildProcess): Promise<Served> {
  const output = { stdout: '', stderr: '' }
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1))
  })
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => {
      output.stdout += chunk.toString()
      const [, url, sessionUrl, bearer] =
        /^Millrace is listening on (\S+)\n(\S+#session=(\S+))\n/m.exec(output.stdout) ?? []
      if (!url || !sessionUrl || !bearer) return
      const { stdout, stderr } = { stdout: () => output.stdout, stderr: () => output.stderr }
      resolve({ process: child, url, sessionUrl, bearer, stdout, stderr, ended })
    })
    void ended.then((end) => reject(new Error(`serve ended with ${end}: ${output.stdout}${output.stderr}`)))
  })
}
