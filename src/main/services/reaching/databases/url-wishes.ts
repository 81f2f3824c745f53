/** The parameters at the end of a database URL. One that has no meaning here is rejected by name. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { SSL_MODES, type SslMode } from './server-tls.ts'

export interface UrlWishes {
  readonly sslmode: SslMode | null
  readonly connectMs?: number
  readonly applicationName?: string
  readonly channelBinding?: (typeof CHANNEL_BINDINGS)[number]
  readonly session?: (typeof SESSIONS)[number]
}

const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const
const SESSIONS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const

/** MySQL's names for the modes. */
const MYSQL_MODES: Readonly<Record<string, SslMode>> = {
  DISABLED: 'disable',
  REQUIRED: 'require',
  VERIFY_CA: 'verify-ca',
  VERIFY_IDENTITY: 'verify-full',
}

type Read = (value: string, name: string) => Partial<UrlWishes>

const sslmode: Read = (value, name) => ({ sslmode: oneOf(SSL_MODES, value, name) })
const connect_timeout: Read = (value, name) => {
  const seconds = /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (seconds < 1) throw wrong(name, value, 'a whole number of seconds from 1 to 999')
  return { connectMs: seconds * 1_000 }
}

const KNOWN: Readonly<Record<'postgres' | 'mysql', Readonly<Record<string, Read>>>> = {
  postgres: {
    sslmode,
    connect_timeout,
    sslrootcert(value, name) {
      if (value === 'system') return { sslmode: 'verify-full' }
      throw wrong(name, value, 'system; enter another authority as CA certificate of the connector auth')
    },
    application_name: (value) => ({ applicationName: value.slice(0, 60) }),
    channel_binding: (value, name) => ({
      channelBinding: oneOf(CHANNEL_BINDINGS, value, name),
    }),
    target_session_attrs: (value, name) => ({ session: oneOf(SESSIONS, value, name) }),
  },
  mysql: {
    sslmode,
    connect_timeout,
    'ssl-mode'(value, name) {
      const mode = MYSQL_MODES[value.toUpperCase()]
      if (mode === undefined) throw wrong(name, value, listed(Object.keys(MYSQL_MODES)))
      return { sslmode: mode }
    },
    charset(value, name) {
      if (value.toLowerCase() === 'utf8mb4') return {}
      throw wrong(name, value, 'utf8mb4')
    },
  },
}

/** @throws AppError naming the parameter */
export function readWishes(kind: 'postgres' | 'mysql', parameters: URLSearchParams): UrlWishes {
  let wishes: UrlWishes = { sslmode: null }
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    const read = Object.hasOwn(KNOWN[kind], name) ? KNOWN[kind][name] : undefined
    if (read === undefined) throw unknown(kind, name)
    if (seen.has(name))
      throw new AppError(
        'validation',
        say('"{{name}}" is in the database URL twice; remove one of them', { name }),
      )
    seen.add(name)
    const wish = read(value, name)
    if (wish.sslmode && wishes.sslmode && wish.sslmode !== wishes.sslmode) {
      throw new AppError(
        'validation',
        say(
          '"{{name}}" in the database URL asks for {{wish}}, and another parameter asks for {{other}}; remove one of them',
          { name, wish: wish.sslmode, other: wishes.sslmode },
        ),
      )
    }
    wishes = { ...wishes, ...wish }
  }
  return wishes
}

function unknown(kind: 'postgres' | 'mysql', name: string): AppError {
  const shown = name.slice(0, 40)
  return new AppError(
    'validation',
    /^ssl-?(?:cert|key|ca|password)$/.test(name)
      ? say(
          '"{{parameter}}" in the database URL isn\'t supported; enter the certificates in the connector auth',
          { parameter: shown },
        )
      : say('"{{parameter}}" in the database URL isn\'t supported; remove it, or use one of {{known}}', {
          parameter: shown,
          known: listed(Object.keys(KNOWN[kind])),
        }),
  )
}

function oneOf<T extends string>(values: readonly T[], value: string, name: string): T {
  const found = values.find((one) => one === value)
  if (found === undefined) throw wrong(name, value, listed(values))
  return found
}

const wrong = (name: string, value: string, values: string) =>
  new AppError(
    'validation',
    say('"{{parameter}}" in the database URL is {{value}}; it can be {{known}}', {
      parameter: name,
      value: value.slice(0, 40),
      known: values,
    }),
  )

const listed = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
