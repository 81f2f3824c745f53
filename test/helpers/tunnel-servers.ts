/**
 * The servers that tunnels connect to, on loopback: a real SSH server, and stand-ins that follow the providers'
 * documentation.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { sshKeys } from './ssh-keys.ts'

export interface SshServer {
  readonly port: number
  readonly privateKey: string
  readonly password: string
  /** `SHA256:…` */
  readonly fingerprint: string
  readonly hostKey: string
  /** The ports that are currently forwarded. */
  readonly forwarded: () => number[]
  close(): Promise<void>
}

/** A server that forwards ports for `ann`, and prints `greeting` in her shell. */
export async function startSshServer({
  port = 0,
  hostKey = sshKeys().private,
  greeting = null,
}: {
  readonly port?: number
  readonly hostKey?: string
  readonly greeting?: ((port: number) => string) | null
} = {}): Promise<SshServer> {
  const { private: privateKey } = sshKeys()
  const allowed = ssh2.utils.parseKey(privateKey)
  const ownKey = ssh2.utils.parseKey(hostKey)
  if (allowed instanceof Error || ownKey instanceof Error) throw new Error('unusable key')
  const password = 'planted-tunnel-password'
  const connections = new Set<Socket>()
  const forwards = new Set<Server>()
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    const own = new Set<Server>()
    let shell: ssh2.ServerChannel | null = null
    const greet = () => {
      const [first] = own
      if (shell === null || first === undefined || greeting === null) return
      shell.write(greeting((first.address() as AddressInfo).port))
    }
    ;(client as unknown as Socket).setNoDelay()
    const raw = (client as unknown as { _sock: Socket })._sock
    connections.add(raw)
    client.on('error', () => {})
    client.on('close', () => {
      connections.delete(raw)
      for (const one of own) {
        one.close()
        forwards.delete(one)
      }
    })
    client.on('authentication', (request) => {
      const isPassword = request.method === 'password' && request.password === password
      const isKey = request.method === 'publickey' && request.key.data.equals(allowed.getPublicSSH())
      if (request.username === 'ann' && (isPassword || isKey)) request.accept()
      else request.reject(['password', 'publickey'])
    })
    client.on('session', (accept) => {
      accept().on('shell', (acceptShell) => {
        shell = acceptShell()
        greet()
      })
    })
    client.on('request', (accept, reject, name, info) => {
      if (name !== 'tcpip-forward') {
        reject?.()
        return
      }
      const { bindAddr, bindPort } = info
      const forward = createServer({ noDelay: true }, (caller) => {
        caller.on('error', () => {})
        const { remoteAddress = '', remotePort = 0 } = caller
        const bound = (forward.address() as AddressInfo).port
        client.forwardOut(bindAddr, bound, remoteAddress, remotePort, (error, channel) => {
          if (error) {
            caller.destroy()
            return
          }
          channel.on('error', () => {})
          caller.pipe(channel).pipe(caller)
        })
      })
      forward.once('error', () => reject?.())
      forward.listen(bindPort, '127.0.0.1', () => {
        own.add(forward)
        forwards.add(forward)
        accept?.((forward.address() as AddressInfo).port)
        greet()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    privateKey,
    password,
    hostKey,
    fingerprint: `SHA256:${createHash('sha256').update(ownKey.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
    forwarded: () => [...forwards].map((one) => (one.address() as AddressInfo).port),
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

/** Forwards requests with the provider's header; the caller is named by `x-test-caller`. */
const PROXY = `
  const http = require('node:http')
  function proxy(target, port, name) {
    return http.createServer((request, response) => {
      const headers = { ...request.headers }
      const caller = headers['x-test-caller'] ?? '192.0.2.99'
      delete headers['x-test-caller']
      name(headers, caller)
      const passed = http.request({ host: '127.0.0.1', port: target, method: request.method, path: request.url, headers }, (from) => {
        response.writeHead(from.statusCode, from.headers)
        from.pipe(response)
      })
      passed.on('error', () => response.writeHead(502).end())
      request.pipe(passed)
    }).listen(port, '127.0.0.1')
  }
`

/**
 * A `cloudflared` for the PATH. It listens on `port`, prints the output of the real one, sets CF-Connecting-IP, and
 * writes its arguments to `started`. On SIGHUP, it fails.
 */
export function plantCloudflared(
  folder: string,
  port: number,
): { readonly path: string; readonly started: string } {
  const bin = join(folder, 'bin')
  const started = join(folder, 'cloudflared-started.jsonl')
  mkdirSync(bin, { recursive: true })
  const script = join(bin, 'cloudflared.cjs')
  const program = `${PROXY}
  const { appendFileSync } = require('node:fs')
  const args = process.argv.slice(2)
  appendFileSync(${JSON.stringify(started)}, JSON.stringify({ pid: process.pid, args, token: process.env.TUNNEL_TOKEN ?? null }) + '\\n')
  const target = new URL(args[args.indexOf('--url') + 1]).port
  const say = (level, text) => process.stderr.write('2026-03-01T12:00:00Z ' + level + ' ' + text + '\\n')
  process.on('SIGHUP', () => { say('ERR', 'Failed to serve tunnel connection error="no more connections active"'); process.exit(1) })
  if (args.includes('run')) {
    if (process.env.TUNNEL_TOKEN !== 'planted-cloudflare-token') {
      say('ERR', 'Provided Tunnel token is not valid.')
      process.exit(1)
    }
  } else {
    say('INF', 'Thank you for trying Cloudflare Tunnel. See https://developers.cloudflare.com/cloudflare-one')
    say('INF', 'Requesting new quick Tunnel on trycloudflare.com... https://api.trycloudflare.com/tunnel')
    say('INF', '+--------------------------------------------------------------------------+')
    say('INF', '|  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |')
    say('INF', '|  https://quiet-river-' + process.pid + '.trycloudflare.com                             |')
  }
  proxy(target, ${port}, (headers, caller) => {
    headers['cf-connecting-ip'] = caller
    headers['x-forwarded-for'] = headers['x-forwarded-for'] ? headers['x-forwarded-for'] + ',' + caller : caller
  }).on('listening', () => say('INF', 'Registered tunnel connection connIndex=0 ip=198.41.192.7 location=fra08 protocol=quic'))
  `
  writeFileSync(script, program)
  // Not after "#!", which ends the path of a program at a blank.
  const start = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`
  writeFileSync(join(bin, 'cloudflared'), start, { mode: 0o755 })
  return { path: bin, started }
}

/**
 * Installs the package `@ngrok/ngrok` where `npm install --prefix` puts it. Its public URL is that port of loopback.
 */
export function plantNgrok(packagesDir: string, port: number): void {
  const folder = join(packagesDir, 'node_modules', '@ngrok', 'ngrok')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    '{"name": "@ngrok/ngrok", "version": "1.7.0", "main": "index.js"}',
  )
  writeFileSync(
    join(folder, 'index.js'),
    `${PROXY}
    exports.forward = async ({ addr, authtoken, onStatusChange }) => {
      if (authtoken !== 'planted-ngrok-token') {
        throw new Error('failed to connect session\\n\\nThe authtoken ' + authtoken + ' is not valid. ERR_NGROK_105')
      }
      const [host, target] = addr.split(':')
      if (host !== '127.0.0.1') throw new Error('unexpected address')
      const server = proxy(target, ${port}, (headers, caller) => {
        headers['x-forwarded-for'] = headers['x-forwarded-for'] ? headers['x-forwarded-for'] + ', ' + caller : caller
      })
      await new Promise((resolve) => server.once('listening', resolve))
      server.on('request', ({ url }) => { if (url === '/cut') onStatusChange('closed') })
      return {
        url: () => 'http://127.0.0.1:${port}',
        close: async () => { server.closeAllConnections(); server.close() },
      }
    }
    `,
  )
}
