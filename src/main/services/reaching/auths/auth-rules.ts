/** The rules for saving a connector auth, and the state that it then has. */
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { parseReference } from '../../../../shared/contract/base/secret-references.ts'
import {
  type ConnectorAuth,
  type ConnectorAuthPatch,
  VAULT_TYPES,
} from '../../../../shared/contract/connector-auths.ts'
import { type Connector, hasUser, serverKindOf } from '../../../../shared/contract/connectors.ts'
import type { Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import { requireEnvRead } from '../../keeping/saving/require-env-read.ts'
import type { Caller } from '../../kit/caller.ts'
import type { AuthOrigins } from './auth-origins.ts'
import { type AuthSecrets, isSecretField } from './auth-secrets.ts'

interface AuthRulesOptions {
  readonly store: Pick<Store, 'actions' | 'connectorAuths' | 'connectors' | 'users'>
  readonly origins: Pick<AuthOrigins, 'review'>
  readonly env: Pick<Env, 'secretNames'>
}

export function createAuthRules({ store, origins, env }: AuthRulesOptions) {
  function requireConnector(id: string): Connector {
    const connector = store.connectors.get(id)
    if (connector === null)
      throw fieldErrors({ connector_id: [say('isn\'t the ID of a connector: "{{id}}"', { id })] })
    return connector
  }

  function requireUsers({ user_ids: ids }: ConnectorAuth['access']): void {
    const unknown = ids.find((id) => store.users.get(id) === null)
    if (unknown !== undefined)
      throw fieldErrors({
        'access.user_ids': [say('isn\'t the ID of a user: "{{id}}"', { id: unknown.slice(0, 60) })],
      })
  }

  /**
   * Only the owner can change access; otherwise, anybody who can use the auth could share it with others, or hide it
   * from them.
   */
  function requireOwner({ userId }: Caller, { id, name }: ConnectorAuth): void {
    if (store.connectorAuths.ownerOf(id) === userId) return
    throw new AppError(
      'forbidden',
      say('Only the owner of the connector auth "{{name}}" can change who can use it', { name }),
    )
  }

  /** An auth's origins also receive the env variables that its connector sends. */
  function requireEnv(
    caller: Caller,
    connector: Connector,
    { api_endpoint: endpoint, user_input: input }: ConnectorAuthPatch,
  ): void {
    if (!endpoint && input === undefined) return
    requireEnvRead(caller, env.secretNames(), { connector, actions: store.actions.ofConnector(connector.id) })
  }

  /** Secrets that weren't sent again must stay with their origins; an auth that is already waiting can be changed. */
  function requireKnownOrigins(
    before: ConnectorAuth,
    patch: ConnectorAuthPatch,
    kept: readonly string[],
  ): void {
    const { new_origins: awaited = [] } = before
    const fresh = origins.review(before.id).filter((origin) => !awaited.includes(origin))
    if (fresh.length === 0) return
    const field = (['api_endpoint', 'user_input', 'auth_type'] as const).find(
      (key) => patch[key] !== undefined,
    )
    throw fieldErrors({
      [field ?? 'user_input']: [
        say(
          'would send stored secrets ({{names}}) to the new origin {{origins}}; send them again with the change, or send them empty',
          { names: kept.join(', '), origins: fresh.join(', ') },
        ),
      ],
    })
  }

  return { requireConnector, requireUsers, requireOwner, requireEnv, requireKnownOrigins }
}

export function requireAuthType(
  { name, auth_config: { auth_types: allowed = [] } }: Connector,
  type: string,
): void {
  if (allowed.length === 0 || (allowed as string[]).includes(type)) return
  throw fieldErrors({
    auth_type: [
      say('is {{value}}, which "{{name}}" doesn\'t support; it supports {{names}}', {
        value: JSON.stringify(type),
        name,
        names: allowed.join(', '),
      }),
    ],
  })
}

/**
 * Only the owner, in the app or on the command line, can decide what is read on this computer; a token can't. A token
 * that sends references back unchanged is accepted.
 *
 * @throws AppError `forbidden`
 */
export function ownReferences<T extends Pick<ConnectorAuthPatch, 'references'>>(
  { kind }: Pick<Caller, 'kind'>,
  patch: T,
  before: Readonly<Record<string, string>>,
): T {
  const { references } = patch
  if (references === undefined || kind === 'session') return patch
  if (
    Object.entries(references).every(([name, text]) => Object.hasOwn(before, name) && before[name] === text)
  )
    return { ...patch, references: undefined }
  throw new AppError(
    'forbidden',
    say("References to secrets can't be set with a token; enter them in the app, or send the secret itself"),
    { data: { references: ["can't be set with a token"] } },
  )
}

/**
 * Null if such an auth's secrets can be kept elsewhere. Protocols other than HTTP are excluded, because nothing removes
 * secrets from their servers' responses.
 */
export function whyNotReferable(
  { auth_type: type, api_endpoint: endpoint }: Pick<ConnectorAuth, 'auth_type' | 'api_endpoint'>,
  { id, base_domain: base }: Pick<Connector, 'id' | 'base_domain'>,
): Said | null {
  if (!VAULT_TYPES.has(type))
    return say("can't be read from a vault for the type {{type}}; store the secret itself", { type })
  if (serverKindOf(id, endpoint || base) === null) return null
  return say("can't be read from a vault for a server that isn't called by HTTP; store the secret itself")
}

/** @throws AppError `validation` */
export function requireReferable(
  auth: Pick<ConnectorAuth, 'auth_type' | 'api_endpoint'>,
  connector: Connector,
  references: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(references)) {
    const field = `references.${name}`
    const problem = whyNotReferable(auth, connector)
    if (problem !== null) throw fieldErrors({ [field]: [problem] })
    if (!isSecretField(connector, name))
      throw fieldErrors({ [field]: [say("isn't a field for a secret of this connector")] })
    if (parseReference(text) === null)
      throw fieldErrors({
        [field]: [
          say(
            "isn't a reference such as op://vault/item/field, bw:item, pass:path, keychain:service/account, env:NAME or file:/path",
          ),
        ],
      })
  }
}

export function initialState(
  type: ConnectorAuth['auth_type'],
  { auth_token: token = '', refresh_token: refresh = '' }: AuthSecrets,
  connector: Connector,
): ConnectorAuth['state'] {
  if (type !== 'oauth2' || token !== '' || refresh !== '') return 'ok'
  return hasUser(connector) ? 'needs_authorization' : 'ok'
}

interface StateSource {
  readonly secrets: AuthSecrets
  readonly connector: Connector
  /** Whether a token was entered with this change. */
  readonly isNewToken: boolean
}

/** A state caused by the old credentials ends with them. */
export function stateAfter(
  before: ConnectorAuth,
  after: ConnectorAuth,
  { secrets, connector, isNewToken }: StateSource,
): ConnectorAuth['state'] {
  const isUnchanged = before.auth_type === after.auth_type && before.state !== 'needs_reentry' && !isNewToken
  const isOver = before.state === 'expired' || before.state === 'needs_authorization'
  return isUnchanged && isOver ? before.state : initialState(after.auth_type, secrets, connector)
}
