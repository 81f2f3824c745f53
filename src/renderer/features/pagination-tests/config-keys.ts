import type { PaginationConfigEntry } from '../../../shared/contract/pagination.ts'

interface KeyHelp {
  /** In a few words, beside the key. */
  readonly detail: string
  /** In a sentence or two. */
  readonly info: string
  /** What is put in with the key; `#{}` is where the cursor goes. */
  readonly snippet: string
  readonly values?: readonly string[]
}

/** Every key of a configuration for the editor. Typed by the contract: one added there does not compile without help. */
export const CONFIG_KEYS: { readonly [K in keyof PaginationConfigEntry]-?: KeyHelp } = {
  query: {
    detail: 'parameters',
    info: 'Parameters of each pagination call, over those of the action. null takes one away.',
    snippet: '"query": "{\\"#{}\\": {{ page + 1 }}}"',
  },
  body: {
    detail: 'body, makes it POST',
    info: "Body of each pagination call, laid over the action's. Makes the calls POST.",
    snippet: '"body": "{\\"#{}\\": \\"{{ previous_request. }}\\"}"',
  },
  header: {
    detail: 'request headers',
    info: 'Headers of each pagination call. null takes one away.',
    snippet: '"header": "{\\"#{}\\": \\"{{ page }}\\"}"',
  },
  response_jsonpath: {
    detail: 'where the records are',
    info: 'JSONPath to the list of records, in the first response too. Absent or $: the response is the list.',
    snippet: '"response_jsonpath": "$.#{}"',
  },
  endpoint: {
    detail: 'address of further pages',
    info: "Address of every call but the first, in place of the action's. A link from the response may stand here.",
    snippet: '"endpoint": "{{ #{} }}"',
  },
  replace_body: {
    detail: 'true or false',
    info: "true: the pagination body is sent alone, without the action's.",
    snippet: '"replace_body": true#{}',
    values: ['true', 'false'],
  },
  when: {
    detail: 'condition',
    info: 'In a list, the first configuration whose condition holds is used; one without it catches all the rest.',
    snippet: '"when": "{{ #{} }}"',
  },
  stop_when: {
    detail: 'condition',
    info: 'Asked before each pagination call. Where it holds, the list is complete.',
    snippet: '"stop_when": "{{ #{} }}"',
  },
  retry_when: {
    detail: 'condition',
    info: 'Asked of a good response. Where it holds, the call is repeated like one that failed.',
    snippet: '"retry_when": "{{ #{} }}"',
  },
  method: {
    detail: 'of further pages',
    info: 'Method of pagination calls. Absent: POST with body, else GET.',
    snippet: '"method": "#{}"',
    values: ['"GET"', '"POST"', '"PUT"', '"PATCH"', '"DELETE"'],
  },
  max_pages: {
    detail: 'number',
    info: 'Reads so many pages and no more. The run succeeds with the warning cut_by_max_pages.',
    snippet: '"max_pages": 10#{}',
  },
  allowed_origins: {
    detail: 'list of origins',
    info: "Origins beside the connector's own that may be called, with its credentials.",
    snippet: '"allowed_origins": ["https://#{}"]',
  },
  first_request: {
    detail: 'true or false',
    info: 'true: the configuration applies to the first call too, with page = 0 and no previous response.',
    snippet: '"first_request": true#{}',
    values: ['true', 'false'],
  },
  dedupe_by: {
    detail: 'JSONPath in a record',
    info: 'A record whose value there has been seen in this run is left out.',
    snippet: '"dedupe_by": "$.#{}"',
  },
}

/** What templates of a configuration read. */
export const TEMPLATE_VARIABLES: readonly { readonly name: string; readonly info: string }[] = [
  { name: 'page', info: '1 for the first pagination call, then 2, 3, …' },
  { name: 'previous_request', info: 'Body of the response before' },
  { name: 'previous_request_headers', info: 'Headers of the response before, in any case' },
  { name: 'endpoint', info: "The action's own endpoint" },
  { name: 'links', info: 'Targets of the Link header by relation: links.next' },
  { name: 'count', info: 'Records read so far' },
  { name: 'last_record', info: 'The last record read' },
  { name: 'input', info: "The step's form values" },
  { name: 'auth', info: 'What the auth holds beside its secrets' },
]
