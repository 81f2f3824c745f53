/** Cloudflare tunnels, through the program `cloudflared` on the PATH. */
import { type Said, say } from '../../../../shared/contract/base/message.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { once } from 'node:events'
import { type TunnelProvider, TunnelProblem, untilAborted } from './provider.ts'

export interface CloudflaredOptions {
  /** The token of a named tunnel; absent for a quick tunnel. */
  readonly token: string | undefined
  /** The URL of a named tunnel, which cloudflared itself doesn't know. */
  readonly url: string | null
  readonly environment?: NodeJS.ProcessEnv
}

/** Instructions for installing the program on each system. */
function howToInstall(platform: NodeJS.Platform): Said {
  if (platform === 'darwin')
    return say(
      'Install it with brew install cloudflared and turn the tunnel on again, or choose another kind of tunnel',
    )
  if (platform === 'win32')
    return say(
      'Install it with winget install Cloudflare.cloudflared, restart Millrace and turn the tunnel on, or choose another kind of tunnel',
    )
  return say(
    'Install it as pkg.cloudflare.com describes and turn the tunnel on again, or choose another kind of tunnel',
  )
}

export function createCloudflared({
  token,
  url,
  environment = process.env,
}: CloudflaredOptions): TunnelProvider {
  return {
    clientHeader: 'cf-connecting-ip',
    async run({ localPort, signal, onUrl }) {
      if (token !== undefined && url === null) {
        throw new TunnelProblem(
          say('The named tunnel has no public URL'),
          say('Enter the URL that you chose for it at Cloudflare'),
          { needsUser: true },
        )
      }
      const program = findProgram(environment)
      if (program === null) {
        throw new TunnelProblem(say('cloudflared is not on the PATH'), howToInstall(process.platform), {
          needsUser: true,
        })
      }
      const local = `http://127.0.0.1:${localPort}`
      const child =
        token === undefined
          ? start(program, ['tunnel', '--no-autoupdate', '--url', local], environment)
          : // Other users can see arguments, but not the environment.
            start(program, ['tunnel', '--no-autoupdate', 'run', '--url', local], {
              ...environment,
              TUNNEL_TOKEN: token,
            })
      await watch(child, { signal, onUrl, namedUrl: token === undefined ? null : url })
    },
  }
}

interface Watched {
  readonly signal: AbortSignal
  readonly onUrl: (publicUrl: string) => void
  readonly namedUrl: string | null
}

/** A quick tunnel is ready once it prints its URL, a named one once a connection is registered. */
async function watch(child: ChildProcess, { signal, onUrl, namedUrl }: Watched): Promise<void> {
  const ended = untilAborted(signal)
  const lines: string[] = []
  let isOn = false
  const read = (line: string) => {
    lines.push(line)
    if (lines.length > LINES_KEPT) lines.shift()
    if (isOn) return
    const url = namedUrl === null ? quickUrlIn(line) : REGISTERED.test(line) ? namedUrl : null
    if (url === null) return
    isOn = true
    onUrl(url)
  }
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, read)
  child.stdin?.on('error', () => undefined)
  child.on('error', (cause) =>
    ended.reject(
      new TunnelProblem(say("cloudflared didn't start: {{cause}}", { cause: cause.message }), REINSTALL, {
        cause,
      }),
    ),
  )
  child.once('exit', (code, by) =>
    ended.reject(
      new TunnelProblem(
        say('cloudflared exited ({{code}}): {{reason}}', {
          code: String(by ?? code),
          reason: reasonIn(lines),
        }),
        say(
          'Millrace restarts it automatically. If this keeps happening, run the command in a terminal to see more',
        ),
      ),
    ),
  )
  try {
    await ended.promise
  } finally {
    await end(child)
  }
}

const LINES_KEPT = 20
const REINSTALL = say('Install cloudflared again')
const REGISTERED = /registered tunnel connection|connection \S+ registered/i

/** Time for cloudflared to close its connections. */
const END_WITHIN_MS = 3_000

function quickUrlIn(line: string): string | null {
  const [url, host] = /https:\/\/([a-z0-9-]+)\.trycloudflare\.com\b/i.exec(line) ?? []
  return url === undefined || host === 'api' ? null : url
}

/** The last line with an error, without its time. */
function reasonIn(lines: readonly string[]): string {
  const line = lines.findLast((text) => /\b(?:ERR|error|failed)\b/i.test(text)) ?? lines.at(-1) ?? 'no output'
  return line.replace(/^\S+Z\s+/, '').slice(0, 300)
}

/**
 * If there is a shell, it ends cloudflared when this process ends, however that happens. Otherwise an abandoned tunnel
 * would lead to a port that another program may use by then.
 */
function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  if (process.platform === 'win32')
    return spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  return spawn('/bin/sh', ['-c', WATCHED, 'sh', program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
}

const WATCHED =
  'exec 3<&0; "$@" </dev/null 3<&- & pid=$!; (cat <&3; kill "$pid") >/dev/null 2>&1 & exec 3<&-; wait "$pid"'

async function end(child: ChildProcess): Promise<void> {
  if (child.stdin === null) child.kill()
  else child.stdin.destroy()
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS)
  await once(child, 'exit').catch(() => undefined)
  clearTimeout(timer)
}

function eachLine(stream: NodeJS.ReadableStream | null, read: (line: string) => void): void {
  let rest = ''
  stream?.setEncoding('utf8')
  stream?.on('error', () => undefined)
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split(/\r?\n/)
    rest = (lines.pop() ?? '').slice(-10_000)
    for (const line of lines) read(line)
  })
}

function findProgram({ PATH = '' }: NodeJS.ProcessEnv): string | null {
  const name = process.platform === 'win32' ? 'cloudflared.exe' : 'cloudflared'
  return (
    PATH.split(delimiter)
      .map((folder) => join(folder, name))
      .find(isExecutable) ?? null
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
