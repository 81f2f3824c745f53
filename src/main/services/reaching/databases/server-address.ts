/**
 * Finds the server that a connector auth names, with its login and TLS settings, and checks it like the target of other
 * calls.
 */
import { quoted, say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { SqlCall, SqlStatement, TakeRows } from '../../../engine/flow/model/ports.ts'
import { parseApiEndpoint } from '../sending/api-endpoint.ts'
import { resolveHost } from '../sending/resolve-host.ts'
import { serverUnusable } from '../sending/server-unusable.ts'
import { type DatabaseTls, tlsOf } from './server-tls.ts'
import { readWishes, type UrlWishes } from './url-wishes.ts'

export interface DatabaseServer {
  readonly kind: 'postgres' | 'mysql'
  readonly name: string
  /** The IP address that was checked. */
  readonly address: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  /** Null means no TLS. */
  readonly tls: DatabaseTls | null
  /** The other parameters of the URL. */
  readonly wishes?: UrlWishes
}

export interface ServerCall extends Pick<SqlCall, 'timeoutMs' | 'signal' | 'inTransaction'> {
  readonly statements: readonly SqlStatement[]
  readonly takeRows: TakeRows
}

const KINDS: Readonly<Record<string, Pick<DatabaseServer, 'kind' | 'port'>>> = {
  'postgres://': { kind: 'postgres', port: 5432 },
  'postgresql://': { kind: 'postgres', port: 5432 },
  'mysql://': { kind: 'mysql', port: 3306 },
  'mariadb://': { kind: 'mysql', port: 3306 },
}

export const databaseKindOf = (auth: OpenAuth): DatabaseServer['kind'] => readUrl(auth).kind.kind

export async function findDatabaseServer(auth: OpenAuth): Promise<DatabaseServer> {
  const { endpoint, url, kind, name } = readUrl(auth)
  const wishes = readWishes(kind.kind, url.searchParams)
  const { address, isLocal } = await resolveHost(name, 'database')
  const port = Number(/:(\d+)$/.exec(endpoint.host)?.[1] ?? kind.port)
  const tls = tlsOf(wishes.sslmode, name, isLocal, auth)
  if (tls === null && wishes.channelBinding === 'require') {
    throw new AppError(
      'validation',
      say(
        '"channel_binding" in the database URL is require, which needs TLS; add sslmode=verify-full or sslmode=require to the URL',
      ),
    )
  }
  return {
    kind: kind.kind,
    name,
    address,
    port,
    database: decodeURIComponent(url.pathname.slice(1)),
    user: auth.username || decodeURIComponent(endpoint.user ?? ''),
    password: auth.password || decodeURIComponent(endpoint.password ?? ''),
    tls,
    wishes,
  }
}

function readUrl(auth: OpenAuth) {
  const endpoint = parseApiEndpoint(auth.api_endpoint)
  const url = endpoint && URL.parse(`http://${endpoint.host}${endpoint.rest}`)
  const kind = endpoint && KINDS[endpoint.scheme.toLowerCase()]
  const name = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (endpoint && url && kind && name !== '') return { endpoint, url, kind, name }
  throw new AppError(
    'validation',
    say('Invalid database URL; write it as postgres://host:5432/database or mysql://host:3306/database'),
  )
}

/** Turns a server's error into one for the user. An error without a code from the server or the system is a bug. */
export function refusalOf(error: unknown, { name, port }: DatabaseServer): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const { code = '', detail, said } = error as Error & { code?: string; detail?: string; said?: Said }
  const reason = [error.message, detail]
    .filter((text) => text)
    .join('; ')
    .slice(0, 500)
  const values = { place: `${name}:${port}`, reason }
  if (/^28|^3D000|ACCESS_DENIED|BAD_DB/.test(code)) {
    return new AppError(
      'unauthorized',
      /^28|ER_ACCESS_DENIED/.test(code)
        ? say(
            'The database server {{place}} rejected the login: {{reason}}; check the username and the password',
            values,
          )
        : say(
            'The database server {{place}} rejected the login: {{reason}}; check the database at the end of the URL, and that this user can use it',
            values,
          ),
      { cause: error },
    )
  }
  if (code === '57014')
    return new AppError(
      'timeout',
      say('The database server {{place}} interrupted the statement: {{reason}}', values),
      { cause: error },
    )
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|57)/.test(code)
  if (isSqlState || code.startsWith('ER_'))
    return new AppError(
      'validation',
      say('The database server {{place}} rejected the statement: {{reason}}', values),
      { cause: error },
    )
  const isLate = LATE.test(reason)
  return serverUnusable(isLate ? Object.assign(error, { code: 'ETIMEDOUT' }) : error, {
    server: say('the database server {{name}}', { name }),
    port,
    said: NO_TLS.test(reason)
      ? say("it doesn't offer TLS; add ?sslmode=disable to the URL if you trust the network in between")
      : (said ?? quoted(reason || code)),
    aboutCertificates: say(
      'enter the certificate of its authority in the connector auth, or add ?sslmode=require to the URL to encrypt without checking it',
    ),
  })
}

/** Messages that the libraries report without an error code. */
const NO_TLS = /does not support (?:SSL|secure) connection/
const LATE = /^timeout expired$|due to connection timeout$/
