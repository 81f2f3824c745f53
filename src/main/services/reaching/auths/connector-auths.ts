/**
 * Connector auths: credentials for connectors. Their secrets are write-only: calls use them, but they are never shown.
 */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { isDeepStrictEqual } from 'node:util'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import type {
  ConnectorAuth,
  ConnectorAuthPatch,
  RateLimit,
} from '../../../../shared/contract/connector-auths.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Clock, SendRequest } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { FROM_VAULT, type OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { AuthOrigins } from './auth-origins.ts'
import {
  createAuthRules,
  initialState,
  ownReferences,
  requireAuthType,
  requireReferable,
  stateAfter,
  whyNotReferable,
} from './auth-rules.ts'
import { authNotFound, closedToChosen } from '../../keeping/access/chosen-records.ts'
import { expiryOf } from './expiry.ts'
import { openAuthOf, splitAuth, withRead, type AuthSecrets } from './auth-secrets.ts'
import type { SecretReader } from '../../keeping/secrets/secret-reader.ts'
import { type Caller, reachesAuth, reachesFlow } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { listNames, type FlowsUsing } from '../../keeping/saving/flows-using.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { sentKeys } from '../../kit/patch.ts'
import type { Outgoing } from '../sending/outgoing.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'

export type ConnectorAuthsService = ReturnType<typeof createConnectorAuthsService>

export interface ChangedAuth {
  readonly auth: OpenAuth
  readonly secrets: readonly string[]
  /** Restricts a sender to the origins that its secrets may be sent to. */
  readonly bound: (send: SendRequest) => SendRequest
  /** Whether its secrets may be sent to that URL, for protocols other than HTTP. */
  readonly isAllowed: (address: string) => boolean
}

export type NewAuth = ConnectorAuthPatch & Pick<ConnectorAuth, 'connector_id' | 'name' | 'auth_type'>

export interface ConnectorAuthsOptions {
  readonly store: Pick<
    Store,
    'connectorAuths' | 'connectorAuthUses' | 'connectors' | 'actions' | 'users' | 'write'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly flowsUsing: FlowsUsing
  readonly outgoing: Pick<Outgoing, 'limitsOf'>
  readonly origins: Pick<AuthOrigins, 'bind' | 'boundNow' | 'review' | 'requireBound'>
  readonly env: Pick<Env, 'secretNames'>
  readonly vaults: Pick<SecretReader, 'read' | 'forget'>
  /** Called when an auth's secrets are read for a call. */
  readonly onUse?: (authId: string) => void
  readonly onChanged?: (authId: string) => void
}

type Defaulted = 'auth_details' | 'api_endpoint' | 'user_input' | 'username' | 'tags' | 'access'

const AUTH_DEFAULTS: Pick<ConnectorAuth, Defaulted> = {
  auth_details: '',
  api_endpoint: '',
  user_input: {},
  username: '',
  tags: [],
  access: { visibility: 'account', user_ids: [] },
}

