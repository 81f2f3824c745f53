/** Converts the Google Sheets node, v3 and v4. As in n8n, the sheet is first looked up by its ID or name. */
import { say } from '@millrace/jinja/said'
import type { Step } from '../source/steps.ts'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { manyItems, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import type { Converted, NodeContext } from './node-context.ts'
import { answerOf, type Calls, codeStep, locate, serviceNode, Template } from './service.ts'

export const googleSheetsNode = serviceNode({
  connector: '9e4247b0-f8ac-4d5f-b7aa-7fcda6b09ac7',
  usual: { resource: 'sheet', operation: { sheet: 'read' } },
  actions: { 'sheet.read': readRows, 'sheet.append': appendRow, 'sheet.update': updateRow },
})

const PLACE = ['documentId', 'sheetName']

interface Place {
  readonly steps: readonly Step[]
  /** The part of an action's input that names the spreadsheet. */
  readonly spreadsheet: { readonly spreadsheet_id: unknown }
  /** The step that returns the `title` and the `id` of the sheet. */
  readonly sheet: string
  /** The step that reads all rows as they are displayed. */
  readonly rowsAsShown: (ref: string) => Step
}

/** Finds the sheet in the spreadsheet's own list. */
function findSheet(context: NodeContext, calls: Calls): Place {
  const { node, ref, newRef, js } = context
  if (node.version < 3) refuse(say`uses node version ${node.version}, whose operations differ`)
  const document = locate(node.parameters['documentId'], { url: /([-\w]{25,})/ })
  const chosen = locate(node.parameters['sheetName'], { url: /[#?&]gid=([0-9]+)/ })
  const spreadsheet = { spreadsheet_id: document.value }
  const listed = newRef(`${ref}_sheets`)
  const sheet = newRef(`${ref}_sheet`)
  const isSame = chosen.mode === 'name' ? 'title === wanted' : 'sheetId === gid'
  const body = `const wanted = ${js(chosen.value)}, gid = wanted === 'gid=0' ? 0 : parseInt(wanted)
const found = ${answerOf(listed)}.sheets.find(({ properties: { title, sheetId } }) => ${isSame}) ?? $fail('There is no sheet ' + wanted)
return { title: found.properties.title, id: found.properties.sheetId }`
  return {
    steps: [
      calls.action(
        listed,
        'get_spreadsheet',
        { ...spreadsheet, fields: 'sheets.properties' },
        `${node.name}: sheets`.slice(0, 200),
      ),
      codeStep(context, sheet, body),
    ],
    spreadsheet,
    sheet,
    rowsAsShown: (rows) =>
      calls.action(
        rows,
        'get_values',
        {
          ...spreadsheet,
          range: new Template(`{{ ${sheet}.title }}`),
          value_render: 'FORMATTED_VALUE',
          date_render: 'FORMATTED_STRING',
        },
        `${node.name}: rows`.slice(0, 200),
      ),
  }
}

function readRows(context: NodeContext, calls: Calls): Converted {
  const { node, ref, newRef, js, source } = context
  const given = calls.onlyTakes([
    ...PLACE,
    'filtersUI',
    'combineFilters',
    'options.returnAllMatches',
    'options.returnFirstMatch',
    'options.outputFormatting',
  ])
  if (node.version <= 4.1 && source?.all !== undefined) refuse(say`reads once for all its items`)
  const { steps, spreadsheet, sheet } = findSheet(context, calls)
  const formats = childOf(
    isRecord(given['options.outputFormatting']) ? given['options.outputFormatting'] : {},
    'values',
  )
  const answer = calls.action(ref, 'get_values', {
    ...spreadsheet,
    range: new Template(`{{ ${sheet}.title }}`),
    value_render: formats['general'] || 'UNFORMATTED_VALUE',
    date_render: formats['date'] || 'FORMATTED_STRING',
  })
  const filters = listOf(childOf(node.parameters, 'filtersUI')['values'])
  const rows = newRef(`${ref}_rows`)
  const isAll =
    node.version < 4.5
      ? given['options.returnAllMatches'] === 'returnAllMatches'
      : given['options.returnFirstMatch'] !== true
  if (
    [given['combineFilters'], given['options.returnAllMatches'], given['options.returnFirstMatch']].some(
      isExpression,
    )
  )
    refuse(say`uses an expression for how its filters are combined`)
  const combine = textOf(given['combineFilters']) || (node.version < 4.3 ? 'OR' : 'AND')
  const settings = { isAll, isOr: combine === 'OR', isFirstOfAny: node.version >= 4.6 }
  const body = `${TABLE}
const filters = ${js(filters)}
return filters.length > 0 ? looked(${answerOf(ref)}.values ?? [], filters, ${JSON.stringify(settings)}) : structured(${answerOf(ref)}.values ?? [])`
  return {
    kind: 'steps',
    steps: [...steps, answer, codeStep(context, rows, body)],
    gives: manyItems(rows),
  }
}

/** A table as n8n reads it, without empty rows and columns, and with a number for each row. */
const TABLE = String.raw`const isFull = (cell) => Boolean(cell) || typeof cell === 'number'
const withoutEmptyColumns = (data) => {
  const width = Math.max(0, ...data.map((row) => row.length))
  const columns = Array.from({ length: width }, (_, at) => data.map((row) => row[at])).filter((column) => column[0] !== '' || column.slice(1).some(isFull))
  return (columns[0] ?? []).map((_, at) => columns.map((column) => (column[at] === undefined ? '' : column[at])))
}
const tableOf = (values) => {
  const numbered = values.map((row, at) => [at + 1, ...row])
  numbered[0][0] = 'row_number'
  const data = withoutEmptyColumns(numbered)
  const rows = data.slice(Math.max(0, data.findIndex((row) => row.slice(1).some(isFull))))
  if (rows.length > 0) rows[0][0] = 'row_number'
  return rows.filter((row) => row.slice(1).some((cell) => isFull(cell) || typeof cell === 'boolean'))
}
const objects = (rows, keys, keepsEmpty) => rows.map((row) => Object.fromEntries(row.map((cell, at) => [keys[at], cell]).filter(([key]) => key))).filter((row) => keepsEmpty || Object.keys(row).length > 0)
const structured = (values) => {
  if (values.length === 0) return []
  const rows = tableOf(values)
  const width = Math.max(0, ...rows.map((row) => row.length))
  return objects(rows.slice(1), Array.from({ length: width }, (_, at) => rows[0][at] || 'col_' + at), false)
}
const looked = (values, filters, { isAll, isOr, isFirstOfAny }) => {
  if (values.length === 0) return []
  const rows = tableOf(values)
  if (rows.length === 0) $fail('The key row does not exist')
  const keys = rows[0].map((name, at) => name || 'col_' + at)
  const columnOf = (name) => keys.includes(name) ? keys.indexOf(name) : $fail('The column "' + name + '" could not be found')
  const meets = (row, filter) => row[columnOf(filter.lookupColumn)]?.toString() === filter.lookupValue?.toString()
  const full = rows.slice(1).map((row) => keys.map((_, at) => row[at] ?? ''))
  const found = new Set()
  if (isOr)
    for (const filter of filters) {
      columnOf(filter.lookupColumn)
      const own = full.filter((row) => meets(row, filter))
      for (const row of isAll ? own : own.slice(0, 1)) found.add(row)
      if (!isAll && own.length > 0 && isFirstOfAny) break
    }
  else {
    const own = full.filter((row) => filters.every((filter) => meets(row, filter)))
    for (const row of isAll ? own : own.slice(0, 1)) found.add(row)
  }
  const [names, ...kept] = withoutEmptyColumns([keys, ...found])
  return objects(kept, names, true)
}`

/** The data to write: each column with its value, or the whole item. */
interface Columns {
  readonly isAuto: boolean
  readonly js: string
  readonly schema: readonly string[]
  readonly matching: string
}

function columnsOf({ node, js, source }: NodeContext, given: Plain): Columns {
  if (node.version < 4) return refuse(say`uses node version 3, whose column names differ`)
  const mode = textOf(given['columns.mappingMode']) || 'defineBelow'
  if (mode !== 'defineBelow' && mode !== 'autoMapInputData')
    refuse(say`maps its columns with "${mode.slice(0, 40)}"`)
  const schema = listOf(given['columns.schema']).filter(isRecord)
  if (schema.some((one) => one['type'] !== undefined && one['type'] !== 'string'))
    refuse(say`has columns of types other than text`)
  const isAuto = mode === 'autoMapInputData'
  const value = given['columns.value']
  if (!isAuto && (!isRecord(value) || Object.keys(value).length === 0)) refuse(say`maps no columns`)
  const text = given['columns.convertFieldsToString'] === true
  const cell = text
    ? "value === null || value === undefined ? undefined : typeof value === 'object' ? JSON.stringify(value) : String(value)"
    : 'value ?? undefined'
  return {
    isAuto,
    js: isAuto
      ? `{ ...${source?.js ?? '{}'} }`
      : `Object.fromEntries(Object.entries(${js(value)}).map(([key, value]) => [key, ${cell}]))`,
    schema: schema.map((one) => textOf(one['id'])),
    matching: textOf(listOf(given['columns.matchingColumns'])[0]),
  }
}

const COLUMNS = [
  'columns.attemptToConvertTypes',
  'columns.convertFieldsToString',
  'columns.mappingMode',
  'columns.matchingColumns',
  'columns.schema',
  'columns.value',
]

function valueInput({ node }: NodeContext, given: Plain): string {
  const format = given['options.cellFormat']
  if (isExpression(format)) refuse(say`uses an expression for the cell format`)
  return textOf(format) || (node.version < 4.1 ? 'RAW' : 'USER_ENTERED')
}

/**
 * Rejects a node that continues after a failure if its operation takes several requests, because later ones
 * depend on earlier ones.
 */
function onlyWhole({ node }: NodeContext): void {
  if (node.onError !== 'stop') refuse(say`continues after a failure and needs several requests`)
}

const CELL = `const cell = (value) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value)`

function appendRow(context: NodeContext, calls: Calls): Converted {
  const { node, ref, newRef } = context
  onlyWhole(context)
  const given = calls.onlyTakes([
    ...PLACE,
    ...COLUMNS,
    'options.cellFormat',
    'options.handlingExtraData',
    'options.useAppend',
  ])
  const columns = columnsOf(context, given)
  const format = valueInput(context, given)
  const isAppend = given['options.useAppend'] === true
  const extra = textOf(given['options.handlingExtraData']) || 'insertInNewColumn'
  if (isExpression(given['options.useAppend']) || isExpression(extra))
    refuse(say`uses an expression for how it appends`)
  const { steps, spreadsheet, sheet, rowsAsShown } = findSheet(context, calls)
  const [before, row] = [newRef(`${ref}_before`), newRef(`${ref}_row`)]
  const title = (what: string) => `${node.name}: ${what}`.slice(0, 200)
  const hasCheck = node.version >= 4.4 && !columns.isAuto
  const body = `${CELL}
const values = ${answerOf(before)}.values ?? [], names = values[0] ?? []
const fields = ${columns.js}
${hasCheck ? schemaCheck(columns) : ''}
let header = null
if (${columns.isAuto ? 'true' : 'values.length === 0'}) {
  const added = Object.keys(fields).filter((key) => key !== 'row_number' && !names.includes(key))
  if (${JSON.stringify(extra)} === 'error' && Object.keys(fields).some((key) => !names.includes(key))) $fail('Unexpected fields in node input')
  if (${JSON.stringify(extra)} === 'insertInNewColumn') {
    if (added.length > 0) header = [...names, ...added]
    if (fields.row_number) delete fields.row_number
  }
}
const cells = (header ?? names).map((name) => cell(fields[name]) ?? ${isAppend ? 'null' : "''"})
const at = (values.length === 0 ? 1 : values.length) + 1
return { fields, header: header ?? [], cells, range: input.${sheet}.title + '!' + at + ':' + at }`
  const write = (action: string, range: string, values: string) => ({
    ...spreadsheet,
    range: new Template(range),
    values: new Template(`{{ [${row}.${values}] }}`),
    value_input: action,
  })
  const headed: Step = {
    ref_id: newRef(`${ref}_if_new`),
    type: 'condition',
    title: title('new columns?'),
    config: { when: `${row}.header | length > 0` },
    then: [
      {
        ...calls.action(
          newRef(`${ref}_header`),
          'update_values',
          write(textOf(given['options.cellFormat']) || 'RAW', `{{ ${sheet}.title }}!1:1`, 'header'),
          title('new columns'),
        ),
        ...(node.retry === null ? {} : { retry: node.retry }),
      },
    ],
    else: [],
  }
  const writes = isAppend
    ? [calls.action(ref, 'append_values', write(format, `{{ ${sheet}.title }}`, 'cells'))]
    : [
        calls.action(
          newRef(`${ref}_space`),
          'add_rows',
          { ...spreadsheet, sheet_id: new Template(`{{ ${sheet}.id }}`), count: 1 },
          title('space'),
        ),
        calls.action(ref, 'update_values', write(format, `{{ ${row}.range }}`, 'cells')),
      ]
  return {
    kind: 'steps',
    steps: [...steps, rowsAsShown(before), codeStep(context, row, body), headed, ...writes],
    gives: partOf(row, 'fields', 'one'),
  }
}

const schemaCheck = ({
  schema,
}: Columns) => `if (values[0] === undefined) $fail('Could not retrieve the column names from row 1')
const known = ${JSON.stringify(schema)}.filter((name) => names.includes('row_number') || name !== 'row_number')
if (names.some((name, at) => known[at] !== undefined && known[at] !== name)) $fail("Column names were updated after the node's setup")`

const partOf = (ref: string, part: string, items: Source['items']): Source => ({
  whole: `${ref}.${part}`,
  js: `input.${ref}.${part}`,
  items,
  there: [ref],
})

function updateRow(context: NodeContext, calls: Calls): Converted {
  const { node, ref, newRef, source } = context
  onlyWhole(context)
  const given = calls.onlyTakes([...PLACE, ...COLUMNS, 'options.cellFormat'])
  const columns = columnsOf(context, given)
  if (columns.isAuto) refuse(say`writes everything that its items contain`)
  if (columns.matching === '') refuse(say`has no column to find its rows by`)
  // In n8n, all items are returned as soon as one of them is found.
  const isByNumber = columns.matching === 'row_number'
  if (!isByNumber && source?.all !== undefined) refuse(say`finds the rows of several items at once`)
  const format = valueInput(context, given)
  const { steps, spreadsheet, sheet, rowsAsShown } = findSheet(context, calls)
  const [before, cells] = [newRef(`${ref}_before`), newRef(`${ref}_cells`)]
  const title = (what: string) => `${node.name}: ${what}`.slice(0, 200)
  const key = JSON.stringify(columns.matching)
  const body = `${CELL}
const letters = (at) => (at < 26 ? '' : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))
const values = ${answerOf(before)}.values ?? [], names = values[0] ?? $fail('Could not retrieve the column names from row 1')
const fields = ${columns.js}
if (!(${key} in fields) || fields[${key}] === '') $fail("The 'Column to Match On' parameter is required")
${node.version >= 4.4 ? schemaCheck(columns) : ''}
${isByNumber && node.version >= 4.6 ? "if ('row_number' in fields && fields.row_number === undefined) $fail('row_number is null or undefined')" : ''}
for (const name of Object.keys(fields)) fields[name] ??= ''
${
  isByNumber
    ? 'const at = fields.row_number'
    : `if (!names.includes(${key})) $fail('Could not find column for key ' + ${key})
const found = values.slice(1).map((row) => row[names.indexOf(${key})]).findIndex((value) => value?.toString() === fields[${key}]?.toString())
const at = found === -1 ? undefined : found + 2`
}
const data = at === undefined ? [] : names.flatMap((name, column) => (name === ${key} || fields[name] === undefined ? [] : [{ range: input.${sheet}.title + '!' + letters(names.indexOf(name)) + at, values: [[cell(fields[name])]] }]))
return { data, given: data.length === 0 ? [] : [fields] }`
  const written: Step = {
    ref_id: newRef(`${ref}_if_any`),
    type: 'condition',
    title: title('anything to write?'),
    config: { when: `${cells}.data | length > 0` },
    then: [
      {
        ...calls.action(
          ref,
          'update_cells',
          { ...spreadsheet, data: new Template(`{{ ${cells}.data }}`), value_input: format },
          node.name.slice(0, 200),
        ),
        ...(node.retry === null ? {} : { retry: node.retry }),
      },
    ],
    else: [],
  }
  return {
    kind: 'steps',
    steps: [...steps, rowsAsShown(before), codeStep(context, cells, body), written],
    gives: partOf(cells, 'given', 'many'),
  }
}
