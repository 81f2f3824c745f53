/** Limits from the specification or the contract. The user can change those marked as settings. */
export const LIMITS = {
  /** Steps per run in the history; of later ones only the failed ones are kept. */
  shownSteps: 10_000,
  /** setting */ webhookBodyBytes: 5_242_880,
  /** setting */ bodyBytes: 1_048_576,
  /** setting */ fileBytes: 104_857_600,
  largeBodyBytes: 5_242_880,
  /** For an import of an uploaded file. */
  importFileBytes: 33_554_432,
  jsonDepth: 64,
  jsonValues: 500_000,
  queryNames: 200,
  formFields: 1_000,
  /** Of the page of a `form_trigger`. */
  pageFormBytes: 1_048_576,
  logoBytes: 262_144,
  openFormRequests: 30,
  /** Kept of the body of a rejected webhook request. */
  rejectedBodyBytes: 65_536,
  /** Of all such bodies together. */
  rejectedBodiesBytes: 52_428_800,
  /** Kept of rejected webhook requests in the history, apart from their bodies. */
  rejectedRequests: 5_000,
  rejectedRequestsBytes: 26_214_400,
  /** Later ones of the same minute are counted, but not listed. */
  rejectedRequestsPerMinute: 600,
  syncWebhookMs: 30_000,
  /** setting */ webhookRequests: 300,
  /** setting */ webhookWindowSeconds: 300,
  mcpRequests: 600,
  mcpWindowSeconds: 60,
  mcpSubscriptions: 20,
  mcpValues: 50_000,
  contextNames: 2_000,
  filesFromAnyoneBytes: 1_073_741_824,
  templatesWaiting: 50,
  mcpResultCharacters: 100_000,
  mcpWaitSeconds: 600,
  noteLength: 255,
  expirationDays: 36_500,
  tokensOfUser: 500,
  listPageSize: 50,
  numberedRecords: 10_000,
} as const

/** What each limit applies to, and its unit. */
export const LIMIT_HELP: { readonly [L in keyof typeof LIMITS]: readonly [what: string, unit: string] } = {
  shownSteps: ['Steps of one run that the run history keeps; after them only failed ones', 'steps'],
  webhookBodyBytes: ['Body of a webhook request; setting `webhook_body_limit_bytes`', 'bytes'],
  bodyBytes: ['Body of other API requests; setting `body_limit_bytes`', 'bytes'],
  fileBytes: ['Uploaded file; setting `file_limit_bytes`', 'bytes'],
  largeBodyBytes: ['Body of requests that carry flows, templates or imports', 'bytes'],
  importFileBytes: ['File to import, if it is uploaded first', 'bytes'],
  jsonDepth: ['Nesting of objects and lists in a JSON body', 'levels'],
  jsonValues: ['Values in a JSON body', 'values'],
  queryNames: ['Parameters in a query string', 'parameters'],
  formFields: ['Fields of a form', 'fields'],
  pageFormBytes: ['What is sent from the page of a form, in all', 'bytes'],
  logoBytes: ['Logo of a form', 'bytes'],
  openFormRequests: [
    'Times that one IP address can send forms without a token per window of webhooks',
    'requests',
  ],
  rejectedBodyBytes: ['Kept of the body of a rejected webhook request', 'bytes'],
  rejectedBodiesBytes: ['Bodies of rejected webhook requests that are kept, together', 'bytes'],
  rejectedRequests: ['Rejected webhook requests that the history keeps', 'requests'],
  rejectedRequestsBytes: ['What these take in the history, without their bodies', 'bytes'],
  rejectedRequestsPerMinute: ['Rejected webhook requests that are listed, at most', 'requests per minute'],
  syncWebhookMs: ['Time that a webhook caller waits for the response', 'milliseconds'],
  webhookRequests: [
    'Webhook requests of one IP address per window; setting `webhook_rate_limit_requests`',
    'requests',
  ],
  webhookWindowSeconds: ['Length of that window; setting `webhook_rate_limit_seconds`', 'seconds'],
  mcpRequests: ['Requests of one access token to the MCP server per window', 'requests'],
  mcpWindowSeconds: ['Length of that window', 'seconds'],
  mcpSubscriptions: ['Open requests of one access token that hear of changed tools', 'requests'],
  mcpValues: ['Values in the body of a request to the MCP server', 'values'],
  filesFromAnyoneBytes: [
    'Files that came with requests without credentials; the oldest of them are deleted for new ones',
    'bytes',
  ],
  contextNames: ['Names of the values that a template is tried with', 'names'],
  templatesWaiting: [
    'Templates of one access token that wait to be tried; more get `rate_limit`',
    'requests',
  ],
  mcpResultCharacters: ['Result of a tool of the MCP server; a longer one is shortened', 'characters'],
  mcpWaitSeconds: ['Longest time that a tool waits for the end of a run', 'seconds'],
  noteLength: ['Note of an access token', 'characters'],
  expirationDays: ['Lifetime of an access token', 'days'],
  tokensOfUser: ['Access tokens of one user that have not expired', 'tokens'],
  numberedRecords: [
    'Records of a list of runs, steps, requests or rows that `page` reaches; `after` reaches all',
    'records',
  ],
  listPageSize: ['Records on a page of a list, unless `per_page` says otherwise (at most 200)', 'records'],
}
