import type { Dictionary } from '../data/value.ts'
import type { RequestBody } from './body.ts'
import type { HeaderLine } from '../ports.ts'

/** The call of an action, its templates rendered. */
export interface ApiRequest {
  /** Empty where the endpoint is absolute. */
  readonly baseUrl: string
  readonly endpoint: string
  readonly method: string
  readonly query: Dictionary
  /** Those of the connector and its auth included. */
  readonly headers: readonly HeaderLine[]
  readonly body: RequestBody
}
