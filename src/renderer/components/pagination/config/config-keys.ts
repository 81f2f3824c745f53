import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { english, type English } from '../../../lib/i18n.ts'

interface KeyHelp {
  /** A few words next to the key. */
  readonly detail: English
  /** One or two sentences. */
  readonly info: English
  /** What is inserted with the key; `#{}` is the cursor position. */
  readonly snippet: string
  readonly values?: readonly string[]
}

/**
 * Every key of a configuration for the editor. Typed by the contract: a key added there doesn't compile without help.
 */
export const CONFIG_KEYS: { readonly [K in keyof PaginationConfigEntry]-?: KeyHelp } = {
  query: {
    detail: english('parameters'),
    info: english('Parameters of each pagination call, over those of the action. null takes one away.'),
    snippet: '"query": "{\\"#{}\\": {{ page + 1 }}}"',
  },
  body: {
    detail: english('body, makes it POST'),
    info: english("Body of each pagination call, laid over the action's. Makes the calls POST."),
    snippet: '"body": "{\\"#{}\\": \\"{{ previous_request. }}\\"}"',
  },
  header: {
    detail: english('request headers'),
    info: english('Headers of each pagination call. null takes one away.'),
    snippet: '"header": "{\\"#{}\\": \\"{{ page }}\\"}"',
  },
  response_jsonpath: {
    detail: english('where the records are'),
    info: english(
      'JSONPath to the list of records, in the first response too. Absent or $: the response is the list.',
    ),
    snippet: '"response_jsonpath": "$.#{}"',
  },
  endpoint: {
    detail: english('address of further pages'),
    info: english(
      "Address of every call but the first, in place of the action's. A link from the response may stand here.",
    ),
    snippet: '"endpoint": "{{ #{} }}"',
  },
  replace_body: {
    detail: english('true or false'),
    info: english("true: the pagination body is sent alone, without the action's."),
    snippet: '"replace_body": true#{}',
    values: ['true', 'false'],
  },
  when: {
    detail: english('condition'),
    info: english(
      'In a list, the first configuration whose condition holds is used; one without it catches all the rest.',
    ),
    snippet: '"when": "{{ #{} }}"',
  },
  stop_when: {
    detail: english('condition'),
    info: english('Asked before each pagination call. Where it holds, the list is complete.'),
    snippet: '"stop_when": "{{ #{} }}"',
  },
  retry_when: {
    detail: english('condition'),
    info: english('Asked of a good response. Where it holds, the call is repeated like one that failed.'),
    snippet: '"retry_when": "{{ #{} }}"',
  },
  method: {
    detail: english('of further pages'),
    info: english('Method of pagination calls. Absent: POST with body, else GET.'),
    snippet: '"method": "#{}"',
    values: ['"GET"', '"POST"', '"PUT"', '"PATCH"', '"DELETE"'],
  },
  max_pages: {
    detail: english('number'),
    info: english('Reads so many pages and no more. The run succeeds with the warning cut_by_max_pages.'),
    snippet: '"max_pages": 10#{}',
  },
  allowed_origins: {
    detail: english('list of origins'),
    info: english("Origins beside the connector's own that may be called, with its credentials."),
    snippet: '"allowed_origins": ["https://#{}"]',
  },
  first_request: {
    detail: english('true or false'),
    info: english(
      'true: the configuration applies to the first call too, with page = 0 and no previous response.',
    ),
    snippet: '"first_request": true#{}',
    values: ['true', 'false'],
  },
  dedupe_by: {
    detail: english('JSONPath in a record'),
    info: english('A record whose value there has been seen in this run is left out.'),
    snippet: '"dedupe_by": "$.#{}"',
  },
  ends_on_status: {
    detail: english('list of statuses'),
    info: english(
      'A page after the first that is answered with one of them ends the list, without an error.',
    ),
    snippet: '"ends_on_status": [404#{}]',
  },
  min_interval_ms: {
    detail: english('milliseconds'),
    info: english('At least this long from the start of one call to the start of the next.'),
    snippet: '"min_interval_ms": 500#{}',
  },
}

/** What templates of a configuration can use. */
export const TEMPLATE_VARIABLES: readonly { readonly name: string; readonly info: English }[] = [
  { name: 'page', info: english('1 for the first pagination call, then 2, 3, …') },
  { name: 'previous_request', info: english('Body of the response before') },
  { name: 'previous_request_headers', info: english('Headers of the response before, in any case') },
  { name: 'endpoint', info: english("The action's own endpoint") },
  { name: 'links', info: english('Targets of the Link header by relation: links.next') },
  { name: 'count', info: english('Records read so far') },
  { name: 'last_record', info: english('The last record read') },
  { name: 'status', info: english('In conditions: the status of the response before') },
  { name: 'input', info: english("The step's form values") },
  { name: 'auth', info: english('What the auth holds beside its secrets') },
]
