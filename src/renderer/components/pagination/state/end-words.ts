import type { PaginationErrorCode, StopReason } from '../../../../shared/contract/pagination.ts'
import { english } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

interface StopWords {
  /** Why, after "It ended because". */
  readonly because: English
  /** What that means for the list, if it isn't plainly complete. */
  readonly advice: English | null
}

export const STOP_SENTENCES: { readonly [R in StopReason]: StopWords } = {
  no_records: { because: english('a page held no records'), advice: null },
  no_next: { because: english('the response names no next page'), advice: null },
  repeated_page: {
    because: english('a page repeated the one before'),
    advice: english('The API may ignore the parameter; compare the requests of the last two pages.'),
  },
  not_found: {
    because: english('a page answered 404'),
    advice: english('That is taken for the end of a counted list.'),
  },
  not_paginated: {
    because: english('nothing here is paginated'),
    advice: english(
      'The action has no automatic pagination, there is no configuration, or the response is no list.',
    ),
  },
  no_config_matched: {
    because: english('no configuration applied'),
    advice: english('No "when" holds; leave "when" out of the last one to catch all the rest.'),
  },
  cut_by_max_pages: {
    because: english('the wished number of pages or records was reached'),
    advice: english('The list may have more records.'),
  },
  ended_by_status: {
    because: english('a page was answered with a status in "ends_on_status"'),
    advice: null,
  },
  nothing_new: {
    because: english('a page held only records that were already read'),
    advice: english('The API may ignore the parameter; compare the requests of the last two pages.'),
  },
}

/** What to try, by the code of a failure. */
export const FAILURE_ADVICE: { readonly [C in PaginationErrorCode]?: English } = {
  http_error: english('Look at the response of the page: APIs say there what they refuse.'),
  error_in_answer: english('Look at the response of the page: it says what went wrong.'),
  body_not_mergeable: english('Write the body of the action as an object, or set "replace_body" to true.'),
  rate_limited: english('Wait, or ask for fewer pages at a time.'),
  cross_origin_link: english('If the address is meant, name its origin in "allowed_origins".'),
  pagination_loop: english('Compare the cursors of the pages: one of them must change with each.'),
  response_not_json: english('Look at the response: a page of HTML often means a wrong address or a login.'),
  stalled: english('Look at "response_jsonpath": the records may stand elsewhere in later pages.'),
  page_limit: english('Raise the limit in the settings if the list is really that long.'),
}
