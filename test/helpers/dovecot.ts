/** A real IMAP server with TLS, if one is installed, because no package contains one. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.ts'
import type { SelfSigned } from './self-signed.ts'

const DOVECOT = '/usr/sbin/dovecot'
export const hasDovecot = existsSync(DOVECOT)

export interface TestDovecot {
  /** `imaps://…` */
  readonly secure: string
  /** `imap://…`, which requires STARTTLS before the login. */
  readonly plain: string
  stop(): Promise<void>
}

/** The password is `right`; the inbox has one email. */
export async function startDovecot(host: string, tls: SelfSigned, mail: string): Promise<TestDovecot> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-dovecot-'))
  const [plain, secure] = [await freePort(), await freePort()]
  const inbox = join(dir, 'mail/new')
  const { uid, gid, username } = userInfo()
  // Dovecot never opens mailboxes as root; 8 is Debian's "mail".
  const owner = uid === 0 ? { uid: 8, gid: 8 } : { uid, gid }
  for (const path of ['mail/new', 'mail/cur', 'mail/tmp']) mkdirSync(join(dir, path), { recursive: true })
  writeFileSync(join(inbox, '1.one'), mail)
  for (const path of ['', 'mail', 'mail/new', 'mail/cur', 'mail/tmp', 'mail/new/1.one'])
    chownSync(join(dir, path), owner.uid, owner.gid)
  for (const [name, text] of Object.entries(tls)) writeFileSync(join(dir, name), text)
  const user = uid === 0 ? '' : `default_login_user = ${username}\ndefault_internal_user = ${username}\n`
  writeFileSync(
    join(dir, 'conf'),
    `base_dir = ${dir}/run
${user}log_path = /dev/stderr
protocols = imap
listen = ${host}
ssl = required
ssl_cert = <${dir}/cert
ssl_key = <${dir}/key
mail_location = maildir:${dir}/mail
first_valid_uid = 1
passdb {
  driver = static
  args = password=right
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${dir}/mail
}
service imap-login {
  inet_listener imap {
    port = ${plain}
  }
  inet_listener imaps {
    port = ${secure}
    ssl = yes
  }
}
`,
  )
  const server = spawn(DOVECOT, ['-F', '-c', join(dir, 'conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const lines: string[] = []
    createInterface(server.stderr).on('line', (line) => {
      lines.push(line)
      // Its ports are open by then.
      if (line.includes('starting up')) resolve()
    })
    server.once('close', () => reject(new Error(`Dovecot didn't start:\n${lines.join('\n')}`)))
  })
  return {
    secure: `imaps://${host}:${secure}`,
    plain: `imap://${host}:${plain}`,
    async stop() {
      server.kill()
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
