import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import type { DataMap } from '@millrace/jinja/data'

/** A symbol rather than a name, so that templates don't see it but a copy keeps it. */
export const FROM_VAULT = Symbol('from a vault')

/** A connector auth with its secrets, as a call needs it. Never stored, shown or logged. */
export interface OpenAuth {
  readonly id: string
  readonly connector_id: string
  readonly auth_type: ConnectorAuth['auth_type']
  /** For `oauth2`, the access token. */
  readonly auth_token: string
  readonly auth_details: string
  /** Includes its password if it has one. If not empty, it replaces the connector's `base_domain`. */
  readonly api_endpoint: string
  readonly user_input: DataMap
  readonly username: string
  readonly password: string
  /** Secrets that were read from a vault. They are removed from the responses to its calls. */
  readonly [FROM_VAULT]?: readonly string[]
}
