import { isStepType, type Step, type StepType } from '../../../../shared/contract/steps.ts'
import { type Data, entriesOf, isDictionary, isList } from '../../data/value.ts'
import { hasTags } from '../../template/index.ts'

/** A string in a step's config that is a template. */
export interface Source {
  readonly field: string
  readonly source: string
}

/** Fields of a type whose strings aren't templates. */
const PLAIN_FIELDS: { readonly [T in StepType]?: readonly string[] } = {
  webhook: ['cors_origins', 'methods'],
  schedule: ['interval', 'cron', 'at', 'weekdays', 'start', 'end', 'timezone', 'missed'],
  folder_trigger: ['path', 'events', 'pattern', 'first'],
  form_trigger: [
    'title',
    'description',
    'fields',
    'submit_label',
    'response',
    'response_text',
    'redirect_url',
  ],
  list_trigger: [
    'source',
    'connector_id',
    'action',
    'records',
    'key',
    'cursor_field',
    'first',
    'runs',
    'when_in_doubt',
  ],
  imap_trigger: ['auth_id', 'mailbox', 'from', 'subject', 'first'],
  sql_trigger: ['table', 'statement', 'key', 'cursor_field', 'first', 'runs'],
  connector_action: ['connector_id', 'action'],
  rest: ['method', 'body_type', 'pagination'],
  sql: ['statement'],
  condition: ['comparison'],
  ask_person: ['fields'],
  loop_while: ['max_iterations'],
  stop: ['status'],
  merge: ['how'],
  code: ['source'],
  key_value: ['operation'],
  file_read: ['encoding'],
  file_write: ['encoding'],
  run_program: ['program', 'output'],
  html_extract: ['each', 'fields'],
  markdown: ['to'],
  write_records: ['target', 'mode', 'key', 'when_in_doubt', 'on_bad_record', 'formulas', 'cursor'],
  read_cursor: ['target'],
  data_table: ['operation', 'sort', 'key'],
}

/** In these fields a string without tags is a bare expression. */
const CONDITIONS: ReadonlySet<string> = new Set(['config.when'])

export function stepTemplates({ config, type }: Step): Source[] {
  if (!isStepType(type)) return []
  const plain = PLAIN_FIELDS[type] ?? []
  return Object.entries(config)
    .filter(([name]) => !plain.includes(name))
    .flatMap(([name, value]) => textsIn(`config.${name}`, value as Data))
}

function textsIn(field: string, value: Data): Source[] {
  if (typeof value === 'string')
    return value.includes('{') || CONDITIONS.has(field) ? [{ field, source: value }] : []
  if (isList(value)) return value.flatMap((item, index) => textsIn(`${field}[${index}]`, item))
  return isDictionary(value)
    ? entriesOf(value).flatMap(([key, item]) => textsIn(`${field}.${key}`, item))
    : []
}

/** Whether a string without tags is an expression in this field. */
export const isBareExpression = (field: string, source: string): boolean =>
  CONDITIONS.has(field) && !hasTags(source)
