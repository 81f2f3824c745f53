/** What a list is asked for, once its query has been read: the same for every noun, from the route to the database. */

export const FILTER_OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'like'] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]

/** Times are milliseconds of the Unix epoch. */
export type FilterValue = string | number | boolean | null

export type Filter =
  | { readonly field: string; readonly operator: Exclude<FilterOperator, 'in'>; readonly value: FilterValue }
  | { readonly field: string; readonly operator: 'in'; readonly value: readonly FilterValue[] }

export interface Sort {
  readonly field: string
  readonly descending: boolean
}

export interface ListRequest {
  /** All must hold. */
  readonly filters: readonly Filter[]
  /** Null: newest first. */
  readonly sort: Sort | null
  /** Counts from 1. */
  readonly page: number
  /** Null: the whole list. */
  readonly perPage: number | null
}

/** Newest first, going on behind the record of that id. */
export interface KeyedListRequest {
  readonly filters: readonly Filter[]
  readonly after: string | null
  readonly perPage: number
}
