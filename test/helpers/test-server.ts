import { quoted } from '../../src/shared/contract/base/message.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { AppError } from '../../src/shared/contract/base/errors.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/shared/contract/settings.ts'
import type { App, CoreServices } from '../../src/main/server/mount/app.ts'
import { createServer, type Server } from '../../src/main/server/create-server.ts'
import type { HttpLimits } from '../../src/main/server/listen/http-server.ts'
import { createAuthorization } from '../../src/main/services/keeping/access/authorization.ts'
import { jsonCodec } from '../../src/main/services/kit/json-codec.ts'
import type { JsonCodec, Log, SecureRandom } from '../../src/main/services/kit/ports.ts'
import {
  createSecret,
  hashSecret,
  TOKEN_PREFIX,
} from '../../src/main/services/keeping/access/token-secret.ts'
import type { KnownToken } from '../../src/main/store/records/tokens.ts'
import { createTestTime } from './test-time.ts'

export const SESSION_BEARER = 'the-session-bearer-of-this-test'
export const session = { authorization: `Bearer ${SESSION_BEARER}` } as const

export const testRandom: SecureRandom = { bytes: randomBytes, uuid: randomUUID }

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

export interface TestServer {
  readonly port: number
  readonly server: Server
  readonly logged: LogLine[]
  /** A valid token with these scopes. */
  readonly tokenWith: (...scopes: string[]) => { readonly authorization: string }
}

export interface TestServerOptions {
  readonly json?: JsonCodec
  readonly settings?: Partial<Settings>
  readonly rendererDir?: string
  readonly limits?: Partial<HttpLimits>
  /** False leaves the server starting. */
  readonly ready?: boolean
}

/** The HTTP core with the test's own routes and tokens kept in memory, closed when the test ends. */
export async function startTestServer(
  mount: (app: App) => void,
  {
    settings = {},
    rendererDir = join(tmpdir(), 'no-page-here'),
    ready = true,
    limits = {},
    json = jsonCodec,
  }: TestServerOptions = {},
): Promise<TestServer> {
  const logged: LogLine[] = []
  const known = new Map<string, KnownToken>()
  const current = { ...DEFAULT_SETTINGS, ...settings }
  const log = logInto(logged)
  const services: CoreServices = {
    authorization: createAuthorization({
      store: {
        users: { get: () => null },
        tokens: { findByHash: (hash) => known.get(hash) ?? null, touch: () => {} },
        write: async (work) => work(),
      },
      sessionBearers: [SESSION_BEARER],
      sessionUserId: 'local',
      clock: createTestTime().clock,
      events: { emit: () => {} },
      log,
    }),
    chosenRecords: { requireRoute: () => {} },
    pageSessions: {
      authenticate: () => {
        throw new AppError('unauthorized', quoted('Nobody is signed in'))
      },
    },
    settings: { current: () => current },
    json,
    // Nothing is stored here, so each request is the first with its key, and no record has an ETag to match.
    idempotency: { once: (_request, work) => work() },
    preconditions: { during: (_condition, work) => work() },
    calls: { note: () => undefined },
  }
  const server = createServer({ services, mount, log, random: testRandom, rendererDir, limits })
  const port = await server.listen(0)
  if (ready) server.ready()
  onTestFinished(() => server.close({ graceMs: 0 }))
  return {
    port,
    server,
    logged,
    tokenWith(...scopes) {
      const secret = createSecret(TOKEN_PREFIX, testRandom)
      const id = randomUUID()
      const dates = { created_at: '2030-01-01T00:00:00.000Z', expiration: null, last_used: null }
      const shown = {
        id,
        note: '',
        scopes,
        last_four: secret.slice(-4),
        created_by: null,
        ...dates,
        flow_ids: null,
        auth_ids: null,
      }
      known.set(hashSecret(secret), { ...shown, user_id: 'local' })
      return { authorization: `Bearer ${secret}` }
    },
  }
}

export function logInto(lines: LogLine[]): Log {
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}
