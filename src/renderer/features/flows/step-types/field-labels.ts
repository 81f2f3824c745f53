import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

/** The forms' labels of a step's fields, by their key in its config. */
const LABELS: Readonly<Record<string, English>> = {
  a: english('Value'),
  action: english('Action'),
  append: english('Add to the file'),
  async: english('Answer at once, run afterwards'),
  at: english('At'),
  attachments: english('Attachments'),
  auth_id: english('Auth'),
  b: english('With'),
  bcc: english('Hidden copy to'),
  body: english('Body content'),
  body_type: english('Body'),
  by: english('By'),
  cases: english('Cases'),
  cc: english('Copy to'),
  collect: english('Collect'),
  columns: english('Columns'),
  comparison: english('Comparison'),
  connector_id: english('Connector'),
  content: english('Content'),
  cors_origins: english('Web origins that may call it from a browser'),
  cron: english('Cron expression'),
  declaration: english('Begins with an XML declaration'),
  delimiter: english('Between the values'),
  descending: english('The greatest first'),
  dynamic_auth_id: english('Auth of each run'),
  encoding: english('Encoding'),
  end: english('Not after'),
  fail_on_error: english('An answer of 400 or above fails the step'),
  file_id: english('Or a file'),
  flow_id: english('Flow'),
  from: english('From'),
  header: english('The first row names the columns'),
  headers: english('Headers'),
  how: english('How'),
  html: english('HTML'),
  indent: english('Spaces a level'),
  input: english('Input'),
  interval: english('Runs'),
  key: english('Key'),
  max_iterations: english('Turns at most'),
  max_pages: english('Pages at most'),
  message: english('Message'),
  method: english('Method'),
  minutes: english('Minutes between runs'),
  missed: english('Runs that were missed'),
  on: english('Field that is equal'),
  on_with: english('Its name in the second list'),
  operation: english('Do'),
  operations: english('Results'),
  over: english('Over'),
  pagination: english('Pagination'),
  path: english('Path'),
  query: english('Query'),
  reply_to: english('Answers go to'),
  response_body: english('Response body'),
  response_headers: english('Response headers'),
  response_status_code: english('Response status code'),
  retrieve_all_data: english('Retrieve all data'),
  rows: english('Rows'),
  seconds: english('Seconds'),
  signature: english('Signature of callers'),
  source: english('JavaScript'),
  start: english('Not before'),
  status: english('The run ends as'),
  status_code: english('Status code'),
  subject: english('Subject'),
  text: english('Text'),
  timeout_seconds: english('Timeout in seconds'),
  timezone: english('Time zone'),
  to: english('To'),
  ttl_seconds: english('Forget it after seconds'),
  until: english('Until'),
  url: english('Address'),
  value: english('Value'),
  values: english('Values'),
  wait: english('Wait for its end'),
  weekdays: english('On'),
  when: english('Keep an entry when'),
  with: english('Second list'),
}

/** Keys with another label in another form. */
const LABELS_OF: Readonly<Record<string, English>> = {
  'respond.body': english('Body'),
  'condition.when': english('When'),
  'loop_while.when': english('Go on while'),
  'aggregate.by': english('For each'),
  'csv_parse.encoding': english('Encoding of the file'),
  'xml_parse.encoding': english('Encoding of the file'),
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
