/** SFTP servers for tests, on a free port of loopback and a separate folder: one in this process, one of OpenSSH. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs'
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import ssh2, { type CipherAlgorithm } from 'ssh2'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { sshKeys } from './ssh-keys.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface SftpServer {
  readonly port: number
  /** The server's root if the server runs in this process, otherwise the folder itself. */
  readonly folder: string
  /** The folder as URLs name it. */
  readonly path: string
  readonly username: string
  /** Empty if a password isn't accepted. */
  readonly password: string
  readonly privateKey: string
}

export const SSHD = '/usr/sbin/sshd'
export const hasOpenSsh = existsSync(SSHD)

const PASSWORD = 'planted-sftp-password'

export interface OwnSftpOptions {
  readonly port?: number
  readonly hostKey?: string
  /** The only ciphers that the server has. */
  readonly ciphers?: readonly CipherAlgorithm[]
  /** Whether it sends nothing after a login. */
  readonly silent?: boolean
}

/** A server on `ssh2`. The login is `ann`, by password or key. */
export async function startSftpServer({
  port = 0,
  hostKey,
  ciphers,
  silent = false,
}: OwnSftpOptions = {}): Promise<SftpServer> {
  const folder = temporaryFolder()
  const { private: privateKey } = sshKeys()
  const allowed = ssh2.utils.parseKey(privateKey)
  if (allowed instanceof Error) throw allowed
  const config = {
    hostKeys: [hostKey ?? hostKeyText()],
    ...(ciphers && { algorithms: { cipher: [...ciphers] } }),
  }
  const server = new ssh2.Server(config, (client) => {
    // ssh2's types leave it out.
    ;(client as unknown as Socket).setNoDelay()
    client.on('error', () => {})
    client.on('authentication', (request) => {
      const isPassword = request.method === 'password' && request.password === PASSWORD
      const isKey = request.method === 'publickey' && request.key.data.equals(allowed.getPublicSSH())
      if (request.username === 'ann' && (isPassword || isKey)) request.accept()
      else request.reject(['password', 'publickey'])
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        // Without a listener, ssh2 responds that a request isn't supported.
        if (!silent) serveFolder(acceptSftp(), folder)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return {
    port: (server.address() as { port: number }).port,
    folder,
    path: '',
    username: 'ann',
    password: PASSWORD,
    privateKey,
  }
}

export function hostKeyText(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }) as string
}

const { STATUS_CODE: STATUS, OPEN_MODE } = ssh2.utils.sftp

function serveFolder(sftp: ssh2.SFTPWrapper, folder: string): void {
  const open = new Map<
    number,
    { readonly file: number | null; list: readonly string[] | null; readonly path: string }
  >()
  let next = 0
  const local = (path: string) => join(folder, join('/', path))
  const remember = (entry: { file: number | null; list: readonly string[] | null; path: string }) => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(++next)
    open.set(next, entry)
    return handle
  }
  const find = (handle: Buffer) => open.get(handle.readUInt32BE())
  /** Runs the work and returns errors as their status. */
  const trying = (id: number, work: () => void) => {
    try {
      work()
    } catch (error) {
      sftp.status(
        id,
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? STATUS.NO_SUCH_FILE : STATUS.FAILURE,
      )
    }
  }
  const done = (id: number, work: () => void) =>
    trying(id, () => {
      work()
      sftp.status(id, STATUS.OK)
    })
  const stat = (id: number, path: string) =>
    trying(id, () => sftp.attrs(id, attributes(statSync(local(path)))))

  sftp.on('REALPATH', (id, path) =>
    // Only the name is read.
    sftp.name(id, [{ filename: join('/', path), longname: '', attrs: {} as never }]),
  )
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('FSTAT', (id, handle) => stat(id, find(handle)?.path ?? ''))
  sftp.on('OPENDIR', (id, path) =>
    trying(id, () => sftp.handle(id, remember({ file: null, list: readdirSync(local(path)), path }))),
  )
  sftp.on('READDIR', (id, handle) => {
    const entry = find(handle)
    if (!entry?.list) {
      sftp.status(id, STATUS.EOF)
      return
    }
    const { list, path } = entry
    entry.list = null
    sftp.name(
      id,
      list.map((filename) => {
        const found = statSync(join(local(path), filename))
        return { filename, longname: `${found.isDirectory() ? 'd' : '-'}rw-------`, attrs: attributes(found) }
      }),
    )
  })
  sftp.on('OPEN', (id, path, flags) =>
    trying(id, () => {
      const mode = flags & OPEN_MODE.APPEND ? 'a' : flags & OPEN_MODE.WRITE ? 'w' : 'r'
      sftp.handle(id, remember({ file: openSync(local(path), mode), list: null, path }))
    }),
  )
  sftp.on('READ', (id, handle, offset, length) =>
    trying(id, () => {
      const bytes = Buffer.alloc(Math.min(length, 32_768))
      const count = readSync(find(handle)?.file ?? -1, bytes, 0, bytes.length, offset)
      if (count === 0) sftp.status(id, STATUS.EOF)
      else sftp.data(id, bytes.subarray(0, count))
    }),
  )
  sftp.on('WRITE', (id, handle, _offset, data) =>
    done(id, () => void writeSync(find(handle)?.file ?? -1, data)),
  )
  sftp.on('CLOSE', (id, handle) =>
    done(id, () => {
      const file = find(handle)?.file ?? null
      open.delete(handle.readUInt32BE())
      if (file !== null) closeSync(file)
    }),
  )
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS.OK))
  sftp.on('SETSTAT', (id) => sftp.status(id, STATUS.OK))
  sftp.on('MKDIR', (id, path) => done(id, () => mkdirSync(local(path))))
  sftp.on('RMDIR', (id, path) => done(id, () => rmdirSync(local(path))))
  sftp.on('REMOVE', (id, path) => done(id, () => rmSync(local(path))))
  sftp.on('RENAME', (id, from, to) => done(id, () => renameSync(local(from), local(to))))
}

function attributes({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats): ssh2.Attributes {
  return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1000), mtime: Math.floor(mtimeMs / 1000) }
}

/** The most common server. It accepts only the user of this process, by key. */
export async function startOpenSsh(): Promise<SftpServer> {
  const folder = temporaryFolder()
  const files = temporaryFolder()
  const [host, user] = [sshKeys(), sshKeys()]
  writeFileSync(join(folder, 'host'), host.private, { mode: 0o600 })
  writeFileSync(join(folder, 'authorized'), user.public, { mode: 0o600 })
  const port = await freePort()
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    `PidFile ${join(folder, 'pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'Subsystem sftp internal-sftp',
  ]
  writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`)
  // As root it requires this folder, which a service would have created.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const child = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('close', () => reject(new Error(`sshd ended: ${said}`)))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('listening')) resolve()
    })
  })
  return {
    port,
    folder: files,
    path: files,
    username: userInfo().username,
    password: '',
    privateKey: user.private,
  }
}
