/**
 * The entities that scopes cover, the operations that their extensions allow, and the evaluation of lists of scopes.
 */
import { z } from 'zod'

const SCOPE_NAMES = ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed'] as const
export type ScopeName = (typeof SCOPE_NAMES)[number]

export const OPERATIONS = ['create', 'read', 'update', 'delete'] as const
export type Operation = (typeof OPERATIONS)[number]

/** The entities that routes access. Several scopes can cover the same one. */
export const ENTITIES = [
  'flows',
  'flow_runs',
  'connectors',
  'connector_auths',
  'env_variables',
  'data_tables',
  'file_uploads',
  'users',
  'teams',
  'settings',
  'webhooks',
] as const
export type Entity = (typeof ENTITIES)[number]

/** The purpose of each scope. */
export const SCOPE_HELP: { readonly [S in ScopeName | 'automation:webhook_run']: string } = {
  automation: 'Build and run flows, and start webhooks',
  company: 'Manage variables, tables, files, users, teams and the settings',
  connector_auth: 'Manage connector auths',
  connectors: 'Manage connectors and their actions',
  dashboard: 'Nothing in Millrace; accepted for compatibility',
  embed: 'Nothing in Millrace; accepted for compatibility',
  'automation:webhook_run': 'Start webhooks only',
}

const ALL: readonly Operation[] = OPERATIONS
const READ: readonly Operation[] = ['read']
const MANAGE: readonly Operation[] = ['create', 'read', 'update']

/** The specification's table: scope → entity → the most it can ever grant. */
const GRANTS: { readonly [S in ScopeName]: Partial<Record<Entity, readonly Operation[]>> } = {
  automation: {
    flows: ALL,
    flow_runs: ALL,
    connector_auths: READ,
    env_variables: READ,
    data_tables: READ,
    file_uploads: READ,
  },
  company: { env_variables: ALL, data_tables: ALL, file_uploads: ALL, teams: ALL, users: ALL, settings: ALL },
  connector_auth: { connector_auths: ALL },
  connectors: { connectors: ALL },
  dashboard: {},
  embed: {},
}

const EXTENSIONS = { '': ALL, manage: MANAGE, view: READ } as const

/** Every accepted scope, with `:`; `.` is accepted instead of `:`, and `webhook_run` by itself. */
export const SCOPES: readonly string[] = [
  ...SCOPE_NAMES.flatMap((name) => [name, `${name}:manage`, `${name}:view`]),
  'automation:webhook_run',
]

/** `automation.manage` → `automation:manage`, `webhook_run` → `automation:webhook_run`; null if unknown. */
export function canonicalScope(scope: string): string | null {
  const spelled = scope === 'webhook_run' ? 'automation:webhook_run' : scope.replace('.', ':')
  return SCOPES.includes(spelled) ? spelled : null
}

/** Scopes are compared by meaning and returned as sent. */
export const scopeList = z
  .array(
    z.string().check(({ value, issues }) => {
      if (canonicalScope(value) === null)
        issues.push({ code: 'invalid_value', values: [...SCOPES], input: value })
    }),
  )
  .min(1, 'needs at least one scope')
  .refine(
    (scopes) => new Set(scopes.map(canonicalScope)).size === scopes.length,
    'contains the same scope twice',
  )

/**
 * Whether a token with these scopes can perform the operation on the entity. For webhooks, `create` means calling
 * them.
 */
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

/** The scope that allows this operation and as little else as possible. */
export function narrowestScope(entity: Entity, operation: Operation): string {
  const [name] = SCOPE_NAMES.filter((scope) => isCovered([scope], entity, operation)).toReversed()
  const narrow = [`${name}:view`, `${name}:manage`].find((scope) => isCovered([scope], entity, operation))
  return narrow ?? String(name)
}

/** A token can only create, renew or revoke tokens that cover no more than it does. */
export function coversAll(own: readonly string[], wanted: readonly string[]): boolean {
  const meanings = new Set(own.map(canonicalScope))
  return wanted.every((scope) => {
    const canonical = canonicalScope(scope)
    return (
      canonical !== null && (includesScope(meanings, canonical) || coversEach(own, operationsOf(canonical)))
    )
  })
}

/** Compared by name, so that this also works for scopes whose entities have no endpoint here. */
function includesScope(meanings: ReadonlySet<string | null>, canonical: string): boolean {
  const [name = '', extension = ''] = canonical.split(':')
  if (meanings.has(canonical) || meanings.has(name)) return true
  return (extension === 'view' || extension === 'webhook_run') && meanings.has(`${name}:manage`)
}

/** `connector_auth:view` allows nothing beyond `automation`, which can read connector auths as well. */
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

/** Whether a token manages its user's own tokens, as any token with more than `:view` or `webhook_run` does. */
export function managesTokens(scopes: readonly string[]): boolean {
  return scopes.some((scope) => !/:(view|webhook_run)$/.test(canonicalScope(scope) ?? ':view'))
}
