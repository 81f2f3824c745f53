/** Connectors: built-in ones, which can be read and copied, and the user's own. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import type { Connector, ConnectorPatch } from '../../../../shared/contract/connectors.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Saved, SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { AuthOrigins } from '../auths/auth-origins.ts'
import type { Env } from '../../keeping/env/env.ts'
import type { Reentry } from '../../keeping/env/env-variables.ts'
import type { Caller } from '../../kit/caller.ts'
import { requireEnvRead } from '../../keeping/saving/require-env-read.ts'
import type { ConnectorImage, Store } from '../../../store/index.ts'
import type { Outgoing } from '../sending/outgoing.ts'
import { fetchImage, noImage } from './connector-images.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { type RecordPage, toPage } from '../../kit/pages.ts'
import { sentKeys, withWarnings } from '../../kit/patch.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { type FlowsUsing, listNames } from '../../keeping/saving/flows-using.ts'
import { requirePagination, searchWarnings, withReplaceBody } from '../../keeping/saving/pagination-config.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import { splitFields, type SplitFields } from '../../keeping/secrets/secret-fields.ts'
import { writeSealed } from '../../keeping/secrets/write-sealed.ts'

export type ConnectorsService = ReturnType<typeof createConnectorsService>

export interface ConnectorsOptions {
  readonly store: Pick<
    Store,
    'connectors' | 'connectorImages' | 'actions' | 'connectorAuths' | 'envVariables' | 'write'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly flowsUsing: FlowsUsing
  readonly origins: Pick<AuthOrigins, 'write' | 'bindConnector'>
  readonly env: Pick<Env, 'secretNames'>
  readonly outgoing: Pick<Outgoing, 'sendRequest'>
}

/** Defaults of a connector created with only a name. */
export const CONNECTOR_DEFAULTS: Omit<Connector, 'id' | 'name' | 'built_in' | 'created_at' | 'updated_at'> = {
  type: 'connector',
  status: 'active',
  base_domain: '',
  auth_config: {},
  header: null,
  url_token_extension: null,
  pagination_config: null,
  search_config: null,
  test_action: null,
  allowed_origins: [],
  rate_limit: null,
  short_description: '',
  long_description: '',
  image_url: '',
  external_docs: '',
  tags: [],
}

