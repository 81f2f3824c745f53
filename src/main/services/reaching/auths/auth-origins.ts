/** The secrets of an auth are bound to the origins it had when they were entered, and are never sent anywhere else. */
import { say, quoted, spoken } from '../../../../shared/contract/base/message.ts'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { SendRequest } from '../../../engine/ports.ts'
import { RequestError } from '../../../engine/request/request-error.ts'
import type { Store } from '../../../store/index.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { OriginChange, OriginGuard } from '../../kit/origin-guard.ts'
import { listNames } from '../../keeping/saving/flows-using.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'
import { type AuthSecrets, openAuthOf } from './auth-secrets.ts'
import { ANYWHERE, destinationsOf, originsOf, ownDestinationsOf, portIn } from './destinations.ts'

export interface AuthOrigins extends OriginGuard {
  /** Call it in a transaction, after the auth's secrets were entered; binds them to its current origins. */
  bind(id: string): void
  /** Call it in a transaction, after the auth was changed; returns the new origins that its secrets aren't bound to. */
  review(id: string): readonly string[]
  /** @throws AppError `conflict` if the auth has an origin that its secrets aren't bound to */
  requireBound(auth: OpenAuth): void
  /**
   * A template can render differently each time (`uuid()`, `now()`), so the URL that is actually called is checked.
   *
   * @throws AppError `conflict` if the auth's secrets aren't bound to the origin of exactly this URL
   */
  requireOrigin(auth: OpenAuth, address: string): void
  /** Call it in a transaction, after the connector's own secrets were entered. */
  bindConnector(id: string): void
  /** The same sender, restricted to origins that the auth's secrets are bound to. */
  bound(auth: OpenAuth | null, send: SendRequest): SendRequest
  /** The auth's current origins, for testing a change that is then undone. */
  boundNow(auth: OpenAuth): {
    readonly bound: (send: SendRequest) => SendRequest
    readonly isAllowed: (address: string) => boolean
  }
  /**
   * Binds auths stored by an earlier version, and auths of built-in connectors that this version changed.
   *
   * @param renewed ids of those connectors
   */
  start(renewed: ReadonlySet<string>): void
}

export interface AuthOriginsOptions {
  readonly store: Pick<
    Store,
    'connectorAuths' | 'connectors' | 'actions' | 'envVariables' | 'users' | 'write' | 'writeNow'
  >
  readonly env: Pick<Env, 'forOrigins' | 'builtInOrigins'>
  readonly events: Pick<EventsService, 'emit'>
}

interface Reviewed {
  /** Auths that now have additional origins. */
  readonly waiting: readonly ConnectorAuth[]
  /** Auths whose pending origins changed, including those that no longer have any. */
  readonly changed: readonly ConnectorAuth[]
}

