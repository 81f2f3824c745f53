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

export type AuthBody = RouteInput<typeof createConnectorAuthRoute>['body']
export type AuthType = (typeof AUTH_TYPES)[number]

/** What the form holds. Secrets are empty until they are typed: stored ones are never sent to the page. */
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
    tags: auth.tags,
    access: auth.access,
    auth_token: '',
    password: '',
    refresh_token: '',
  }
}

/** What is sent: secrets only if they were typed, so that stored ones stay. */
export function toBody(draft: AuthDraft): AuthBody {
  const { auth_token, password, refresh_token, tags, user_input, ...rest } = draft
  return {
    ...rest,
    tags: [...tags],
    user_input: user_input as AuthBody['user_input'],
    ...(auth_token === '' ? {} : { auth_token }),
    ...(password === '' ? {} : { password }),
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
  none: [],
}
