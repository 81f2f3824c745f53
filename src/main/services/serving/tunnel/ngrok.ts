/** ngrok tunnels, through ngrok's package, which is only there if the user has installed it. */
import { say } from '../../../../shared/contract/base/message.ts'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type TunnelProvider, TunnelProblem, untilAborted } from './provider.ts'

export interface NgrokOptions {
  readonly token: string | undefined
  readonly domain: string | null
  /** The folder for `npm install --prefix`, which puts the package there. */
  readonly packagesDir: string
}

/** The part of the package that is used. */
interface Ngrok {
  forward(config: {
    readonly addr: string
    readonly authtoken: string
    readonly domain?: string
    readonly force_new_session: boolean
    readonly onStatusChange: (status: string) => void
  }): Promise<{ url(): string | null; close(): Promise<void> }>
}

export function createNgrok({ token, domain, packagesDir }: NgrokOptions): TunnelProvider {
  return {
    clientHeader: 'x-forwarded-for',
    async run({ localPort, signal, onUrl }) {
      if (token === undefined) {
        throw new TunnelProblem(
          say('The ngrok authtoken is missing'),
          say('Copy it from the ngrok dashboard'),
          {
            needsUser: true,
          },
        )
      }
      const ngrok = await load(packagesDir)
      const ended = untilAborted(signal)
      const listener = await ngrok
        .forward({
          addr: `127.0.0.1:${localPort}`,
          authtoken: token,
          ...(domain !== null && { domain }),
          // Otherwise, ngrok keeps the session of an earlier token.
          force_new_session: true,
          onStatusChange(status) {
            if (status === 'closed')
              ended.reject(
                new TunnelProblem(say('The connection to ngrok was lost'), say('Check your network')),
              )
          },
        })
        .catch((cause: unknown) => {
          throw refused(cause, token)
        })
      try {
        const url = listener.url()
        if (url === null)
          throw new TunnelProblem(
            say('ngrok returned no URL'),
            say('Check the domain in the ngrok dashboard'),
          )
        if (!signal.aborted) onUrl(url)
        await ended.promise
      } finally {
        await listener.close().catch(() => undefined)
      }
    },
  }
}

async function load(packagesDir: string): Promise<Ngrok> {
  try {
    const path = createRequire(join(packagesDir, 'package.json')).resolve('@ngrok/ngrok')
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Ngrok & {
      readonly default?: Ngrok
    }
    return loaded.default ?? loaded
  } catch (cause) {
    throw new TunnelProblem(
      say('The package @ngrok/ngrok is not installed'),
      say('Install it with: {{command}}', { command: `npm install --prefix "${packagesDir}" @ngrok/ngrok` }),
      { needsUser: true, cause },
    )
  }
}

/** ngrok's messages have several lines, and can repeat the token. */
function refused(cause: unknown, token: string): TunnelProblem {
  const text = (cause instanceof Error ? cause.message : String(cause)).replaceAll(token, '***')
  const line = text.split('\n').find((one) => one.trim() !== '') ?? 'no reason given'
  const isAuth = /auth|ERR_NGROK_1\d\d\b/i.test(text)
  return new TunnelProblem(
    say('ngrok refused the connection: {{reason}}', { reason: line.trim().slice(0, 300) }),
    isAuth
      ? say('Copy the authtoken from the ngrok dashboard again')
      : say('Check the ngrok dashboard and your network'),
    { needsUser: isAuth, cause },
  )
}
