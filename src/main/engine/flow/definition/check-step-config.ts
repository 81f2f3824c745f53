import { isServerTarget } from '../../../../shared/contract/step-configs/sinks.ts'
import {
  childListsOf,
  isStepType,
  type Step,
  STEP_CONFIGS,
  type StepConfig,
  type StepType,
} from '../../../../shared/contract/steps.ts'
import { constantHeaderProblem, constantStatusProblem } from '../../webhook/build-response.ts'
import { sqliteProblem, statementProblem } from '../../sql/check-statement.ts'
import { listTriggerProblems, sqlTriggerProblems } from './check-polling.ts'
import { scheduleProblems } from './check-schedule.ts'
import {
  type CheckContext,
  type DefinitionProblem,
  type FieldProblem,
  problemAt,
  schemaProblems,
  type StepLocation,
} from './problem.ts'

/**
 * What is wrong with a step of a known type: first what violates the type's schema, then what the schema can't express.
 */
export function checkStepConfig(
  step: Step,
  location: StepLocation,
  context: CheckContext,
): DefinitionProblem[] {
  const { type } = step
  if (!isStepType(type)) return []
  const lists = [...checkChildLists(step, type), ...(type === 'ask_person' ? choiceProblems(step) : [])]
  const schema = schemaProblems(type, step.config)
  const rules = schema.length > 0 ? [] : rulesOf(type, step.config, context)
  return [...lists, ...schema, ...rules].map(([field, reason]) => problemAt(location, field, reason))
}

/** The config with defaults if it matches its schema, otherwise a sentence saying what is wrong. */
export function parseConfig<T extends StepType>(type: T, config: unknown): StepConfig<T> | string {
  const [first] = schemaProblems(type, config)
  if (first) return `"${first[0]}" ${first[1]}`
  return STEP_CONFIGS[type].parse(config) as StepConfig<T>
}

function checkChildLists(step: Step, type: StepType): FieldProblem[] {
  const allowed: readonly string[] = childListsOf(type)
  return (['steps', 'then', 'else', 'cases', 'default'] as const)
    .filter((list) => step[list] !== undefined && !allowed.includes(list))
    .filter((list) => (step[list] ?? []).length > 0)
    .map((list) => [list, `a step of type ${type} has no list "${list}"`])
}

/** The labels of an `ask_person` are its buttons. */
function choiceProblems({ cases = [] }: Step): FieldProblem[] {
  const problems = cases.flatMap(({ label }, at): FieldProblem[] => {
    const field = `cases[${at}].label`
    if (label.trim() === '') return [[field, 'is empty; it is the label of a button']]
    return cases.findIndex((one) => one.label === label) < at
      ? [[field, 'is there twice; each button needs a label of its own']]
      : []
  })
  return cases.length > MOST_CHOICES
    ? [...problems, ['cases', `has more than ${MOST_CHOICES} buttons`]]
    : problems
}

const MOST_CHOICES = 20

/** Rules that involve several fields of one config. */
const RULES: { readonly [T in StepType]?: (config: StepConfig<T>, context: CheckContext) => FieldProblem[] } =
  {
    webhook: ({ response_status_code: status, response_headers: headers, signature }) => [
      ...statusProblem('config.response_status_code', status),
      ...headerProblems('config.response_headers', headers),
      ...signatureProblems(signature),
    ],
    schedule: scheduleProblems,
    list_trigger: listTriggerProblems,
    sql_trigger: sqlTriggerProblems,
    form_trigger({ response, redirect_url: url, response_body: body }) {
      if (response === 'redirect' && !isWebUrl(url))
        return [['config.redirect_url', 'must be a URL that begins with https:// or http://']]
      return response === 'page' && body.trim() === ''
        ? [['config.response_body', 'is required if "response" is page']]
        : []
    },
    respond: ({ status_code: status, headers }) => [
      ...statusProblem('config.status_code', status),
      ...headerProblems('config.headers', headers),
    ],
    condition({ when, a, comparison, b }) {
      if (when !== undefined) return when.trim() === '' ? [['config.when', 'must not be empty']] : []
      if (a !== undefined && comparison !== undefined && b !== undefined) return []
      return [['config', 'needs "when", or "a", "comparison" and "b"']]
    },
    delay({ seconds, until }) {
      if ((seconds === undefined) === (until === undefined))
        return [['config', 'needs either "seconds" or "until"']]
      return typeof seconds === 'number' && seconds < 0 ? [['config.seconds', 'must not be negative']] : []
    },
    ask_person({ question, timeout_hours: hours, auth_id: authId, to }) {
      const problems: FieldProblem[] = []
      if (question.trim() === '') problems.push(['config.question', 'must not be empty'])
      if (typeof hours === 'number' && (hours <= 0 || hours > 8_784))
        problems.push(['config.timeout_hours', 'must be above 0 and up to 8784'])
      if (authId && !to) problems.push(['config.to', 'is required to send the email'])
      return problems
    },
    connector_action: connectorActionProblems,
    sql: sqlProblems,
    html_extract: ({ fields }) => extractedFieldProblems('config.fields', fields),
    write_records: writeRecordsProblems,
    read_cursor: sinkProblems,
    data_table: dataTableProblems,
  }