export function createConnectorAuthsService(options: ConnectorAuthsOptions) {
  const { store, clock, random, events, flowsUsing, outgoing, origins, vaults, onUse, onChanged } = options
  const { requireConnector, requireUsers, requireOwner, requireEnv, requireKnownOrigins } =
    createAuthRules(options)
  const now = () => new Date(clock.now()).toISOString()

  /** @throws AppError `not_found`, also if the caller's user can't see it */
  function read(caller: Pick<Caller, 'userId' | 'authIds'>, id: string): ConnectorAuth {
    const auth = reachesAuth(caller, id) ? store.connectorAuths.get(id, caller.userId) : null
    if (auth === null) throw authNotFound(id)
    return auth
  }

  /** Null if this machine can't decrypt them; then they have to be entered again. */
  function secretsOf(id: string): AuthSecrets | null {
    try {
      return store.connectorAuths.secretsOf(id)
    } catch {
      return null
    }
  }

  /** The store decides who can see an auth, so this asks it for each user. */
  function announce(type: 'created' | 'updated' | 'deleted', id: string, users: readonly string[]): void {
    events.emit({ type, noun: 'connector_auth', id }, users)
  }

  function viewersOf(id: string): string[] {
    return store.users
      .list()
      .records.filter((user) => store.connectorAuths.get(id, user.id) !== null)
      .map((user) => user.id)
  }

  /** Call it in a transaction. */
  function change(caller: Caller, id: string, sent: ConnectorAuthPatch): ConnectorAuth {
    const before = read(caller, id)
    const placed = store.connectorAuths.referencesOf(id)
    const patch = ownReferences(caller, sent, placed)
    if (patch.connector_id !== undefined && patch.connector_id !== before.connector_id) {
      throw fieldErrors({ connector_id: [say("can't be changed; create an auth for the other connector")] })
    }
    const connector = requireConnector(before.connector_id)
    if (patch.auth_type !== undefined) requireAuthType(connector, patch.auth_type)
    requireEnv(caller, connector, patch)
    const known = secretsOf(id)
    const { shown, secrets, references, touched, kept } = splitAuth(patch, {
      connector,
      before: { api_endpoint: before.api_endpoint, secrets: known ?? {}, references: placed },
    })
    // The lifetime of a token that somebody entered is unknown.
    const isKept = patch.auth_token === undefined && before.auth_type === 'oauth2'
    const token_expires_at = isKept ? before.token_expires_at : null
    const merged = { ...before, ...sentKeys(shown), token_expires_at, updated_at: now() }
    requireReferable(merged, connector, references)
    // If the secrets can't be decrypted here, the known expiry stays.
    const isEntered = merged.auth_type !== 'oauth2' && (known !== null || touched)
    const after = isEntered ? { ...merged, token_expires_at: expiryOf(openAuthOf(merged, secrets)) } : merged
    if (!areSame(before.access, after.access)) {
      requireOwner(caller, before)
      requireUsers(after.access)
    }
    // Unreadable secrets are kept until others are entered instead.
    const stored = known === null && !touched ? undefined : secrets
    const opened = known === null ? null : openAuthOf(before, known)
    store.connectorAuths.update(
      {
        ...after,
        state: stateAfter(before, after, {
          secrets,
          connector,
          isNewToken: (patch.auth_token ?? patch.refresh_token ?? '') !== '',
        }),
      },
      stored,
    )
    store.connectorAuths.setReferences(id, references)
    if (kept.length === 0 && (known !== null || touched)) origins.bind(id)
    else requireKnownOrigins(before, patch, kept)
    const changed = store.connectorAuths.get(id) ?? after
    // The last test was of the old credentials.
    if (
      opened === null ||
      !isDeepStrictEqual(placed, references) ||
      !isSameCall(opened, openAuthOf(changed, secrets))
    )
      store.connectorAuthUses.forgetTest(id)
    return changed
  }

  /** Call it in a transaction. */
  function insert(caller: Caller, id: string, sent: NewAuth): ConnectorAuth {
    if (caller.authIds !== undefined) throw closedToChosen()
    const body = ownReferences(caller, sent, {})
    const connector = requireConnector(body.connector_id)
    requireAuthType(connector, body.auth_type)
    requireEnv(caller, connector, body)
    const { shown, secrets, references } = splitAuth(body, { connector, before: null })
    const at = now()
    const entered: ConnectorAuth = {
      ...AUTH_DEFAULTS,
      ...sentKeys(shown),
      connector_id: body.connector_id,
      name: body.name,
      auth_type: body.auth_type,
      id,
      secrets: {},
      state: initialState(body.auth_type, secrets, connector),
      token_expires_at: null,
      created_at: at,
      updated_at: at,
    }
    const record = { ...entered, token_expires_at: expiryOf(openAuthOf(entered, secrets)) }
    requireUsers(record.access)
    requireReferable(record, connector, references)
    store.connectorAuths.insert(record, { ownerId: caller.userId, secrets, references })
    origins.bind(id)
    return store.connectorAuths.get(id) ?? record
  }

  /** The auth as this work would leave it; the work itself is rolled back. */
  async function undone(work: () => ConnectorAuth): Promise<ChangedAuth> {
    const end = new Undone()
    let opened: ChangedAuth | null = null
    let references: AuthSecrets = {}
    let name = ''
    await writeSealed(store.write, () => {
      const after = work()
      const secrets = secretsOf(after.id) ?? {}
      const auth = openAuthOf(after, secrets)
      origins.requireBound(auth)
      references = store.connectorAuths.referencesOf(after.id)
      name = after.name
      opened = { auth, secrets: Object.values(secrets), ...origins.boundNow(auth) }
      throw end
    }).catch((error: unknown) => {
      if (error !== end) throw error
    })
    if (opened === null) throw new Error('The change was neither made nor rejected')
    return await withVaults(opened, { name, references })
  }

  /** Adds secrets kept elsewhere, read for this test only. */
  async function withVaults(
    opened: ChangedAuth,
    { name, references }: { readonly name: string; readonly references: AuthSecrets },
  ): Promise<ChangedAuth> {
    const owner = `test ${random.uuid()}`
    try {
      const auth = await resolved(opened.auth, { owner, name, references })
      return { ...opened, auth, secrets: [...opened.secrets, ...(auth[FROM_VAULT] ?? [])] }
    } finally {
      vaults.forget(owner)
    }
  }

  interface Unresolved {
    readonly owner: string
    readonly name: string
    readonly references: AuthSecrets
  }

  /**
   * Adds the secrets that are kept elsewhere.
   *
   * @throws AppError saying which can't be read, and what to do
   */
  async function resolved(auth: OpenAuth, { owner, name, references }: Unresolved): Promise<OpenAuth> {
    const fields = Object.entries(references)
    if (fields.length === 0) return auth
    // The connector's base can have changed since the references were entered.
    const connector = store.connectors.get(auth.connector_id)
    const problem = connector === null ? null : whyNotReferable(auth, connector)
    const read: Record<string, string> = {}
    // Reads one secret after the other, because a vault may ask the user to confirm each.
    for (const [field, text] of fields) {
      try {
        if (problem !== null) throw new AppError('conflict', problem)
        read[field] = await vaults.read(owner, text)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const values = { field, name, reason: sentenceOf(error) }
        throw new AppError(
          error.code,
          say('"{{field}}" of the connector auth "{{name}}" can\'t be read: {{reason}}', values),
          { cause: error },
        )
      }
    }
    return { ...withRead(auth, read), [FROM_VAULT]: Object.values(read) }
  }

  /** @throws AppError */
  function openStored(userId: string, id: string) {
    const record = read({ userId }, id)
    const secrets = secretsOf(id)
    if (secrets === null) {
      throw new AppError(
        'conflict',
        say('The secrets of the connector auth "{{name}}" must be entered again', { name: record.name }),
      )
    }
    const opened = openAuthOf(record, secrets)
    origins.requireBound(opened)
    return { opened, record, references: store.connectorAuths.referencesOf(id) }
  }

  /** A secret read from elsewhere can state its own expiry, like a token that was entered. */
  async function noteExpiry({ id, token_expires_at: known }: ConnectorAuth, opened: OpenAuth): Promise<void> {
    const ends = expiryOf(opened)
    if (ends === known) return
    await store.write(() => store.connectorAuths.setExpiry(id, ends === null ? null : Date.parse(ends)))
    announce('updated', id, viewersOf(id))
  }

  return {
    /** Auths that the caller's user can see. */
    list(caller: Caller, query: ListQuery): RecordPage<ConnectorAuth> {
      const request = parseListQuery(query, { whole: true })
      const chosen = [...(caller.authIds ?? [])]
      const filters = caller.authIds && [{ field: 'id', operator: 'in', value: chosen } as const]
      const reached = { ...request, filters: [...request.filters, ...(filters ?? [])] }
      return toPage(store.connectorAuths.list(reached, caller.userId), request)
    },
    read,
    async create(caller: Caller, body: NewAuth): Promise<ConnectorAuth> {
      const id = random.uuid()
      const auth = await writeSealed(store.write, () => insert(caller, id, body))
      announce('created', id, viewersOf(id))
      return auth
    },
    /** Absent keys stay unchanged, including secrets. */
    async update(caller: Caller, id: string, patch: ConnectorAuthPatch): Promise<ConnectorAuth> {
      const viewers = viewersOf(id)
      const auth = await writeSealed(store.write, () => change(caller, id, patch))
      onChanged?.(id)
      announce('updated', id, [...new Set([...viewers, ...viewersOf(id)])])
      return auth
    },
    /**
     * The auth as this change would leave it, with all checks of the change, which isn't made. Null if calls would be
     * the same as without it.
     */
    async openChanged(caller: Caller, id: string, patch: ConnectorAuthPatch): Promise<ChangedAuth | null> {
      const before = openAuthOf(read(caller, id), secretsOf(id) ?? {})
      const placed = store.connectorAuths.referencesOf(id)
      let isSame = false
      const changed = await undone(() => {
        const after = change(caller, id, patch)
        isSame =
          isDeepStrictEqual(placed, store.connectorAuths.referencesOf(id)) &&
          isSameCall(before, openAuthOf(after, secretsOf(id) ?? {}))
        return after
      })
      return isSame ? null : changed
    },
    /** The auth as it would be created, with all checks; nothing is stored. */
    openNew: (caller: Caller, body: NewAuth): Promise<ChangedAuth> =>
      undone(() => insert(caller, random.uuid(), body)),
    /**
     * Deletes the tokens of a waiting auth that has no other secrets, because they belong to another origin, and
     * signing in again replaces them.
     */
    async forgetStrayTokens(caller: Caller, id: string): Promise<void> {
      if ((read(caller, id).new_origins ?? []).length === 0) return
      await store.write(() => {
        const { auth_token: _, refresh_token: __, ...others } = secretsOf(id) ?? {}
        if (Object.keys(others).length > 0) return
        store.connectorAuths.update(read(caller, id), {})
        origins.bind(id)
      })
    },
    /** The flows whose steps refer to it. */
    flowsUsing: (caller: Caller, id: string): { readonly id: string; readonly name: string }[] =>
      flowsUsing({ authId: read(caller, id).id })
        .filter((flow) => reachesFlow(caller, flow.id))
        .map(({ id: flowId, name }) => ({ id: flowId, name })),
    rateLimits(caller: Caller, id: string): RateLimit[] {
      const now = clock.now()
      const after = (ms: number) => new Date(now + ms).toISOString()
      return outgoing.limitsOf(read(caller, id).id).map(({ resetMs, waitMs, minutes, ...known }) => ({
        ...known,
        resets_at: resetMs === null ? null : after(resetMs),
        waits_until: waitMs === 0 ? null : after(waitMs),
        minutes: minutes.map((minute) => ({ ...minute, at: new Date(minute.at).toISOString() })),
      }))
    },
    /** Rejected while a flow uses it, unless forced. */
    async remove(caller: Caller, id: string, { force }: { readonly force: boolean }): Promise<void> {
      const viewers = viewersOf(id)
      await store.write(() => {
        const { name } = read(caller, id)
        const using = flowsUsing({ authId: id })
        if (using.some((flow) => !reachesFlow(caller, flow.id))) throw closedToChosen()
        const flows = force ? [] : using
        if (flows.length > 0) {
          throw new AppError(
            'conflict',
            say(
              'The connector auth "{{name}}" can\'t be deleted: the flows {{flows}} use it; change them first, or send force=true',
              { name, flows: listNames(flows) },
            ),
          )
        }
        store.connectorAuths.delete(id)
      })
      announce('deleted', id, viewers)
    },
    /**
     * Opens an auth with its secrets, for a call on behalf of a user; never to be stored, shown or logged.
     *
     * @throws AppError `not_found` if that user can't see it, `conflict` if its secrets have to be entered again
     */
    async open(userId: string, id: string): Promise<OpenAuth> {
      onUse?.(id)
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const { opened, record, references } = openStored(userId, id)
        const auth = await resolved(opened, { owner: id, name: record.name, references })
        if (auth === opened) return auth
        // Reading can take a minute, during which somebody may have changed the auth.
        const now = openStored(userId, id)
        if (!isDeepStrictEqual([now.opened, now.references], [opened, references])) continue
        await noteExpiry(record, auth)
        return auth
      }
      throw new AppError('unavailable', say('The connector auth was changed while it was opened; try again'))
    },
    /** The same checks, without reading secrets that are kept elsewhere. */
    requireOpen: (userId: string, id: string): void => void openStored(userId, id),
  }
}

function areSame(a: ConnectorAuth['access'], b: ConnectorAuth['access']): boolean {
  return a.visibility === b.visibility && a.user_ids.join() === b.user_ids.join()
}

const MOST_TRIES = 3

/** Thrown to roll back a transaction. */
class Undone extends Error {}

/** Whether calls are sent with the same credentials to the same server. */
function isSameCall(a: OpenAuth, b: OpenAuth): boolean {
  return isDeepStrictEqual({ ...a, auth_details: '' }, { ...b, auth_details: '' })
}
