import { isCovered, managesTokens, OPERATIONS } from '../../../shared/contract/base/scopes.ts'
import type { Entity, Operation } from '../../../shared/contract/base/scopes.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

/**
 * What a token with these scopes can do, in sentences. They come from the same table that the server uses, so the
 * dialog can't promise anything else.
 */
export function describeScopes(scopes: readonly string[]): readonly string[] {
  const byOperations = new Map<string, { operations: readonly Operation[]; names: string[] }>()
  for (const [entity, name] of ENTITIES) {
    const operations = OPERATIONS.filter((operation) => isCovered(scopes, entity, operation))
    if (operations.length === 0) continue
    const group = byOperations.get(operations.join()) ?? { operations, names: [] }
    group.names.push(t(name))
    byOperations.set(operations.join(), group)
  }
  return [
    ...[...byOperations.values()].map(({ operations, names }) =>
      t('Can {{verbs}} {{names}}.', {
        verbs: enumerate(operations.map((one) => t(VERBS[one]))),
        names: enumerate(names),
      }),
    ),
    ...(isCovered(scopes, 'webhooks', 'create') ? [t('Can start any flow that has a webhook.')] : []),
    ...(managesTokens(scopes)
      ? [t('Can create, regenerate and revoke tokens with the same or fewer permissions.')]
      : []),
    ...(scopes.some((scope) => /^(dashboard|embed)/.test(scope))
      ? [t('Has the scope dashboard or embed, which Millrace doesn’t use.')]
      : []),
  ]
}

const ENTITIES: readonly (readonly [Entity, English])[] = [
  ['flows', english('flows')],
  ['flow_runs', english('flow runs')],
  ['connectors', english('connectors and their actions')],
  ['connector_auths', english('connector auths')],
  ['env_variables', english('variables')],
  ['data_tables', english('tables')],
  ['file_uploads', english('file uploads')],
  ['users', english('users')],
  ['teams', english('teams')],
  ['settings', english('settings')],
]

const VERBS: { readonly [O in Operation]: English } = {
  create: english('create'),
  read: english('read'),
  update: english('change'),
  delete: english('delete'),
}

/** `a`, `a and b`, `a, b and c` */
function enumerate(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return t('{{words}} and {{last}}', { words: words.slice(0, -1).join(', '), last: words.at(-1) ?? '' })
}
