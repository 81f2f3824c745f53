import type {
  AuthSecret,
  ConnectorAuth,
  createConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import { AUTH_TYPES } from '../../../shared/contract/connectors.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import type { RouteInput } from '../../../shared/contract/base/route.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { readAuthFields } from '../../lib/schema-fields.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'

export type AuthBody = RouteInput<typeof createConnectorAuthRoute>['body']
export type AuthType = (typeof AUTH_TYPES)[number]

/** The values of the form. Secrets are empty until they are typed: stored ones are never sent to the page. */
export interface AuthDraft {
  readonly connector_id: string
  readonly name: string
  readonly auth_type: AuthType
  readonly auth_token: string
  readonly username: string
  readonly password: string
  readonly refresh_token: string
  readonly api_endpoint: string
  readonly auth_details: string
  readonly user_input: Readonly<Record<string, unknown>>
  /** References to secrets that are kept elsewhere, as entered; null removes a reference. */
  readonly references: Readonly<Record<string, string | null>>
  readonly tags: readonly string[]
  readonly access: ConnectorAuth['access']
}

export function emptyDraft(connectorId: string, connector: Connector | undefined): AuthDraft {
  return {
    connector_id: connectorId,
    name: connector === undefined ? '' : t('{{name}} connector auth', { name: connector.name }),
    auth_type: connector?.auth_config.auth_types?.[0] ?? 'bearer',
    auth_token: '',
    username: '',
    password: '',
    refresh_token: '',
    api_endpoint: '',
    auth_details: '',
    user_input: {},
    references: {},
    tags: [],
    access: { visibility: 'account', user_ids: [] },
  }
}

export function toDraft(auth: ConnectorAuth): AuthDraft {
  return {
    connector_id: auth.connector_id,
    name: auth.name,
    auth_type: auth.auth_type,
    username: auth.username,
    api_endpoint: auth.api_endpoint,
    auth_details: auth.auth_details,
    user_input: auth.user_input,
    references: {},
    tags: auth.tags,
    access: auth.access,
    auth_token: '',
    password: '',
    refresh_token: '',
  }
}

/** The request body. It contains only secrets that were typed, so that the other stored ones stay. */
export function toBody(draft: AuthDraft): AuthBody {
  const { auth_token, password, refresh_token, tags, user_input, references, ...rest } = draft
  return {
    ...rest,
    tags: [...tags],
    user_input: user_input as AuthBody['user_input'],
    ...(auth_token === '' ? {} : { auth_token }),
    ...(password === '' ? {} : { password }),
    ...(Object.keys(references).length === 0 ? {} : { references: { ...references } }),
    ...(refresh_token === '' ? {} : { refresh_token }),
  }
}

/** An empty list of a connector allows every type. */
export function allowedTypes(connector: Connector | undefined): readonly AuthType[] {
  const types = connector?.auth_config.auth_types ?? []
  return types.length === 0 ? AUTH_TYPES : types
}

export const AUTH_TYPE_WORDS: {
  readonly [T in AuthType]: { readonly label: English; readonly hint: English }
} = {
  bearer: { label: english('Bearer token'), hint: english('Authorization: Bearer …') },
  basic_auth: {
    label: english('Basic, pre-encoded'),
    hint: english('Authorization header, sent as entered, including the prefix'),
  },
  username_password: {
    label: english('Username and password'),
    hint: english('HTTP Basic, and logins for SFTP, SMTP and SQL'),
  },
  api_key: {
    label: english('API key'),
    hint: english('In the header or query parameter set by the connector'),
  },
  oauth2: { label: english('OAuth 2'), hint: english('Sign in on the API provider’s page') },
  digest: { label: english('HTTP Digest'), hint: english('Username and password, never sent in plain text') },
  oauth1: {
    label: english('OAuth 1.0a'),
    hint: english('Signs each request with a consumer key and a token'),
  },
  aws_sigv4: { label: english('AWS signature'), hint: english('Signs each request with an access key') },
  hmac: { label: english('HMAC signature'), hint: english('Signs each request as the connector describes') },
  client_certificate: {
    label: english('Client certificate'),
    hint: english('Mutual TLS, plus a token if the API requires one'),
  },
  none: { label: english('None'), hint: english('No credentials') },
}

/** The secret fields of a type. */
export const SECRET_FIELDS: {
  readonly [T in AuthType]: readonly {
    readonly key: AuthSecret
    readonly label: English
  }[]
} = {
  bearer: [{ key: 'auth_token', label: english('Token') }],
  basic_auth: [{ key: 'auth_token', label: english('Value of the Authorization header') }],
  username_password: [{ key: 'password', label: english('Password') }],
  api_key: [{ key: 'auth_token', label: english('Key') }],
  oauth2: [
    { key: 'auth_token', label: english('Access token') },
    { key: 'refresh_token', label: english('Refresh token') },
  ],
  digest: [{ key: 'password', label: english('Password') }],
  oauth1: [
    { key: 'password', label: english('Consumer secret') },
    { key: 'auth_token', label: english('Access token') },
  ],
  aws_sigv4: [{ key: 'password', label: english('Secret access key') }],
  hmac: [{ key: 'password', label: english('Signing secret') }],
  client_certificate: [{ key: 'auth_token', label: english('Token') }],
  none: [],
}

/** Labels of the user name, for types that have one. */
export const USERNAME_LABELS: { readonly [T in AuthType]?: English } = {
  username_password: english('Username'),
  digest: english('Username'),
  oauth1: english('Consumer key'),
  aws_sigv4: english('Access key ID'),
  hmac: english('Key ID'),
}

/** Further fields of a type, stored in `user_input`. */
export function fieldsOfType(type: AuthType): readonly SchemaField[] {
  return readAuthFields(
    (TYPE_FIELDS[type] ?? []).map(({ label, help, ...field }) => ({
      ...field,
      label: t(label),
      ...(help === undefined ? {} : { help: t(help) }),
    })),
  )
}

interface TypeField {
  readonly name: string
  readonly label: English
  readonly help?: English
  readonly type?: 'textarea' | 'password' | 'select'
  readonly options?: readonly string[]
}

const TYPE_FIELDS: { readonly [T in AuthType]?: readonly TypeField[] } = {
  oauth1: [
    { name: 'token_secret', label: english('Token secret'), type: 'password' },
    {
      name: 'signature_method',
      label: english('Signature method'),
      type: 'select',
      options: ['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT'],
    },
    { name: 'realm', label: english('Realm') },
  ],
  aws_sigv4: [
    {
      name: 'region',
      label: english('Region'),
      help: english('For example eu-central-1. Leave empty to take it from the host name.'),
    },
    {
      name: 'service',
      label: english('Service'),
      help: english('For example s3 or sqs. Leave empty to take it from the host name.'),
    },
    { name: 'session_token', label: english('Session token'), type: 'password' },
  ],
  client_certificate: [
    {
      name: 'certificate',
      label: english('Certificate'),
      help: english('PEM, including intermediate certificates'),
      type: 'textarea',
    },
    { name: 'private_key', label: english('Private key'), help: english('PEM'), type: 'password' },
    {
      name: 'pfx',
      label: english('PKCS #12 file'),
      help: english('Base64, instead of a certificate and key'),
      type: 'password',
    },
    { name: 'passphrase', label: english('Passphrase of the key or the file'), type: 'password' },
    {
      name: 'ca',
      label: english('Certificate authority of the server'),
      help: english('PEM. Leave empty to use the authorities that this computer trusts.'),
      type: 'textarea',
    },
  ],
}
