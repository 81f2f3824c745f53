/** The fields of a step's result that are known before the step has run, from its type and its configuration. */
import type { Step, StepType } from '../../../../shared/contract/steps.ts'

/** By name: the Python name of the value's type, null if only a run can tell. */
export type DeclaredFields = Readonly<Record<string, string | null>>

const NONE: DeclaredFields = {}

/** Empty if the result has no fields, or they aren't known. */
export function declaredFields({ type, config }: Pick<Step, 'type' | 'config'>): DeclaredFields {
  return OF_CONFIG[type as StepType]?.(config) ?? OF_TYPE[type as StepType] ?? NONE
}

const OF_TYPE: { readonly [T in StepType]?: DeclaredFields } = {
  schedule: { scheduled_at: 'str' },
  folder_trigger: { event: 'str', path: 'str', name: 'str', size: 'int', modified_at: 'str' },
  imap_trigger: {
    subject: 'str',
    from: 'str',
    from_name: 'str',
    to: 'list',
    cc: 'list',
    reply_to: 'list',
    date: 'str',
    received_at: 'str',
    text: 'str',
    html: 'str',
    attachments: 'list',
    headers: 'dict',
    message_id: 'str',
    mailbox: 'str',
    uid: 'int',
    problem: 'str',
  },
  send_email: { message_id: 'str' },
  run_program: {
    exit_code: 'int',
    stdout: 'str',
    stderr: 'str',
    stdout_truncated: 'bool',
    stderr_truncated: 'bool',
  },
  condition: { result: 'bool' },
  switch: { label: 'str' },
  delay: { waited_seconds: 'float' },
  ask_person: { choice: 'str', fields: 'dict', answered_at: 'str', timed_out: 'bool' },
  respond: { answered: 'bool' },
  file_write: { path: 'str', size: 'int' },
  write_records: { records: 'int', rejected: 'int', cursor: null },
  read_cursor: { cursor: null, stored: null },
}

type Config = Readonly<Record<string, unknown>>

const OF_CONFIG: { readonly [T in StepType]?: (config: Config) => DeclaredFields } = {
  form_trigger: ({ fields }) => byName(fields, ({ type }) => FORM_TYPES[String(type)] ?? 'str'),
  rest: ({ pagination }) =>
    pagination === undefined || pagination === null ? { status: 'int', headers: 'dict', body: null } : NONE,
  set: ({ values }) => ofKeys(values),
  aggregate: ({ by, operations }) =>
    by === undefined || by === null ? byName(operations, () => null) : NONE,
  html_extract: ({ each, fields }) => (each ? NONE : ofKeys(fields)),
}

const FORM_TYPES: DeclaredFields = { number: 'float', switch: 'bool' }

function ofKeys(values: unknown): DeclaredFields {
  return isObject(values) ? Object.fromEntries(Object.keys(values).map((name) => [name, null])) : NONE
}

function byName(list: unknown, typeOf: (entry: Config) => string | null): DeclaredFields {
  if (!Array.isArray(list)) return NONE
  return Object.fromEntries(
    list.flatMap((entry: unknown) =>
      isObject(entry) && typeof entry['name'] === 'string' ? [[entry['name'], typeOf(entry)]] : [],
    ),
  )
}

function isObject(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
