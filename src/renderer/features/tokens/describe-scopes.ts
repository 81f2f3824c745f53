import { isCovered, managesTokens, OPERATIONS } from '../../../shared/contract/scopes.ts'
import type { Entity, Operation } from '../../../shared/contract/scopes.ts'

/**
 * What a token with these scopes may do, in sentences. They are asked of the very table that the server asks, so the
 * dialog cannot promise something else.
 */
export function describeScopes(scopes: readonly string[]): readonly string[] {
  const byOperations = new Map<string, { operations: readonly Operation[]; names: string[] }>()
  for (const [entity, name] of ENTITIES) {
    const operations = OPERATIONS.filter((operation) => isCovered(scopes, entity, operation))
    if (operations.length === 0) continue
    const group = byOperations.get(operations.join()) ?? { operations, names: [] }
    group.names.push(name)
    byOperations.set(operations.join(), group)
  }
  return [
    ...[...byOperations.values()].map(
      ({ operations, names }) => `Can ${enumerate(operations.map((one) => VERBS[one]))} ${enumerate(names)}.`,
    ),
    ...(isCovered(scopes, 'webhooks', 'create') ? ['Can start every flow that has a webhook.'] : []),
    ...(managesTokens(scopes)
      ? ['Can create, regenerate and revoke tokens that may do no more than itself.']
      : []),
    ...(scopes.some((scope) => /^(dashboard|embed)/.test(scope))
      ? ['Carries dashboard or embed, which open nothing in Millrace.']
      : []),
  ]
}

const ENTITIES: readonly (readonly [Entity, string])[] = [
  ['flows', 'flows'],
  ['flow_runs', 'flow runs'],
  ['connectors', 'connectors and their actions'],
  ['connector_auths', 'connector auths'],
  ['env_variables', 'env variables'],
  ['file_uploads', 'file uploads'],
  ['users', 'users'],
  ['teams', 'teams'],
  ['settings', 'settings'],
]

const VERBS: { readonly [O in Operation]: string } = {
  create: 'create',
  read: 'read',
  update: 'change',
  delete: 'delete',
}

/** `a`, `a and b`, `a, b and c` */
function enumerate(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
