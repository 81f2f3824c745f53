import { say } from '../../../../shared/contract/base/message.ts'
import type {
  Action,
  ActionPatch,
  Connector,
  ConnectorPatch,
} from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { hasTags } from '@millrace/jinja/environment'
import { type Caller, may } from '../../kit/caller.ts'

export interface EnvReaders {
  readonly connector: Connector
  readonly actions: readonly Action[]
}

/**
 * Whoever decides where a connector's calls go also decides who gets the secret env variables in its templates.
 *
 * @param secretNames of the env variables
 * @throws AppError `forbidden` if the connector reads them but the caller can't
 */
export function requireEnvRead(caller: Caller, secretNames: readonly string[], readers: EnvReaders): void {
  if (may(caller, 'env_variables', 'read')) return
  const name = secretEnvOf(secretNames, readers.connector, readers.actions)
  if (name === null) return
  throw new AppError(
    'forbidden',
    say(
      'The connector "{{connector}}" reads the secret variable "{{name}}", and this token can\'t read variables; use one that also has the scope automation:view or company:view',
      { connector: readers.connector.name, name },
    ),
  )
}

/** The first secret env variable that a template of the connector or its actions reads; null if there is none. */
export function secretEnvOf(
  secretNames: readonly string[],
  connector: ConnectorPatch,
  actions: readonly ActionPatch[],
): string | null {
  if (secretNames.length === 0) return null
  const { base_domain, header, url_token_extension, auth_config, pagination_config, search_config } =
    connector
  const texts = textsIn([
    base_domain,
    header,
    url_token_extension,
    auth_config,
    pagination_config,
    search_config,
  ])
  const all = [
    ...texts,
    ...textsIn(actions.map(({ endpoint, query, headers, body }) => [endpoint, query, headers, body])),
  ].filter(hasTags)
  // linear: a name, which has no special characters
  return secretNames.find((name) => all.some((text) => new RegExp(`\\b${name}\\b`).test(text))) ?? null
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return (
    value instanceof Map ? [...(value as Map<string, unknown>).values()] : Object.values(value)
  ).flatMap(textsIn)
}