export function createAuthOrigins({ store, env, events }: AuthOriginsOptions): AuthOrigins {
  const { connectorAuths } = store

  /** Null if this machine can't decrypt them; then nothing can be sent with them either. */
  function secretsOf(id: string): AuthSecrets | null {
    try {
      return connectorAuths.secretsOf(id)
    } catch {
      return null
    }
  }

  /** Whether the auth has any secrets, stored here or kept elsewhere. */
  function hasSecrets(id: string): boolean {
    return Object.keys({ ...secretsOf(id), ...connectorAuths.referencesOf(id) }).length > 0
  }

  function destinations(auth: OpenAuth): readonly string[] {
    const connector = store.connectors.get(auth.connector_id)
    if (connector === null) return []
    const actions = () => store.actions.ofConnector(connector.id)
    return destinationsOf({ connector, actions, auth, env: env.forOrigins() })
  }

  function freshOf(auth: OpenAuth): readonly string[] {
    const bound = connectorAuths.originsOf(auth.id)
    return bound === null ? [] : destinations(auth).filter((origin) => !bound.includes(origin))
  }

  function bind(id: string): void {
    const record = connectorAuths.get(id)
    const secrets = secretsOf(id)
    if (record === null || secrets === null) return
    connectorAuths.setOrigins(id, destinations(openAuthOf(record, secrets)))
    connectorAuths.setNewOrigins(id, [])
  }

  function review(id: string): readonly string[] {
    const record = connectorAuths.get(id)
    const secrets = secretsOf(id)
    if (record === null || secrets === null) return []
    const fresh = !hasSecrets(id) ? [] : freshOf(openAuthOf(record, secrets))
    connectorAuths.setNewOrigins(id, fresh)
    return fresh
  }

  function reviewAll(): Reviewed {
    const looked = connectorAuths.list().records.map((auth) => {
      const before = auth.new_origins ?? []
      return { auth, before, now: review(auth.id) }
    })
    const waiting = looked.filter(({ before, now }) => now.some((origin) => !before.includes(origin)))
    const changed = looked.filter(({ before, now }) => before.join(' ') !== now.join(' '))
    return { waiting: waiting.map(({ auth }) => auth), changed: changed.map(({ auth }) => auth) }
  }

  /** Connectors whose own secrets would now be sent elsewhere. */
  function strayConnectors(): readonly string[] {
    return store.connectors.list().records.flatMap((connector) => {
      const bound = store.connectors.originsOf(connector.id)
      // Without secrets there is nothing to protect, and other people's changes shouldn't be blocked.
      if (bound === null || !hasOwnSecrets(connector.id)) return []
      const fresh = ownDestinationsOf(connector, env.forOrigins()).filter((origin) => !bound.includes(origin))
      return fresh.length === 0 ? [] : [connector.name]
    })
  }

  function bindConnector(id: string): void {
    const connector = store.connectors.get(id)
    if (connector !== null) store.connectors.setOrigins(id, ownDestinationsOf(connector, env.forOrigins()))
  }

  function bindConnectors(): void {
    for (const { id } of store.connectors.list().records)
      if (store.connectors.originsOf(id) === null && hasOwnSecrets(id)) bindConnector(id)
  }

  function hasOwnSecrets(id: string): boolean {
    try {
      return Object.keys(store.connectors.secretsOf(id)).length > 0
    } catch {
      return false
    }
  }

  function bindUnbound(): void {
    bindConnectors()
    for (const { id } of connectorAuths.list().records) if (connectorAuths.originsOf(id) === null) bind(id)
  }

  function requireAgreed(waiting: readonly ConnectorAuth[], { caller, field, reentry }: OriginChange): void {
    const own = waiting.filter(({ id }) => connectorAuths.ownerOf(id) === caller.userId)
    if (own.length === 0 || reentry) return
    const origins = [...new Set(own.flatMap(({ id }) => connectorAuths.get(id)?.new_origins ?? []))]
    throw fieldErrors({
      [field]: [
        say(
          'would send the secrets of the connector auths {{names}} to the new origin {{origins}}; send reentry=true with the change, then enter their secrets again',
          { names: listNames(own), origins: origins.join(', ') },
        ),
      ],
      reentry: own.map(({ name }) => quoted(name)),
    })
  }

  function warningsOf(waiting: readonly ConnectorAuth[], { caller, field }: OriginChange): SaveWarning[] {
    const own = waiting.filter(({ id }) => connectorAuths.ownerOf(id) === caller.userId)
    if (own.length === 0) return []
    const said = say(
      'The secrets of the connector auths {{names}} must be entered again, because they now point to another origin',
      { names: listNames(own) },
    )
    return [{ severity: 'warning', code: 'needs_reentry', ...spoken(said), field, line: null, column: null }]
  }

  function announce(changed: readonly ConnectorAuth[]): void {
    const users = store.users.list().records.map(({ id }) => id)
    for (const { id } of changed) {
      const viewers = users.filter((userId) => connectorAuths.get(id, userId) !== null)
      events.emit({ type: 'updated', noun: 'connector_auth', id }, viewers)
    }
  }

  function allowedBy(auth: OpenAuth): (url: string) => boolean {
    const bound = connectorAuths.originsOf(auth.id) ?? []
    // If the connector has no URL, the auth can be sent to any URL in a step.
    if (bound.length === 0 || bound.includes(ANYWHERE)) return () => true
    if (!hasSecrets(auth.id)) return () => true
    const known = knownOf(auth)
    return (url) => originsOf(url, portIn(auth.user_input)).every((origin) => known?.has(origin))
  }

  function only(auth: OpenAuth, send: SendRequest, isAllowed: (url: string) => boolean): SendRequest {
    return (request, options) => {
      if (isAllowed(request.url)) return send(request, options)
      const origin = originsOf(request.url).join()
      return Promise.reject(
        new RequestError(
          'cross_origin_link',
          say(
            'The secrets of the connector auth {{id}} aren\'t sent to {{origin}}; add it to "allowed_origins" of its connector. Nothing was sent there',
            { id: auth.id, origin },
          ),
          { delivered: false },
        ),
      )
    }
  }

  /**
   * The bound origins, with the real ones of built-in URLs; null if none were recorded, because none of its secrets
   * can be read here.
   */
  function knownOf(auth: OpenAuth): ReadonlySet<string> | null {
    const bound = connectorAuths.originsOf(auth.id)
    return bound && new Set(bound.map((origin) => env.builtInOrigins().get(origin) ?? origin))
  }

  function requireNone(auth: OpenAuth, strays: () => readonly string[]): void {
    if (!hasSecrets(auth.id)) return
    const fresh = [...new Set(strays())]
    if (fresh.length === 0) return
    const name = connectorAuths.get(auth.id)?.name ?? auth.id
    throw new AppError(
      'conflict',
      say(
        'The secrets of the connector auth "{{name}}" must be entered again: they would be sent to the new origin {{origins}}',
        { name, origins: fresh.join(', ') },
      ),
    )
  }

  return {
    bind,
    bindConnector,
    review,
    requireBound(auth) {
      requireNone(auth, () => freshOf(auth))
    },
    requireOrigin(auth, address) {
      const known = knownOf(auth)
      if (known === null) return
      requireNone(auth, () =>
        originsOf(address, portIn(auth.user_input)).filter((origin) => !known.has(origin)),
      )
    },
    bound: (auth, send) => (auth === null ? send : only(auth, send, (url) => allowedBy(auth)(url))),
    boundNow(auth) {
      const isAllowed = allowedBy(auth)
      return { bound: (send) => only(auth, send, isAllowed), isAllowed }
    },
    async write(change, work) {
      let reviewed: Reviewed = { waiting: [], changed: [] }
      const result = await writeSealed(store.write, () => {
        bindUnbound()
        const strayed = strayConnectors()
        const done = work()
        reviewed = reviewAll()
        requireAgreed(reviewed.waiting, change)
        requireKept(
          strayConnectors().filter((name) => !strayed.includes(name)),
          change,
        )
        return done
      })
      announce(reviewed.changed)
      return { result, warnings: warningsOf(reviewed.waiting, change) }
    },
    start(renewed) {
      store.writeNow(() => {
        bindConnectors()
        for (const { id, connector_id: connector, new_origins: waiting } of connectorAuths.list().records) {
          const isKnown = connectorAuths.originsOf(id) !== null
          if (!isKnown || (renewed.has(connector) && waiting === undefined)) bind(id)
        }
        reviewAll()
      })
    },
  }
}

function requireKept(connectors: readonly string[], { field, reentry }: OriginChange): void {
  if (connectors.length === 0 || reentry) return
  throw fieldErrors({
    [field]: [
      say(
        'would send secrets of the connectors {{names}} to another origin; send the secrets of auth_config again with the change of the connector, or reentry=true to enter them afterwards',
        { names: connectors.map((name) => `"${name}"`).join(', ') },
      ),
    ],
    reentry: connectors.map(quoted),
  })
}
