/** Converts an import's findings about credentials to the fields of a connector. */
import type { Json } from '../../../shared/contract/base/common.ts'
import type { Said } from '../../../shared/contract/base/message.ts'
import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { inputName, titleCase } from './draft.ts'

type Place = 'header' | 'query' | 'cookie'

/** One credential: a token of some type, or a key in a header or query parameter. */
export interface Credential {
  /** Its name in the source. */
  readonly scheme: string
  readonly type: AuthType
  readonly place: Place
  readonly name: string
  /** Further keys of `auth_config`, for the sign-in or the signature. */
  readonly config?: Readonly<Record<string, Json>>
  /** A remark about the credential, or something to do. */
  readonly remark?: Said
}

/** Sorted from the most to the least specific about who is calling. */
export const RANK = [
  'oauth2',
  'bearer',
  'client_certificate',
  'aws_sigv4',
  'oauth1',
  'hmac',
  'username_password',
  'digest',
  'basic_auth',
  'api_key',
] as const
export type AuthType = (typeof RANK)[number]

/** The expression that reads a credential other than the auth's main one. */
export const readExtra = ({ scheme }: Credential): string => `(auth.user_input or {}).${inputName(scheme)}`

export function connectorOf(
  main: readonly Credential[],
  extras: readonly Credential[],
  scopes: readonly string[],
): Partial<ConnectorDraft> {
  if (main.length === 0) return {}
  const config = Object.fromEntries(main.flatMap((one) => Object.entries(one.config ?? {})))
  const declared = config['scope']
  const custom: Record<string, string> = {}
  for (const extra of extras) if (extra.place === 'header') custom[extra.name] = `{{ ${readExtra(extra)} }}`
  const cookies = extras.filter(({ place }) => place === 'cookie')
  if (cookies.length > 0)
    custom['Cookie'] =
      `{{ [${cookies.map((one) => `'${one.name}=' ~ ${readExtra(one)} if ${readExtra(one)}`).join(', ')}] | select | join('; ') or none }}`
  const isOnly = main.length === 1
  const keyed = main.filter((one) => one.place !== 'header' || one.name !== 'Authorization')
  const inQuery = main.find(({ place }) => place === 'query')
  const inCookie = main.find(({ place }) => place === 'cookie')
  const pick = (values: ReadonlyMap<AuthType, string>, otherwise: string): string =>
    isOnly
      ? ([...values.values()][0] ?? otherwise)
      : `{{ ${[...values].map(([type, value]) => `'${value}' if auth.auth_type == '${type}' else `).join('')}'${otherwise}' }}`
  const needsHeader = keyed.length > 0 || Object.keys(custom).length > 0
  const headerKeys = new Map(
    keyed.map(({ type, place, name }) => [
      type,
      place === 'query' ? '' : place === 'cookie' ? 'Cookie' : name,
    ]),
  )
  return {
    auth_config: {
      auth_types: main.map(({ type }) => type),
      auth_form: [...fieldsOf(main), ...extras.map((extra) => extraField(extra))],
      ...config,
      ...(scopes.length > 0 ? { scope: scopes } : declared === undefined ? {} : { scope: declared }),
    },
    ...(needsHeader
      ? {
          header: {
            token_in_header: !(isOnly && inQuery !== undefined),
            header_key: isOnly && inQuery !== undefined ? 'Authorization' : pick(headerKeys, 'Authorization'),
            token_prefix:
              inCookie === undefined
                ? '{{ token }}'
                : isOnly
                  ? `${inCookie.name}={{ token }}`
                  : `{{ '${inCookie.name}=' if auth.auth_type == '${inCookie.type}' else '' }}{{ token }}`,
            content_type: 'application/json',
            custom_headers: custom,
          },
        }
      : {}),
    ...(inQuery === undefined
      ? {}
      : {
          url_token_extension: {
            key: pick(new Map([[inQuery.type, inQuery.name]]), ''),
            value: '{{ token }}',
          },
        }),
  }
}

function fieldsOf(main: readonly Credential[]): Record<string, Json>[] {
  const required = main.length === 1
  const token = main.find(({ type }) => type === 'api_key' || type === 'bearer' || type === 'basic_auth')
  const password = { name: 'password', label: 'Password', type: 'password', required }
  return [
    ...(token === undefined
      ? []
      : [
          {
            name: 'auth_token',
            label:
              token.type === 'bearer'
                ? 'Token'
                : token.type === 'basic_auth'
                  ? 'Authorization, scheme included'
                  : token.name,
            type: 'password',
            required,
          },
        ]),
    ...(main.some(({ type }) => type === 'username_password' || type === 'digest')
      ? [{ name: 'username', label: 'Username', type: 'text', required }, password]
      : []),
  ]
}

const extraField = ({ scheme }: Credential): Record<string, Json> => ({
  name: inputName(scheme),
  label: titleCase(inputName(scheme)),
  type: 'password',
  required: true,
})
