import {
  type PaginationConfigEntry,
  RESPONSE_FORMATS,
} from '../../../../shared/contract/base/pagination-config.ts'
import { english, type English } from '../../../lib/i18n.ts'

interface KeyHelp {
  /** A few words next to the key. */
  readonly detail: English
  /** One or two sentences. */
  readonly info: English
  /** The text inserted with the key; `#{}` is the cursor position. */
  readonly snippet: string
  readonly values?: readonly string[]
}

/**
 * Every key of a configuration for the editor. It is typed by the contract, so that a key added there doesn't compile
 * without help.
 */
export const CONFIG_KEYS: { readonly [K in keyof PaginationConfigEntry]-?: KeyHelp } = {
  query: {
    detail: english('parameters'),
    info: english('Parameters of each pagination call, added to those of the action. null removes one.'),
    snippet: '"query": "{\\"#{}\\": {{ page + 1 }}}"',
  },
  body: {
    detail: english('body, which makes the call POST'),
    info: english('Body of each pagination call, merged into the action’s body. Makes the calls POST.'),
    snippet: '"body": "{\\"#{}\\": \\"{{ previous_request. }}\\"}"',
  },
  header: {
    detail: english('request headers'),
    info: english('Headers of each pagination call. null removes one.'),
    snippet: '"header": "{\\"#{}\\": \\"{{ page }}\\"}"',
  },
  response_jsonpath: {
    detail: english('path of the records'),
    info: english(
      'JSONPath to the list of records, also used for the first response. If missing or $, the response itself is the list.',
    ),
    snippet: '"response_jsonpath": "$.#{}"',
  },
  endpoint: {
    detail: english('URL of later pages'),
    info: english(
      'URL of every call after the first, instead of the action’s URL. It can be a link from the response.',
    ),
    snippet: '"endpoint": "{{ #{} }}"',
  },
  replace_body: {
    detail: english('true or false'),
    info: english('If true, only the pagination body is sent, without the action’s body.'),
    snippet: '"replace_body": true#{}',
    values: ['true', 'false'],
  },
  when: {
    detail: english('condition'),
    info: english(
      'In a list, the first configuration whose condition is true is used. One without a condition matches everything else.',
    ),
    snippet: '"when": "{{ #{} }}"',
  },
  stop_when: {
    detail: english('condition'),
    info: english('Evaluated before each pagination call. If true, the list is complete.'),
    snippet: '"stop_when": "{{ #{} }}"',
  },
  retry_when: {
    detail: english('condition'),
    info: english(
      'Evaluated for each successful response. If true, the call is retried as if it had failed.',
    ),
    snippet: '"retry_when": "{{ #{} }}"',
  },
  method: {
    detail: english('of later pages'),
    info: english('Method of pagination calls. Default: POST with a body, otherwise GET.'),
    snippet: '"method": "#{}"',
    values: ['"GET"', '"POST"', '"PUT"', '"PATCH"', '"DELETE"'],
  },
  max_pages: {
    detail: english('number'),
    info: english('Stops after this many pages. The run succeeds with the warning cut_by_max_pages.'),
    snippet: '"max_pages": 10#{}',
  },
  allowed_origins: {
    detail: english('list of origins'),
    info: english('Further origins that can be called with the connector’s credentials.'),
    snippet: '"allowed_origins": ["https://#{}"]',
  },
  first_request: {
    detail: english('true or false'),
    info: english(
      'If true, the configuration also applies to the first call, with page = 0 and no previous response.',
    ),
    snippet: '"first_request": true#{}',
    values: ['true', 'false'],
  },
  dedupe_by: {
    detail: english('JSONPath in a record'),
    info: english('Records with a value that already occurred in this run are skipped.'),
    snippet: '"dedupe_by": "$.#{}"',
  },
  ends_on_status: {
    detail: english('list of statuses'),
    info: english('If a later page returns one of these statuses, the list ends without an error.'),
    snippet: '"ends_on_status": [404#{}]',
  },
  cursor_may_be_absent: {
    detail: english('true or false'),
    info: english('True if the API leaves out the cursor when there is a single page.'),
    snippet: '"cursor_may_be_absent": true#{}',
  },
  list_may_be_absent: {
    detail: english('true or false'),
    info: english('True if the API leaves out the list when it is empty.'),
    snippet: '"list_may_be_absent": true#{}',
  },
  raw_body: {
    detail: english('body as text, which makes the call POST'),
    info: english(
      'Body of each pagination call as text, instead of an action body that is text or XML. In XML, inserted values are escaped.',
    ),
    snippet: '"raw_body": "#{}{{ page + 1 }}"',
  },
  response_format: {
    detail: english('format of the responses'),
    info: english(
      'Format of the responses, whatever their Content-Type. If missing, the Content-Type decides.',
    ),
    snippet: '"response_format": "#{}"',
    values: RESPONSE_FORMATS.map((format) => `"${format}"`),
  },
  delimiter: {
    detail: english('character between values'),
    info: english('Character between the values of CSV, such as ; or tab. Default: a comma.'),
    snippet: '"delimiter": ";#{}"',
  },
  min_interval_ms: {
    detail: english('milliseconds'),
    info: english('Minimum time between the start of one call and the start of the next.'),
    snippet: '"min_interval_ms": 500#{}',
  },
}

/** The variables that templates of a configuration can use. */
export const TEMPLATE_VARIABLES: readonly { readonly name: string; readonly info: English }[] = [
  { name: 'page', info: english('1 for the first pagination call, then 2, 3, …') },
  { name: 'previous_request', info: english('Body of the previous response') },
  { name: 'previous_request_headers', info: english('Headers of the previous response, case-insensitive') },
  { name: 'endpoint', info: english('The action’s own endpoint') },
  { name: 'links', info: english('Targets of the Link header by relation, for example links.next') },
  { name: 'count', info: english('Records read so far') },
  { name: 'last_record', info: english('Last record read') },
  { name: 'status', info: english('In conditions: the status of the previous response') },
  { name: 'input', info: english('Values of the step’s form') },
  { name: 'auth', info: english('Fields of the connector auth, without secrets') },
]
