/** Separates the secret parts of a connector auth from those that are shown. */
import { say } from '../../../../shared/contract/base/message.ts'
import type {
  AuthSecret,
  ConnectorAuth,
  ConnectorAuthPatch,
} from '../../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../../shared/contract/connectors.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import {
  isAddress,
  isSameHost,
  parseApiEndpoint,
  STORED_PASSWORD,
  writeApiEndpoint,
  type ApiEndpoint,
} from '../sending/api-endpoint.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { DataMap } from '@millrace/jinja/data'
import { joinFields, splitFields, type Fields } from '../../keeping/secrets/secret-fields.ts'

/**
 * `auth_token`, `password`, `refresh_token`, `api_endpoint` (the password in it) and `user_input.<place>`, each with
 * its value.
 */
export type AuthSecrets = Readonly<Record<string, string>>

export interface SplitAuth {
  /** The part stored in plain text, with `***` in place of a password in the URL. */
  readonly shown: Omit<ConnectorAuthPatch, AuthSecret | 'references'>
  /** All secrets of the auth after the change. */
  readonly secrets: AuthSecrets
  /** References to the secrets that are kept elsewhere; no field is also in `secrets`. */
  readonly references: AuthSecrets
  /** Whether any secrets were sent. */
  readonly touched: boolean
  /** Names of stored secrets that were not sent again. */
  readonly kept: readonly string[]
}

export interface SplitAuthContext {
  readonly connector: Pick<Connector, 'auth_config'>
  /** The stored auth; null for a new one. */
  readonly before: {
    readonly api_endpoint: string
    readonly secrets: AuthSecrets
    readonly references: AuthSecrets
  } | null
}

const ENDPOINT = 'api_endpoint'
const USER_INPUT = 'user_input.'

/**
 * Merges the sent fields over the stored ones. An absent secret stays; an empty one, or a null in `user_input`, is
 * deleted.
 *
 * @throws AppError `validation` if `***` has no stored value behind it, or would move the value to another host
 */
export function splitAuth(patch: ConnectorAuthPatch, { connector, before }: SplitAuthContext): SplitAuth {
  const {
    auth_token,
    password,
    refresh_token,
    api_endpoint: endpoint,
    user_input: input,
    references: placedElsewhere = {},
    ...open
  } = patch
  const plain = { auth_token, password, refresh_token }
  const known = before?.secrets ?? {}
  // A URL sent back as it was shown changes nothing, even if its password can no longer be read.
  const isNewAddress = endpoint !== undefined && endpoint !== before?.api_endpoint
  const address = isNewAddress ? splitEndpoint(endpoint, before) : null
  const fields = input === undefined ? null : splitFields(input, isSecretInput(connector), 'user_input')
  const sent: Record<string, string | null | undefined> = {
    ...plain,
    ...(address ? { [ENDPOINT]: address.password } : {}),
    ...(fields ? placed(fields.secrets, fields.cleared) : {}),
  }
  const literals = withoutUndefined(sent)
  const isElsewhere = (name: string) => Boolean(placedElsewhere[name])
  const both = Object.keys(placedElsewhere).find((name) => isElsewhere(name) && literals[name])
  if (both !== undefined)
    throw fieldErrors({
      [`references.${both}`]: [say('is given together with the secret itself; send only one of them')],
    })
  const secrets = given({ ...known, ...literals }).filter(([name]) => !isElsewhere(name))
  // Entering a secret replaces the reference, and clearing the field removes it.
  const keptElsewhere = Object.entries(before?.references ?? {}).filter(([name]) => !(name in literals))
  const references = given({ ...Object.fromEntries(keptElsewhere), ...placedElsewhere })
  return {
    shown: {
      ...open,
      ...(address ? { api_endpoint: address.shown } : {}),
      ...(fields ? { user_input: fields.shown as ConnectorAuth['user_input'] } : {}),
    },
    secrets: Object.fromEntries(secrets),
    references: Object.fromEntries(references),
    kept: [
      ...secrets
        .map(([name]) => name)
        .filter(
          (name) => known[name] !== undefined && (sent[name] === undefined || isStandIn(name, address)),
        ),
      ...references.map(([name]) => name).filter((name) => !isElsewhere(name)),
    ],
    touched: [...Object.values(sent), ...Object.values(placedElsewhere)].some(Boolean),
  }
}

function given(values: Readonly<Record<string, string | null>>): [string, string][] {
  return Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]))
}

/** In a URL, `***` is the placeholder for the stored password. */
function isStandIn(name: string, address: SplitEndpoint | null): boolean {
  return name === ENDPOINT && address?.isKept === true
}