export function createConnectorsService(options: ConnectorsOptions) {
  const { store, clock, random, events, flowsUsing, origins, env, outgoing } = options
  const now = () => new Date(clock.now()).toISOString()

  /** @throws AppError `not_found` */
  function read(id: string): Connector {
    const connector = store.connectors.get(id)
    if (connector === null) throw noConnector(id)
    return connector
  }

  function requireUnused(connector: Connector): void {
    const flows = flowsUsing({ connectorId: connector.id })
    if (flows.length > 0)
      throw inUse(
        connector,
        say('the flows {{flows}} use it; change them first', { flows: listNames(flows) }),
      )
    const auths = store.connectorAuths.countOfConnector(connector.id)
    if (auths > 0) throw inUse(connector, say('connector auths belong to it; delete them first'))
  }

  /** Secrets that can't be decrypted here have to be entered again, which the caller may be doing now. */
  function secretsOf(id: string): Readonly<Record<string, string>> {
    try {
      return store.connectors.secretsOf(id)
    } catch {
      return {}
    }
  }

  function requireSound(patch: ConnectorPatch): SaveWarning[] {
    requireSoundTemplates(patch)
    if (!patch.pagination_config && !patch.search_config) return []
    const names = [...store.envVariables.list().records.map(({ name }) => name), ...TEMPLATE_NAMES]
    return [
      ...(patch.pagination_config ? requirePagination(patch.pagination_config, names) : []),
      ...(patch.search_config ? searchWarnings(patch.search_config, names) : []),
    ]
  }

  /**
   * `image` is absent if nothing should change. If the image's host is unreachable, the rest is saved without the
   * image.
   */
  async function imageOf(
    { image_url: url }: ConnectorPatch,
    id?: string,
  ): Promise<{ readonly image?: ConnectorImage | null; readonly warnings: readonly SaveWarning[] }> {
    const isShown = id !== undefined && store.connectorImages.get(id) !== null
    const isKnown = id !== undefined && isShown && store.connectors.get(id)?.image_url === url
    if (url === undefined || isKnown) return { warnings: [] }
    if (url === '') return { image: null, warnings: [] }
    const fetched = await fetchImage(outgoing.sendRequest, url)
    return 'image' in fetched
      ? { image: fetched.image, warnings: [] }
      : { image: null, warnings: [fetched.warning] }
  }

  return {
    list(query: ListQuery): RecordPage<Connector> {
      const request = parseListQuery(query, { whole: true })
      return toPage(store.connectors.list(request), request)
    },
    read,
    /**
     * The image that was fetched when the connector was saved.
     *
     * @throws AppError `not_found` if it has none
     */
    image(id: string): { readonly content_type: string; readonly base64: string } {
      const image = store.connectorImages.get(read(id).id)
      if (image === null) throw noImage(id)
      return { content_type: image.contentType, base64: Buffer.from(image.bytes).toString('base64') }
    },
    /** `also` can write more in the same transaction. */
    async create(
      caller: Caller,
      body: ConnectorPatch & { readonly name: string },
      also: (connector: Connector) => void = () => {},
    ): Promise<Saved<Connector>> {
      const warnings = requireSound(body)
      const { shown, secrets } = splitAuthConfig(body)
      const fetched = await imageOf(body)
      const at = now()
      const connector: Connector = {
        ...CONNECTOR_DEFAULTS,
        ...settled(shown),
        name: body.name,
        id: random.uuid(),
        built_in: false,
        created_at: at,
        updated_at: at,
      }
      await writeSealed(store.write, () => {
        store.connectors.insert(connector, secrets)
        if (Object.keys(secrets).length > 0) origins.bindConnector(connector.id)
        if (fetched.image !== undefined) store.connectorImages.put(connector.id, fetched.image)
        also(connector)
        requireEnvRead(caller, env.secretNames(), {
          connector,
          actions: store.actions.ofConnector(connector.id),
        })
      })
      events.emit({ type: 'created', noun: 'connector', id: connector.id })
      return withWarnings(connector, [...warnings, ...fetched.warnings])
    },
    /** Absent keys stay unchanged. */
    async update(
      caller: Caller,
      id: string,
      patch: ConnectorPatch,
      { reentry }: Reentry = { reentry: false },
    ): Promise<Saved<Connector>> {
      const warnings = requireSound(patch)
      const { shown, secrets, cleared } = splitAuthConfig(patch)
      requireOwn(read(id))
      const fetched = await imageOf(patch, id)
      const change = {
        caller,
        reentry,
        field: LEADING.find((key) => patch[key] !== undefined) ?? 'base_domain',
      }
      const { result: connector, warnings: waiting } = await origins.write(change, () => {
        const before = read(id)
        requireOwn(before)
        const after: Connector = { ...before, ...settled(shown), updated_at: now() }
        const known =
          patch.auth_config === undefined ? undefined : { ...without(secretsOf(id), cleared), ...secrets }
        const stored = Object.keys(secretsOf(id))
        store.connectors.update(after, known)
        if (fetched.image !== undefined) store.connectorImages.put(id, fetched.image)
        const isKept = stored.some((name) => known === undefined || (name in known && !(name in secrets)))
        if (!isKept) origins.bindConnector(id)
        if (LEADING.some((key) => patch[key] !== undefined))
          requireEnvRead(caller, env.secretNames(), {
            connector: after,
            actions: store.actions.ofConnector(id),
          })
        return after
      })
      events.emit({ type: 'updated', noun: 'connector', id })
      return withWarnings(connector, [...waiting, ...warnings, ...fetched.warnings])
    },
    /** Rejected while an auth or a flow uses it. */
    async remove(id: string): Promise<void> {
      await store.write(() => {
        const connector = read(id)
        requireOwn(connector)
        requireUnused(connector)
        store.connectors.delete(id)
      })
      events.emit({ type: 'deleted', noun: 'connector', id })
    },
    /** Creates a connector that belongs to the user, with all actions of the original but without its secrets. */
    async copy(id: string, { name }: { readonly name?: string | undefined }): Promise<Connector> {
      const connector = await store.write(() => {
        const original = read(id)
        const at = now()
        const copied: Connector = {
          ...original,
          id: random.uuid(),
          name: name ?? `${original.name} (copy)`,
          built_in: false,
          created_at: at,
          updated_at: at,
        }
        store.connectors.insert(copied)
        store.connectorImages.copy(id, copied.id)
        for (const action of store.actions.ofConnector(id)) {
          const own = { id: random.uuid(), connector_id: copied.id, created_at: at, updated_at: at }
          store.actions.insert({ ...action, ...own })
        }
        return copied
      })
      events.emit({ type: 'created', noun: 'connector', id: connector.id })
      return connector
    },
  }
}

