/** Converts nodes that read from PostgreSQL and MySQL. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression, partsOf } from '../expression/template.ts'
import { manyItems } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'
import { sayCredentials } from './service.ts'

interface Dialect {
  readonly quote: string
  /** The placeholder of the parameter with this number, from 1. */
  readonly mark: (number: number) => string
}

export const postgresNode = databaseNode({ quote: '"', mark: (number) => `$${number}` })
export const mysqlNode = databaseNode({ quote: '`', mark: () => '?' })

function databaseNode(dialect: Dialect): NodeType {
  return {
    runs: 'each',
    convert(context) {
      const { node, ref } = context
      const operation = textOf(node.parameters['operation']) || 'insert'
      const query =
        operation === 'executeQuery'
          ? ownQuery(context)
          : operation === 'select'
            ? selectQuery(context, dialect)
            : refuse(
                say`has the database operation "${operation.slice(0, 40)}", which a write_records step performs here`,
              )
      sayCredentials(context)
      return asStep({ ref_id: ref, type: 'sql', config: { auth_id: '', ...query } }, manyItems(ref))
    },
  }
}

interface Query {
  readonly statement: string
  readonly parameters: unknown
}

function ownQuery({ node, value }: NodeContext): Query {
  const { parameters } = node
  const statement = textOf(parameters['query']).replace(/^=/, '')
  if (partsOf(statement).some((part) => 'code' in part))
    refuse(say`inserts values into its statement instead of passing parameters`)
  if (!/^\s*(?:select|with)\b/i.test(statement)) refuse(say`changes a database with its own statement`)
  const options = childOf(parameters, 'options')
  const given = options['queryReplacement'] ?? childOf(parameters, 'additionalFields')['queryParams'] ?? ''
  return { statement, parameters: replacements(textOf(given)).map((one) => value('config.parameters', one)) }
}

/** Splits values at commas. n8n would split an expression that returns a list when it runs. */
function replacements(text: string): string[] {
  if (text.trim() === '') return []
  if (!isExpression(text)) return text.split(',').map((part) => part.trim())
  const parts = partsOf(text.slice(1))
  if (parts.some((part) => 'text' in part && !/^[\s,]*$/.test(part.text)))
    return refuse(say`mixes text and values in its parameters`)
  const codes = parts.flatMap((part) => ('code' in part ? [part.code] : []))
  if (codes.length === 1 && /^\s*\[/.test(codes[0] ?? ''))
    refuse(say`uses an expression for its parameter list`)
  return codes.map((code) => `={{${code}}}`)
}

function selectQuery({ node, value }: NodeContext, { quote, mark }: Dialect): Query {
  const { parameters } = node
  const quoted = (name: string) => `${quote}${name.replaceAll(quote, quote + quote)}${quote}`
  const schema = nameIn(parameters['schema'])
  const table = [...(schema === '' ? [] : [schema]), nameIn(parameters['table'])].map(quoted).join('.')
  const columns = outputColumns(childOf(parameters, 'options')['outputColumns'])
  const values: unknown[] = []
  const conditions = listOf(childOf(parameters, 'where')['values'])
    .filter(isRecord)
    .map((one) => {
      const operator = operatorOf(one)
      const column = quoted(nameIn(one['column']))
      if (operator.startsWith('IS')) return `${column} ${operator}`
      values.push(value('config.parameters', one['value'] ?? null))
      return `${column} ${operator} ${mark(values.length)}`
    })
  const sort = listOf(childOf(parameters, 'sort')['values'])
    .filter(isRecord)
    .map((one) => `${quoted(nameIn(one['column']))} ${one['direction'] === 'DESC' ? 'DESC' : 'ASC'}`)
  const limit = Math.trunc(Number(parameters['limit'] ?? 50))
  if (isExpression(parameters['limit']) || !(limit > 0))
    refuse(say`uses an expression for the number of rows`)
  const either = parameters['combineConditions'] === 'OR' ? ' OR ' : ' AND '
  const statement = [
    `SELECT ${columns.length === 0 ? '*' : columns.map(quoted).join(', ')} FROM ${table}`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(either)}`]),
    ...(sort.length === 0 ? [] : [`ORDER BY ${sort.join(', ')}`]),
    ...(parameters['returnAll'] === true ? [] : [`LIMIT ${limit}`]),
  ].join(' ')
  return { statement, parameters: values }
}

const OPERATORS: Readonly<Record<string, string>> = {
  equal: '=',
  '=': '=',
  '!=': '!=',
  LIKE: 'LIKE',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  'IS NULL': 'IS NULL',
  'IS NOT NULL': 'IS NOT NULL',
}

const operatorOf = (one: Plain): string =>
  OPERATORS[textOf(one['condition']) || 'equal'] ?? refuse(say`compares with an unknown operator`)

function outputColumns(value: unknown): string[] {
  const names = listOf(value).map(textOf)
  return names.includes('*') ? [] : names.slice(0, 200)
}

/** The name, which is written as such or chosen from a list. */
function nameIn(value: unknown): string {
  const name = isRecord(value) ? value['value'] : value
  return isExpression(name)
    ? refuse(say`uses an expression for the name of a table or column`)
    : textOf(name).slice(0, 200)
}
