import { english, t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'

/** The forms' labels of a step's fields, by their key in its config. */
const LABELS: Readonly<Record<string, English>> = {
  a: english('Value'),
  action: english('Action'),
  arguments: english('Arguments'),
  environment: english('Environment variables'),
  exit_codes: english('Successful exit codes'),
  output: english('Read the output as'),
  program: english('Program'),
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
  cursor_field: english('Cursor field'),
  cron: english('Cron expression'),
  cursor: english('Cursor field'),
  declaration: english('Start with an XML declaration'),
  delimiter: english('Separator'),
  descending: english('Descending order'),
  each: english('Rows'),
  fields: english('Fields'),
  dynamic_auth_id: english('Connector auth ID'),
  encoding: english('Encoding'),
  description: english('Description'),
  details: english('Details'),
  end: english('Not after'),
  events: english('Start for'),
  every_minutes: english('Check every (minutes)'),
  fail_on_error: english('Fail on HTTP errors (400 and above)'),
  first: english('First check'),
  file: english('Or a SQLite file'),
  filter: english('Filter'),
  file_id: english('Or a file'),
  flow_id: english('Flow'),
  from: english('From'),
  header: english('First row contains column names'),
  headers: english('Headers'),
  formulas: english('Formulas'),
  how: english('Method'),
  html: english('HTML'),
  indent: english('Indent (spaces)'),
  ignore_unknown: english('Leave out fields without a column'),
  initial: english('The first time, start at'),
  input: english('Input'),
  interval: english('Runs'),
  key: english('Key'),
  limit: english('At most'),
  look_back: english('Look back'),
  mailbox: english('Mailbox'),
  mark_seen: english('Mark as read'),
  max_iterations: english('Max iterations'),
  max_pages: english('Max pages'),
  when_in_doubt: english('When in doubt'),
  message: english('Message'),
  method: english('Method'),
  methods: english('Methods'),
  minutes: english('Interval (minutes)'),
  missed: english('Missed runs'),
  newest: english('How many'),
  mode: english('Existing records'),
  on: english('Match on field'),
  on_bad_record: english('Records that can’t be written'),
  on_with: english('Field in second list'),
  operation: english('Operation'),
  operations: english('Results'),
  over: english('List'),
  pagination: english('Pagination'),
  parameters: english('Parameters'),
  path: english('Path'),
  pattern: english('File names'),
  query: english('Query'),
  question: english('Question'),
  records: english('List in the response'),
  redirect_url: english('Redirect to'),
  reply_to: english('Reply-To'),
  response: english('After sending'),
  response_body: english('Response body'),
  response_headers: english('Response headers'),
  response_text: english('Text after sending'),
  response_status_code: english('Response status code'),
  retrieve_all_data: english('Retrieve all data'),
  rows: english('Rows'),
  runs: english('What it starts'),
  seconds: english('Seconds'),
  settle_seconds: english('Complete after (seconds)'),
  signature: english('Request signature'),
  sort: english('Sort by column'),
  source: english('JavaScript'),
  start: english('Not before'),
  statement: english('Statement'),
  statements: english('Or several statements in one transaction'),
  status: english('End run with'),
  status_code: english('Status code'),
  submit_label: english('Button'),
  subfolders: english('Include subfolders'),
  subject: english('Subject'),
  table: english('Table'),
  target: english('Target'),
  text: english('Text'),
  timeout_hours: english('Wait for (hours)'),
  timeout_seconds: english('Timeout (seconds)'),
  timezone: english('Time zone'),
  title: english('Heading'),
  to: english('To'),
  ttl_seconds: english('Expires after (seconds)'),
  unseen_only: english('Only unread emails'),
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
  'markdown.to': english('Direction'),
  'folder_trigger.path': english('Folder'),
  'form_trigger.response_body': english('Page (HTML)'),
  'list_trigger.source': english('Look at'),
  'list_trigger.url': english('Feed URL'),
  'run_program.input': english('Standard input'),
  'respond.body': english('Body'),
  'imap_trigger.attachments': english('Keep attachments as files'),
  'imap_trigger.from': english('Sender contains'),
  'imap_trigger.subject': english('Subject contains'),
  'sql_trigger.cursor_field': english('Cursor column'),
  'sql_trigger.key': english('Key columns'),
  'sql_trigger.statement': english('Or a statement'),
  'write_records.records': english('Records'),
  'data_table.key': english('Key columns'),
  'data_table.values': english('New values'),
  'read_cursor.look_back': english('Start earlier by'),
  'ask_person.cases': english('Buttons'),
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

/** `config.fields[2].name` of a form → `Fields: 3. name`. Empty for a step as a whole. */
export function placeInWords(type: string, field: string): string {
  if (field === '') return ''
  const { key } = placeOfField(field)
  const below = nameBelow(field.slice(field.indexOf(key) + key.length))
  return [fieldLabel(type, key), below].filter((part) => part !== '').join(': ')
}

/** What is below a field, `.accept` or `[2].name`, with items counted from 1. */
export function nameBelow(path: string): string {
  return path
    .replace(/\[(\d+)\]\.?/g, (_, index) => ` ${Number(index) + 1}. `)
    .replace(/^\./, '')
    .trim()
}
