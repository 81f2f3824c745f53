import type { PaginationErrorCode, StopReason } from '../../../../shared/contract/pagination.ts'
import { english } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

interface StopWords {
  /** The reason, worded to follow "It ended because". */
  readonly because: English
  /** Its meaning for the list, if the list may be incomplete. */
  readonly advice: English | null
}

export const STOP_SENTENCES: { readonly [R in StopReason]: StopWords } = {
  no_records: { because: english('a page had no records'), advice: null },
  no_next: { because: english('the response has no next page'), advice: null },
  repeated_page: {
    because: english('a page repeated the previous one'),
    advice: english('The API may be ignoring the parameter. Compare the requests of the last two pages.'),
  },
  not_found: {
    because: english('a page returned 404'),
    advice: english('This counts as the end of a list without a cursor.'),
  },
  not_paginated: {
    because: english('the response isn’t paginated'),
    advice: english(
      'The action doesn’t retrieve all data, there’s no configuration, or the response isn’t a list.',
    ),
  },
  no_config_matched: {
    because: english('no configuration matched'),
    advice: english('No "when" is true. Remove "when" from the last configuration to match everything else.'),
  },
  cut_by_max_pages: {
    because: english('the page or record cap was reached'),
    advice: english('The list may have more records.'),
  },
  ended_by_status: {
    because: english('a page returned a status from "ends_on_status"'),
    advice: null,
  },
  nothing_new: {
    because: english('a page had only records that were already read'),
    advice: english('The API may be ignoring the parameter. Compare the requests of the last two pages.'),
  },
}

/** Advice by the code of a failure. */
export const FAILURE_ADVICE: { readonly [C in PaginationErrorCode]?: English } = {
  http_error: english('Check the response body for the API’s error message.'),
  error_in_answer: english('Check the response body to see what went wrong.'),
  body_not_mergeable: english('Set the action’s body to an object, or set "replace_body" to true.'),
  rate_limited: english('Wait, or request fewer pages at a time.'),
  cross_origin_link: english('If this URL is expected, add its origin to "allowed_origins".'),
  pagination_loop: english('Compare the cursors of the pages. At least one must change on each page.'),
  response_not_json: english('Check the response. An HTML page often means a wrong URL or a missing login.'),
  stalled: english('Check "response_jsonpath": later pages may use another path.'),
  list_in_doubt: english('Correct the configuration, or set "when_in_doubt" to "warn".'),
  page_limit: english('If the list is really that long, increase the limit in the settings.'),
}