/** Opens an auth for a call; the result is never stored, shown or logged. */
export function openAuthOf(auth: ConnectorAuth, secrets: AuthSecrets): OpenAuth {
  const { api_endpoint, user_input } = joinAuth(auth, secrets)
  return {
    id: auth.id,
    connector_id: auth.connector_id,
    auth_type: auth.auth_type,
    auth_token: secrets['auth_token'] ?? '',
    auth_details: auth.auth_details,
    api_endpoint,
    user_input: user_input as DataMap,
    username: auth.username,
    password: secrets['password'] ?? '',
  }
}

/** The same auth with the secrets read from elsewhere, by field. */
export function withRead(auth: OpenAuth, read: AuthSecrets): OpenAuth {
  const { user_input } = joinAuth(
    { api_endpoint: '', user_input: auth.user_input as ConnectorAuth['user_input'] },
    read,
  )
  return {
    ...auth,
    auth_token: read['auth_token'] ?? auth.auth_token,
    password: read['password'] ?? auth.password,
    user_input: user_input as DataMap,
  }
}

/** Restores the password in the URL and the secrets in the input, for a call. */
export function joinAuth(
  { api_endpoint: endpoint, user_input: input }: Pick<ConnectorAuth, 'api_endpoint' | 'user_input'>,
  secrets: AuthSecrets,
): { readonly api_endpoint: string; readonly user_input: Fields } {
  const parts = parseApiEndpoint(endpoint)
  const password = secrets[ENDPOINT]
  const inputSecrets = Object.entries(secrets)
    .filter(([name]) => name.startsWith(USER_INPUT))
    .map(([name, secret]) => [name.slice(USER_INPUT.length), secret] as const)
  return {
    api_endpoint: parts && password !== undefined ? writeApiEndpoint({ ...parts, password }) : endpoint,
    user_input: joinFields(input, Object.fromEntries(inputSecrets)),
  }
}

interface SplitEndpoint {
  readonly shown: string
  /** Null if the URL has none. */
  readonly password: string | null
  readonly isKept: boolean
}

function splitEndpoint(endpoint: string, before: SplitAuthContext['before']): SplitEndpoint {
  const text = endpoint.trim()
  const parts = parseApiEndpoint(text)
  if (parts === null) {
    throw fieldErrors({
      api_endpoint: [
        say(
          "can't be separated from its password; write / as %2F, ? as %3F, # as %23 and \\ as %5C in a password",
        ),
      ],
    })
  }
  if (text !== '' && !isAddress(parts)) {
    throw fieldErrors({
      api_endpoint: [
        say(
          "isn't a URL; write it with scheme and host, such as https://api.example.com or sftp://ann@files.example.com/in",
        ),
      ],
    })
  }
  if (parts.password === null || parts.password === '') return { shown: text, password: null, isKept: false }
  const shown = writeApiEndpoint({ ...parts, password: STORED_PASSWORD })
  const isKept = parts.password === STORED_PASSWORD
  return { shown, password: isKept ? keptPassword(parts, before) : parts.password, isKept }
}

/** If `***` was sent back, keeps the stored password, unless the host changed. */
function keptPassword(parts: ApiEndpoint, before: SplitAuthContext['before']): string {
  const stored = before?.secrets[ENDPOINT]
  if (before === null || stored === undefined) {
    throw fieldErrors({
      api_endpoint: [say('has *** as its password, but none is stored; send the password itself')],
    })
  }
  const known = parseApiEndpoint(before.api_endpoint)
  if (known === null || !isSameHost(known, parts)) {
    throw fieldErrors({
      api_endpoint: [
        say(
          "has another host, which doesn't get the stored password; send the password again instead of ***",
        ),
      ],
    })
  }
  return stored
}

const SECRET_INPUTS = new Set([
  'client_secret',
  'secret',
  'key',
  'private_key',
  'passphrase',
  'pfx',
  'service_account',
  'session_token',
  'subject_token',
  'token_secret',
])

/** Whether the field's value is a secret, which is left out wherever the auth is shown. */
export function isSecretField(connector: SplitAuthContext['connector'], name: string): boolean {
  if (name === 'auth_token' || name === 'password') return true
  return (
    name.startsWith(USER_INPUT) &&
    isSecretInput(connector)(name.slice(USER_INPUT.length).split('/').at(-1) ?? '')
  )
}

/** Common names of secrets, and the fields that the connector's own form masks. */
function isSecretInput({ auth_config: { auth_form: form = [] } }: SplitAuthContext['connector']) {
  const hidden = form.filter((field) => field['type'] === 'password').map((field) => field['name'])
  return (key: string) => SECRET_INPUTS.has(key.toLowerCase()) || hidden.includes(key)
}

function placed(secrets: AuthSecrets, cleared: readonly string[]): Record<string, string | null> {
  return Object.fromEntries([
    ...Object.entries(secrets).map(([place, secret]) => [`${USER_INPUT}${place}`, secret] as const),
    ...cleared.map((place) => [`${USER_INPUT}${place}`, null] as const),
  ])
}

function withoutUndefined<T>(values: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined),
  )
}
