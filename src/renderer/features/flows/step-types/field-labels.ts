import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

/** The forms' labels of a step's fields, by their key in its config. */
const LABELS: Readonly<Record<string, English>> = {
  a: english('Value'),
  action: english('Action'),
  append: english('Append to file'),
  async: english('Respond immediately'),
  at: english('At'),
  attachments: english('Attachments'),
  auth_id: english('Connector auth'),
  b: english('to'),
  bcc: english('Bcc'),
  body: english('Body content'),
  body_type: english('Body'),
  by: english('Sort by'),
  cases: english('Cases'),
  cc: english('Cc'),
  collect: english('Collect'),
  columns: english('Columns'),
  comparison: english('Comparison'),
  connector_id: english('Connector'),
  content: english('Content'),
  cors_origins: english('Allowed CORS origins'),
  cron: english('Cron expression'),
  declaration: english('Start with an XML declaration'),
  delimiter: english('Separator'),
  descending: english('Descending order'),
  dynamic_auth_id: english('Connector auth ID'),
  encoding: english('Encoding'),
  end: english('Not after'),
  fail_on_error: english('Fail on HTTP errors (400 and above)'),
  file_id: english('Or a file'),
  flow_id: english('Flow'),
  from: english('From'),
  header: english('First row contains column names'),
  headers: english('Headers'),
  how: english('Method'),
  html: english('HTML'),
  indent: english('Indent (spaces)'),
  input: english('Input'),
  interval: english('Runs'),
  key: english('Key'),
  max_iterations: english('Max iterations'),
  max_pages: english('Max pages'),
  message: english('Message'),
  method: english('Method'),
  minutes: english('Interval (minutes)'),
  missed: english('Missed runs'),
  on: english('Match on field'),
  on_with: english('Field in second list'),
  operation: english('Operation'),
  operations: english('Results'),
  over: english('List'),
  pagination: english('Pagination'),
  path: english('Path'),
  query: english('Query'),
  reply_to: english('Reply-To'),
  response_body: english('Response body'),
  response_headers: english('Response headers'),
  response_status_code: english('Response status code'),
  retrieve_all_data: english('Retrieve all data'),
  rows: english('Rows'),
  seconds: english('Seconds'),
  signature: english('Request signature'),
  source: english('JavaScript'),
  start: english('Not before'),
  status: english('End run with'),
  status_code: english('Status code'),
  subject: english('Subject'),
  text: english('Text'),
  timeout_seconds: english('Timeout (seconds)'),
  timezone: english('Time zone'),
  to: english('To'),
  ttl_seconds: english('Expires after (seconds)'),
  until: english('Until'),
  url: english('URL'),
  value: english('Value'),
  values: english('Values'),
  wait: english('Wait for completion'),
  weekdays: english('Days of the week'),
  when: english('Keep item if'),
  with: english('Second list'),
}

/** Keys with another label in another form. */
const LABELS_OF: Readonly<Record<string, English>> = {
  'respond.body': english('Body'),
  'condition.when': english('When'),
  'loop_while.when': english('Continue while'),
  'aggregate.by': english('Group by'),
  'csv_parse.encoding': english('File encoding'),
  'xml_parse.encoding': english('File encoding'),
}

/** The label of a field in its step's form; a key without a form stays as it is. */
export function fieldLabel(type: string, key: string): string {
  const label = LABELS_OF[`${type}.${key}`] ?? LABELS[key]
  return label === undefined ? key : t(label)
}

/** `config.headers.accept` → the field and the name in it. */
export function placeOfField(field: string): { readonly key: string; readonly name: string | undefined } {
  const [, key = '', rest] = /^(?:config\.)?(\w+)(?:[.[](.*))?$/.exec(field) ?? [field, field]
  return { key, name: rest?.replace(/\]/g, '') }
}
