import type { Data, DataMap } from '../../data/value.ts'
import type { HeaderLine, OutgoingResponse } from '../../ports.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import type { PageConfig, PageContext } from './page-config.ts'
import type { RequestBody } from '../../request/body.ts'

/** What stays the same from page to page. */
export interface PaginationSetup {
  readonly action: ApiRequest
  readonly configs: readonly PageConfig[]
  readonly rules: AddressRules
  /** What templates may read beside the variables of pagination. */
  readonly variables: DataMap
}

/** What a page leaves behind for the next call. */
export interface PagePosition {
  /** The variable `page` of the last call. */
  readonly page: number
  readonly previous: PreviousResponse
  readonly count: number
  readonly lastRecord: Data
  /** Places in the templates that have given a live cursor. */
  readonly liveCursors: ReadonlySet<string>
}

export interface PreviousResponse {
  /** That answered, or was asked where a redirect led to another origin. */
  readonly address: string
  readonly body: Data
  readonly headers: readonly HeaderLine[]
  readonly status: number
}

/** One call to be made: the request and what its answer is read with. */
export interface PageCall {
  readonly page: number
  /** Null: the first call, whose configuration its answer decides. */
  readonly config: PageConfig | null
  readonly context: PageContext
  readonly request: PageRequest
}

/** A page that was read. */
export interface FetchedPage {
  readonly call: PageCall
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
  readonly usedValues: readonly UsedValue[]
  /** A page size above the specification's, as `limit = 500`; null where there is none. */
  readonly largePageSize: string | null
  /** Its address was a link over http that is followed over https, as the base is. */
  readonly isUpgraded: boolean
}

/** A value that a request takes from the variables, and where in the configuration it does. */
export interface UsedValue {
  readonly place: string
  readonly names: ReadonlySet<string>
  readonly value: Data | undefined
}

/** What addresses of one run are measured against. */
export interface AddressRules {
  /** The connector's base, without credentials. */
  readonly base: URL
  /** `user:password` of the base, which become a header; null where it has none. */
  readonly login: string | null
  /** Origins that may be called with the connector's credentials. */
  readonly origins: ReadonlySet<string>
}

/** The records of one response. */
export interface PageRecords {
  readonly records: readonly Data[]
  /**
   * `empty`: the list is there and has none, or is null; `missing`: there is no list; `filtered`: the
   * path's filter has removed all there were; `single`: the response itself is one object, no list.
   */
  readonly found: 'records' | 'empty' | 'missing' | 'filtered' | 'single'
  /** What the page held before a filter: two pages are told apart by it. */
  readonly unfiltered: readonly Data[]
  /** Nothing is there but null, or not even that: no list. */
  readonly isNull: boolean
}

export type Keys = readonly (string | number)[]

/** Where the records of a response stand, by the keys that lead there. */
export interface RecordPlaces {
  /** Lists that were opened: each element is a record. */
  readonly lists: readonly Keys[]
  /** Values that are records themselves. */
  readonly records: readonly Keys[]
}

export type WarningCode =
  | 'no_config_matched'
  | 'ended_by_404'
  | 'repeated_page'
  | 'page_size'
  | 'cut_by_max_pages'
  | 'not_a_list'
  | 'jsonpath_no_match'
  | 'cursor_missing'
  | 'nothing_new'
  | 'upgraded_link'
