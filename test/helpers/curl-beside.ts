/** What `curl` sends for a command, and what Millrace sends after parsing the same command, to one server. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A request without the parts that depend on the client. */
export interface SeenRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
  readonly body: unknown
}

export interface SeeingServer {
  readonly port: number
  /** What has been received since the last call. */
  readonly take: () => SeenRequest[]
}

export async function startSeeingServer(): Promise<SeeingServer> {
  let seen: SeenRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url = '', rawHeaders } = incoming
      seen.push(comparable(method, url, rawHeaders, Buffer.concat(chunks)))
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const take = () => {
    const taken = seen
    seen = []
    return taken
  }
  return { port: (server.address() as AddressInfo).port, take }
}

/** These differ between clients. */
const CLIENTS_OWN =
  /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|http2-settings|accept-encoding|idempotency-key|proxy-connection)$/i
const DEFAULTS = /^(?:user-agent: (?:curl|Millrace)\/.*|accept: (?:\*\/\*|application\/json, \*\/\*;q=0\.5))$/

function comparable(method: string, url: string, raw: readonly string[], body: Buffer): SeenRequest {
  const lines: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const line = `${raw[at]?.toLowerCase()}: ${utf8(raw[at + 1] ?? '')}`
    if (!CLIENTS_OWN.test(raw[at] ?? '') && !DEFAULTS.test(line)) lines.push(line)
  }
  const type = lines.find((line) => line.startsWith('content-type: multipart/')) ?? ''
  const boundary = /;\s*boundary=("?)([^";]+)\1(?!.*boundary=)/.exec(type)?.[2]
  return {
    method,
    target: normalized(url.replace(/^http:\/\/[^/?]*\/?/, '/')),
    headers: lines.map((line) => line.replace(/;\s*boundary=[^;]*/g, '')).toSorted(),
    body: boundary === undefined ? body.toString('latin1') : partsOf(body.toString('latin1'), boundary),
  }
}

const utf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')

/** Characters that a URL can't contain are encoded by only one of the clients. */
function normalized(url: string): string {
  return Buffer.from(url, 'latin1')
    .toString('latin1')
    .replaceAll(/["'<>\\^`{|}[\]\x80-\xff]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    .replaceAll(/%[0-9A-Fa-f]{2}/g, (code) => code.toUpperCase())
}

function partsOf(body: string, boundary: string): unknown {
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      const head = part.slice(2, at).split('\r\n').toSorted()
      return { head, content: part.slice(at + 4, -2) }
    })
}

/**
 * Runs commands in bash, in a separate folder where `curl` is the only program: everything it sends goes to the
 * server, whatever host the command names.
 */
export function createCurlRunner(port: number, env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-curl-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  const real = execFileSync('bash', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim()
  const wrapper = join(programs, 'curl')
  writeFileSync(wrapper, `#!/bin/bash\nexec ${real} -q "$@"\n`)
  chmodSync(wrapper, 0o755)
  const bash = execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim()
  return async (command: string) => {
    const work = mkdtempSync(join(folder, 'work-'))
    const child = spawn(bash, ['--norc', '-c', `${command}\nwait`], {
      cwd: work,
      env: { ...env, PATH: programs, HOME: work, LC_ALL: 'C.UTF-8', http_proxy: `http://127.0.0.1:${port}` },
      stdio: 'ignore',
      detached: true, // without a terminal curl doesn't ask for a password
    })
    await once(child, 'exit')
  }
}