function rulesOf(type: StepType, config: unknown, context: CheckContext): FieldProblem[] {
  const rule = RULES[type] as ((config: unknown, context: CheckContext) => FieldProblem[]) | undefined
  return rule?.(STEP_CONFIGS[type].parse(config), context) ?? []
}

function connectorActionProblems(
  config: StepConfig<'connector_action'>,
  context: CheckContext,
): FieldProblem[] {
  const { connector_id: connectorId, action: name } = config
  const problems: FieldProblem[] = []
  if (config.auth_id && config.dynamic_auth_id) {
    problems.push(['config.dynamic_auth_id', 'can\'t be combined with "auth_id"; use one of the two'])
  }
  const action = context.findAction(connectorId, name)
  if (config.retrieve_all_data === true && action && !action.supports_automatic_pagination) {
    problems.push([
      'config.retrieve_all_data',
      `is true, but action "${name}" doesn't support automatic pagination; turn this off, or turn on the action's flag`,
    ])
  }
  return problems
}

function dataTableProblems(config: StepConfig<'data_table'>): FieldProblem[] {
  const { table, operation, rows, key, values, filter } = config
  const problems: FieldProblem[] = []
  if (table.trim() === '') problems.push(['config.table', 'must not be empty; choose a table'])
  if ((operation === 'insert' || operation === 'upsert') && rows === undefined)
    problems.push(['config.rows', `is required to ${operation} rows`])
  if (operation === 'upsert' && key.length === 0)
    problems.push(['config.key', 'is required to upsert rows: the columns that identify a row'])
  if (operation === 'update' && values === undefined)
    problems.push(['config.values', 'is required to update rows'])
  if ((operation === 'update' || operation === 'delete') && filter.length === 0)
    problems.push(['config.filter', `is required to ${operation} rows; for all rows: _id, gt, 0`])
  return problems
}

function sqlProblems({ auth_id, file, statement, statements }: StepConfig<'sql'>): FieldProblem[] {
  const given = [
    ...(statement === undefined ? [] : [['config.statement', statement] as const]),
    ...(statements ?? []).map((one, at) => [`config.statements[${at}].statement`, one.statement] as const),
  ]
  const isFile = Boolean(file)
  // An empty "auth_id" is one that is still to be chosen, as after an import; a run fails there.
  const isChoosing = auth_id === '' && !isFile
  return [
    ...(isFile === Boolean(auth_id) && !isChoosing
      ? [['config', 'needs either "auth_id" or "file"'] as const]
      : []),
    ...((statement === undefined) === (statements === undefined)
      ? [['config', 'needs either "statement" or "statements"'] as const]
      : []),
    ...given.flatMap(([field, text]): FieldProblem[] => {
      const problem = statementProblem(text) ?? (isFile ? sqliteProblem(text) : null)
      return problem === null ? [] : [[field, problem]]
    }),
  ]
}

function extractedFieldProblems(place: string, fields: StepConfig<'html_extract'>['fields']): FieldProblem[] {
  return Object.entries(fields).flatMap(([name, { take, attribute, fields: inner }]): FieldProblem[] => [
    ...(take === 'attribute' && !attribute
      ? [[`${place}.${name}.attribute`, 'is required if "take" is attribute'] as const]
      : []),
    ...(inner === undefined ? [] : extractedFieldProblems(`${place}.${name}.fields`, inner)),
  ])
}

function sinkProblems({
  target,
  path,
  auth_id,
  table,
}: Pick<StepConfig<'read_cursor'>, 'target' | 'path' | 'auth_id' | 'table'>): FieldProblem[] {
  const isServer = isServerTarget(target)
  const isFile = target === 'jsonl' || target === 'csv' || target === 'parquet'
  return [
    ...(isServer || path ? [] : [['config.path', `is required for ${target}`] as const]),
    ...(!isServer || auth_id ? [] : [['config.auth_id', `is required for ${target}`] as const]),
    ...(isFile || table ? [] : [['config.table', `is required for ${target}`] as const]),
  ]
}

function writeRecordsProblems(config: StepConfig<'write_records'>): FieldProblem[] {
  const { mode, key, cursor } = config
  return [
    ...sinkProblems(config),
    ...(mode === 'merge' && key.length === 0
      ? [['config.key', 'is required for merge: the fields that identify a record'] as const]
      : []),
    ...(mode === 'replace' && cursor
      ? [['config.cursor', "can't be combined with replace, which needs all records each time"] as const]
      : []),
  ]
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

function signatureProblems(signature: StepConfig<'webhook'>['signature']): FieldProblem[] {
  if (signature === null) return []
  const problems: FieldProblem[] = []
  if (!/\{\{[^{}]*\}\}/.test(signature.secret)) {
    problems.push([
      'config.signature.secret',
      'must not be written into the flow; store it in a secret variable and use {{ its_name }}',
    ])
  }
  if (signature.scheme === 'hmac' && !signature.header)
    problems.push(['config.signature.header', 'is required if "scheme" is hmac'])
  return problems
}

function statusProblem(field: string, status: number | string): FieldProblem[] {
  const problem = constantStatusProblem(status)
  return problem === undefined ? [] : [[field, problem]]
}

function headerProblems(field: string, headers: Readonly<Record<string, string>>): FieldProblem[] {
  return Object.entries(headers).flatMap(([name, template]) => {
    const problem = constantHeaderProblem(name, template)
    return problem === undefined ? [] : [[`${field}["${name}"]`, problem] as const]
  })
}