/** @throws AppError `conflict` if it is built in */
export function requireOwn({ name, built_in }: Connector): void {
  if (!built_in) return
  throw new AppError(
    'conflict',
    say('"{{name}}" is built in and read-only; copy it (POST /v1/connectors/{id}/copy) and edit the copy', {
      name,
    }),
  )
}

/**
 * Checks a connector that comes from a file rather than from a user.
 *
 * @throws AppError `validation` if a template can't be read, or there is a secret in it
 */
export function requireSoundConnector(connector: ConnectorPatch): void {
  requireSoundTemplates(connector)
  if (connector.pagination_config) requirePagination(connector.pagination_config, TEMPLATE_NAMES)
  const [secret] = Object.keys(splitAuthConfig(connector).secrets)
  if (secret !== undefined)
    throw fieldErrors({ [`auth_config.${secret}`]: [say("is a secret, which doesn't belong in a file")] })
}

/** The names that a connector's templates can read besides env variables. */
const TEMPLATE_NAMES = ['auth', 'input', 'env', 'playground_url', 'millrace_url']

function requireSoundTemplates({
  base_domain,
  header,
  url_token_extension,
  search_config,
}: ConnectorPatch): void {
  requireTemplates({
    search_config,
    base_domain,
    'header.header_key': header?.header_key,
    'header.token_prefix': header?.token_prefix,
    'header.custom_headers': header?.custom_headers,
    'url_token_extension.key': url_token_extension?.key,
    'url_token_extension.value': url_token_extension?.value,
  })
}

/** Fields that decide where credentials are sent, or what is sent with them. */
const LEADING = [
  'base_domain',
  'allowed_origins',
  'auth_config',
  'pagination_config',
  'search_config',
  'header',
  'url_token_extension',
] as const

const SECRET_KEYS = new Set([
  'client_secret',
  'secret',
  'password',
  'private_key',
  'access_token',
  'refresh_token',
  'auth_token',
])

function splitAuthConfig(patch: ConnectorPatch): SplitFields & { readonly shown: ConnectorPatch } {
  const { auth_config: config = {} } = patch
  const { auth_form: form, ...rest } = config
  // The form only describes fields; a field named `password` in it isn't a secret.
  const { shown, secrets, cleared } = splitFields(rest, (key) => SECRET_KEYS.has(key), 'auth_config')
  if (patch.auth_config === undefined) return { shown: patch, secrets, cleared }
  const auth_config = form === undefined ? shown : { auth_form: form, ...shown }
  return { shown: { ...patch, auth_config }, secrets, cleared }
}

function settled(patch: ConnectorPatch): Partial<Connector> {
  const { pagination_config: config } = patch
  return config ? { ...sentKeys(patch), pagination_config: withReplaceBody(config) } : sentKeys(patch)
}

function without(
  secrets: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !names.includes(name)))
}

function noConnector(id: string): AppError {
  return new AppError('not_found', say('There is no connector "{{id}}"', { id: id.slice(0, 60) }))
}

function inUse({ name }: Connector, why: Said): AppError {
  return new AppError('conflict', say('The connector "{{name}}" can\'t be deleted: {{why}}', { name, why }))
}
