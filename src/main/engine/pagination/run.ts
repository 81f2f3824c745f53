import type { Data, DataMap, Dictionary } from '../data/value.ts'
import type { HeaderLine, OutgoingResponse } from '../ports.ts'
import type { AddressRules } from './address.ts'
import type { PageConfig, TemplateContext } from './page-config.ts'
import type { PageRecords } from './records.ts'
import type { RequestBody } from './request-body.ts'

/** The call of an action, its templates rendered. */
export interface ActionRequest {
  /** Empty where the endpoint is absolute. */
  readonly baseUrl: string
  readonly endpoint: string
  readonly method: string
  readonly query: Dictionary
  /** Those of the connector and its auth included. */
  readonly headers: readonly HeaderLine[]
  readonly body: RequestBody
}

/** What stays the same from page to page. */
export interface Setup {
  readonly action: ActionRequest
  readonly configs: readonly PageConfig[]
  readonly rules: AddressRules
  /** What templates may read beside the variables of pagination. */
  readonly variables: DataMap
}

/** What a page leaves behind for the next call. */
export interface Position {
  /** The variable `page` of the last call. */
  readonly page: number
  readonly previous: PreviousResponse
  readonly count: number
  readonly lastRecord: Data
  /** Places in the templates that have given a live cursor. */
  readonly alive: ReadonlySet<string>
}

export interface PreviousResponse {
  /** That answered, or was asked where a redirect led to another origin. */
  readonly address: string
  readonly body: Data
  readonly headers: readonly HeaderLine[]
}

/** One call to be made: the request and what its answer is read with. */
export interface Call {
  readonly page: number
  /** Null: the first call, whose configuration its answer decides. */
  readonly config: PageConfig | null
  readonly context: TemplateContext
  readonly request: PageRequest
}

/** A page that was read. */
export interface Page {
  readonly call: Call
  /** Null: none matched. */
  readonly config: PageConfig | null
  readonly response: OutgoingResponse
  readonly body: Data
  readonly read: PageRecords
}

/** A request to be sent, and what is worth knowing of how it was made. */
export interface PageRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly HeaderLine[]
  readonly body: RequestBody
  /** What its templates put in, by place. */
  readonly taken: readonly Taken[]
  /** A page size above the specification's, as `limit = 500`; null where there is none. */
  readonly largePageSize: string | null
}

/** A value that a request takes from the variables, and where in the configuration it does. */
export interface Taken {
  readonly place: string
  readonly names: ReadonlySet<string>
  readonly value: Data | undefined
}
