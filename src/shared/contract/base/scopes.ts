/** Entities a scope covers, the operations its extensions allow, and how a stored list of scopes is judged. */
import { z } from 'zod'

const SCOPE_NAMES = ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed'] as const
export type ScopeName = (typeof SCOPE_NAMES)[number]

export const OPERATIONS = ['create', 'read', 'update', 'delete'] as const
export type Operation = (typeof OPERATIONS)[number]

/** What a route touches. One entity may be covered by several scopes. */
export type Entity =
  | 'flows'
  | 'flow_runs'
  | 'connector_auths'
  | 'env_variables'
  | 'file_uploads'
  | 'teams'
  | 'users'
  | 'settings'
  | 'connectors'
  | 'webhooks'

/** What each scope is for. */
export const SCOPE_HELP: { readonly [S in ScopeName | 'automation:webhook_run']: string } = {
  automation: 'Build and run flows, and start webhooks',
  company: 'Manage variables, files, users, teams and the settings',
  connector_auth: 'Manage connector auths',
  connectors: 'Manage connectors and their actions',
  dashboard: 'Nothing in Millrace; accepted for compatibility',
  embed: 'Nothing in Millrace; accepted for compatibility',
  'automation:webhook_run': 'Start webhooks only',
}

export const ENTITIES: readonly Entity[] = [
  'flows',
  'flow_runs',
  'connectors',
  'connector_auths',
  'env_variables',
  'file_uploads',
  'users',
  'teams',
  'settings',
  'webhooks',
]

const ALL: readonly Operation[] = OPERATIONS
const READ: readonly Operation[] = ['read']
const MANAGE: readonly Operation[] = ['create', 'read', 'update']

/** The specification's table: scope → entity → the most it may ever grant there. */
const GRANTS: { readonly [S in ScopeName]: Partial<Record<Entity, readonly Operation[]>> } = {
  automation: {
    flows: ALL,
    flow_runs: ALL,
    connector_auths: READ,
    env_variables: READ,
    file_uploads: READ,
  },
  company: { env_variables: ALL, file_uploads: ALL, teams: ALL, users: ALL, settings: ALL },
  connector_auth: { connector_auths: ALL },
  connectors: { connectors: ALL },
  dashboard: {},
  embed: {},
}

const EXTENSIONS = { '': ALL, manage: MANAGE, view: READ } as const

/** Every accepted spelling, with `:`; `.` is accepted for `:` and `webhook_run` may stand alone. */
export const SCOPES: readonly string[] = [
  ...SCOPE_NAMES.flatMap((name) => [name, `${name}:manage`, `${name}:view`]),
  'automation:webhook_run',
]

/** `automation.manage` → `automation:manage`, `webhook_run` → `automation:webhook_run`; null where unknown. */
export function canonicalScope(scope: string): string | null {
  const spelled = scope === 'webhook_run' ? 'automation:webhook_run' : scope.replace('.', ':')
  return SCOPES.includes(spelled) ? spelled : null
}

/** Scopes are compared by meaning and returned as sent. */
export const scopeList = z
  .array(
    z.string().refine((scope) => canonicalScope(scope) !== null, {
      error: (issue) => `"${String(issue.input).slice(0, 60)}" is no scope; known are ${SCOPES.join(', ')}`,
    }),
  )
  .min(1, 'needs at least one scope')
  .refine((scopes) => new Set(scopes.map(canonicalScope)).size === scopes.length, 'names a scope twice')

/** May a token with these scopes do this to that entity? Webhooks are started, which is their `create`. */
export function isCovered(scopes: readonly string[], entity: Entity, operation: Operation): boolean {
  return scopes.some((scope) => {
    const canonical = canonicalScope(scope)
    if (canonical === null) return false
    const [name, extension = ''] = canonical.split(':') as [ScopeName, string?]
    if (entity === 'webhooks') return name === 'automation' && extension !== 'view'
    if (extension === 'webhook_run') return false
    const granted = GRANTS[name][entity] ?? []
    return granted.includes(operation) && EXTENSIONS[extension as keyof typeof EXTENSIONS].includes(operation)
  })
}

/** A token may only make, renew or revoke tokens that cover nothing beyond itself. */
export function coversAll(own: readonly string[], wanted: readonly string[]): boolean {
  const meanings = new Set(own.map(canonicalScope))
  return wanted.every((scope) => {
    const canonical = canonicalScope(scope)
    return (
      canonical !== null && (includesScope(meanings, canonical) || coversEach(own, operationsOf(canonical)))
    )
  })
}

/** By name alone: this holds for scopes too whose entities have no endpoint here. */
function includesScope(meanings: ReadonlySet<string | null>, canonical: string): boolean {
  const [name = '', extension = ''] = canonical.split(':')
  if (meanings.has(canonical) || meanings.has(name)) return true
  return (extension === 'view' || extension === 'webhook_run') && meanings.has(`${name}:manage`)
}

/** `connector_auth:view` lets nobody do more than `automation` does, which reads connector auths as well. */
function coversEach(own: readonly string[], operations: readonly (readonly [Entity, Operation])[]): boolean {
  return operations.length > 0 && operations.every(([entity, operation]) => isCovered(own, entity, operation))
}

function operationsOf(canonical: string): (readonly [Entity, Operation])[] {
  const [name] = canonical.split(':') as [ScopeName]
  const entities = [...(Object.keys(GRANTS[name]) as Entity[]), 'webhooks' as const]
  return entities.flatMap((entity) =>
    OPERATIONS.filter((operation) => isCovered([canonical], entity, operation)).map(
      (operation) => [entity, operation] as const,
    ),
  )
}

/** Any token with more than `:view` or `webhook_run` manages its user's own tokens. */
export function managesTokens(scopes: readonly string[]): boolean {
  return scopes.some((scope) => !/:(view|webhook_run)$/.test(canonicalScope(scope) ?? ':view'))
}
