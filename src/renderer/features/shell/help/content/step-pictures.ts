import type { PictureName } from './pictures.tsx'

/** Steps without a picture of their own are shown as a step of a flow. */
export function pictureOfStep(type: string): PictureName {
  return PICTURES[type] ?? 'flow'
}

const PICTURES: Readonly<Record<string, PictureName>> = {
  webhook: 'webhook',
  form_trigger: 'webhook',
  schedule: 'clock',
  delay: 'clock',
  list_trigger: 'news',
  folder_trigger: 'files',
  sql_trigger: 'table',
  imap_trigger: 'news',
  plugin_trigger: 'plugin',
  plugin: 'plugin',
  connector_action: 'pages',
  rest: 'pages',
  sql: 'table',
  data_table: 'table',
  condition: 'branch',
  switch: 'branch',
  try: 'branch',
  parallel: 'branch',
  wait_for_callback: 'webhook',
  run_program: 'log',
  loop: 'loop',
  loop_while: 'loop',
  filter: 'loop',
  sort: 'list',
  aggregate: 'chart',
  ask_person: 'people',
  set: 'template',
  code: 'template',
  key_value: 'variables',
  csv_parse: 'files',
  csv_write: 'files',
  xml_parse: 'files',
  xml_write: 'files',
  file_read: 'files',
  file_write: 'files',
  markdown: 'files',
  html_extract: 'list',
  write_records: 'sync',
  read_cursor: 'sync',
  merge: 'sync',
}
