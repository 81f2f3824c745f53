import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import type { NodeContext } from './node-context.ts'
import { locate, serviceNode, type Take, Template } from './service.ts'

const BASE: Readonly<Record<string, Take>> = {
  base: (value) => ({
    base_id: locate(value, { url: /^https:\/\/airtable\.com\/([a-zA-Z0-9]{2,})/, known: ['list', 'id'] })
      .value,
  }),
  table: (value) => ({
    table: locate(value, {
      url: /^https:\/\/airtable\.com\/[a-zA-Z0-9]{2,}\/([a-zA-Z0-9]{2,})/,
      known: ['list', 'id'],
    }).value,
  }),
}

const COLUMNS: Readonly<Record<string, Take>> = {
  'columns.attemptToConvertTypes': null,
  'columns.convertFieldsToString': null,
  'columns.mappingMode': null,
  'columns.matchingColumns': null,
  'columns.schema': null,
  'columns.value': null,
  'options.typecast': 'typecast',
}

const KINDS: ReadonlySet<unknown> = new Set(['array', 'boolean', 'number', 'options', 'string', undefined])

/** The fields to write, each with its value, or the whole item, together with the ID that it is found by. */
function fieldsOf(context: NodeContext, isNew: boolean): Readonly<Record<string, unknown>> {
  const { node, js, calculated, source } = context
  isSecond(context)
  const columns = childOf(node.parameters, 'columns')
  if (!isNew && textOf(listOf(columns['matchingColumns'])[0]) !== 'id')
    refuse(say`finds its records by one of their fields`)
  const mode = textOf(columns['mappingMode']) || 'defineBelow'
  if (mode !== 'defineBelow' && mode !== 'autoMapInputData')
    refuse(say`maps its fields with "${mode.slice(0, 40)}"`)
  const written =
    mode === 'autoMapInputData'
      ? `{ ...${source?.js ?? '{}'} }`
      : mapped(context, columns, js(columns['value'] ?? {}))
  const without = isNew ? 'given' : '(({ id, ...fields }) => fields)(given)'
  const input = {
    fields: new Template(calculated(`((given) => ${without})(${written})`, 'fields')),
    typecast: false,
  }
  return isNew
    ? input
    : { ...input, record_id: new Template(calculated(`((given) => given.id)(${written})`, 'record_id')) }
}

/** In n8n, values must have the types of their fields, or the node fails; with "typecast" Airtable converts them. */
function mapped({ node }: NodeContext, columns: Plain, js: string): string {
  const value = columns['value']
  if (!isRecord(value)) return refuse(say`maps no fields`)
  if (childOf(node.parameters, 'options')['typecast'] === true) return js
  const kinds = Object.fromEntries(
    listOf(columns['schema'])
      .filter(isRecord)
      .filter((one) => Object.hasOwn(value, textOf(one['id'])))
      .map((one) => [textOf(one['id']), one['type']]),
  )
  for (const kind of Object.values(kinds))
    if (!KINDS.has(kind)) refuse(say`writes fields of the type "${textOf(kind)}"`)
  const strict = columns['attemptToConvertTypes'] !== true
  return `((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => {
    const kind = ${JSON.stringify(kinds)}[name]
    if (value === null || value === undefined) return [name, undefined]
    if (kind !== 'number' && kind !== 'boolean' && kind !== 'array') return [name, value]
    if (${strict} && (kind === 'array' ? !Array.isArray(value) : typeof value !== kind)) $fail("'" + name + "' expects a " + kind + ' but we got ' + JSON.stringify(value))
    return [name, $typed(name, kind, value)]
  })))(${js})`
}

function isSecond({ node }: NodeContext): undefined {
  return node.version < 2 ? refuse(say`uses node version 1, whose operations differ`) : undefined
}

const FLAT = (value: string) => `(({ fields, ...others }) => ({ ...others, ...fields }))(${value})`

export const airtableNode = serviceNode({
  connector: 'bde7ec10-be1e-46f3-8e17-44bd495ccb81',
  usual: { resource: 'record', operation: { record: 'get' } },
  actions: {
    'record.get': {
      action: 'get_record',
      takes: { ...BASE, id: 'record_id' },
      check: isSecond,
      reshape: `return ${FLAT('answer')}`,
    },
    'record.create': {
      action: 'create_record',
      takes: { ...BASE, ...COLUMNS },
      check: (context) => fieldsOf(context, true),
    },
    'record.update': {
      action: 'update_record',
      takes: { ...BASE, ...COLUMNS },
      check: (context) => fieldsOf(context, false),
    },
    'record.search': {
      action: 'list_records',
      takes: {
        ...BASE,
        filterByFormula: (value) => (value === '' ? {} : { formula: value }),
        returnAll: null,
        limit: null,
        'options.view': (value) => ({ view: locate(value, { known: ['list', 'id'] }).value }),
      },
      check(context) {
        const { node, source } = context
        isSecond(context)
        if (node.version < 2.1 && source?.all !== undefined) refuse(say`searches once for all its items`)
        const { returnAll, limit } = node.parameters
        return returnAll === false
          ? { max_records: limit ?? 100 }
          : returnAll === undefined || returnAll === true
            ? {}
            : refuse(say`uses an expression for “Return All”`)
      },
      reshape: `return answer.map((one) => ${FLAT('one')})`,
      gives: 'many',
    },
  },
})
