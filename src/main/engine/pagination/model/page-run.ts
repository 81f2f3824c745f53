import { type Said } from '../../../../shared/contract/base/message.ts'
import type { ResponseFormat } from '../../../../shared/contract/base/pagination-config.ts'
import type { Data, DataMap } from '@millrace/jinja/data'
import type { HeaderLine, OutgoingResponse } from '../../ports.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import type { PageConfig, PageContext } from './page-config.ts'
import type { RequestBody } from '../../request/body.ts'

/** The part of a run that is the same for all pages. */
export interface PaginationSetup {
  readonly action: ApiRequest
  readonly configs: readonly PageConfig[]
  readonly rules: AddressRules
  /** Additional variables of templates besides those of pagination. */
  readonly variables: DataMap
}

/** The data that the next call needs from the previous page. */
export interface PagePosition {
  /** The variable `page` of the last call. */
  readonly page: number
  readonly previous: PreviousResponse
  readonly count: number
  readonly lastRecord: Data
  /** Places in the templates where a live cursor was rendered. */
  readonly liveCursors: ReadonlySet<string>
}

export interface PreviousResponse {
  /** The URL that responded, or the requested one if a redirect led to another origin. */
  readonly address: string
  readonly body: Data
  readonly headers: readonly HeaderLine[]
  readonly status: number
}

/** A call to be made: the request, and what is needed to read its response. */
export interface PageCall {
  readonly page: number
  /** Null for the first call, whose response decides which configuration applies. */
  readonly config: PageConfig | null
  readonly context: PageContext
  readonly request: PageRequest
}

export interface FetchedPage {
  readonly call: PageCall
  /** Null if no configuration matched. */
  readonly config: PageConfig | null
  readonly response: OutgoingResponse
  readonly body: Data
  readonly format: ResponseFormat
  readonly read: PageRecords
  /** The names that lead from the root towards the list. */
  readonly way: readonly string[]
  /** Null unless the page is XML. */
  readonly holder: ListHolder | null
  /** Whether this page has no list, although the previous pages had one and nothing says that the list has ended. */
  readonly lacksList: boolean
}

/** A request to be sent, with details of how it was built. */
export interface PageRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly HeaderLine[]
  readonly body: RequestBody
  /** The values that its templates inserted, by place. */
  readonly usedValues: readonly UsedValue[]
  /** A page size above the specification's maximum, as `limit = 500`; null if there is none. */
  readonly largePageSize: string | null
  /** Whether the URL was an http link that is followed over https because the base URL uses https. */
  readonly isUpgraded: boolean
}

/** A value that a request takes from the variables, and where the configuration reads it. */
export interface UsedValue {
  readonly place: string
  readonly names: ReadonlySet<string>
  readonly value: Data | undefined
}

/** The rules that the URLs of one run are checked against. */
export interface AddressRules {
  /** The connector's base URL, without credentials. */
  readonly base: URL
  /** `user:password` of the base URL, which become a header; null if it has none. */
  readonly login: string | null
  /** Origins that can be called with the connector's credentials. */
  readonly origins: ReadonlySet<string>
}

export interface PageRecords {
  readonly records: readonly Data[]
  /**
   * `empty` means that the list has no items or is null; `missing`, that there is no list; `filtered`, that the path's
   * filter removed every record; `single`, that the response itself is one object, not a list.
   */
  readonly found: 'records' | 'empty' | 'missing' | 'filtered' | 'single'
  /** The page's records before filtering, by which pages are compared. */
  readonly unfiltered: readonly Data[]
  /** Whether the path leads to null or to nothing rather than to a list. */
  readonly isNull: boolean
  /** The kind of value that the response has in place of its list. */
  readonly place: ListPlace
}

/** In XML, the innermost element on the path to the list that a page has. */
export interface ListHolder {
  readonly value: Data
  /** Whether the records are its children. */
  readonly isParent: boolean
  /** The names of all elements on the path and next to it. */
  readonly around: readonly string[]
}

/** `nothing` is an empty object, false or an empty string, which some languages write for an empty list. */
export type ListPlace = 'list' | 'nothing' | 'null' | 'absent' | 'object' | 'scalar'

export type Keys = readonly (string | number)[]

/** The places of a response's records, as paths of keys. */
export interface RecordPlaces {
  /** Lists that were flattened, so that each element is a record. */
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
  | DoubtCode

/** Warnings that always mean that the list may be incomplete. Some other warnings only mean it in certain places. */
export type DoubtCode =
  | 'cursor_never_seen'
  | 'first_page_again'
  | 'more_announced'
  | 'list_missing'
  | 'partial_page'
  | 'previous_page_again'

/** A reason to doubt that a list is complete. */
export interface Doubt {
  readonly code: WarningCode
  readonly detail?: string | Said
}
