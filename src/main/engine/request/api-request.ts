import type { Dictionary } from '@millrace/jinja/data'
import type { RequestBody } from './body.ts'
import type { HeaderLine } from '../ports.ts'

/** The call of an action with its templates rendered. */
export interface ApiRequest {
  /** Empty if the endpoint is absolute. */
  readonly baseUrl: string
  readonly endpoint: string
  readonly method: string
  readonly query: Dictionary
  /** The headers, including those of the connector and its auth. */
  readonly headers: readonly HeaderLine[]
  readonly body: RequestBody
}
