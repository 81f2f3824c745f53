/**
 * Converts the set node in all its forms: typed lists (v1, v2), fields (v3.0), assignments (v3.3 and later), and raw
 * JSON.
 */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { onlyCode } from './parameters.ts'
import { isExpression, literally, partsOf } from '../expression/template.ts'
import { oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asCode, asStep, type Converted, type NodeContext, type NodeType } from './node-context.ts'

export const setNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { parameters, version } = context.node
    if (parameters['duplicateItem'] === true) refuse(say`duplicates its items`)
    const isRaw = version >= 3 && parameters['mode'] === 'raw'
    const fields = isRaw ? [] : fieldsOf(parameters, version)
    const included = inclusionOf(context)
    const plain = isRaw ? plainJson(parameters) : plainFields(context, fields)
    if (plain !== null && included === null)
      return asStep({ ref_id: context.ref, type: 'set', config: { values: plain } }, oneItem(context.ref))
    return isRaw ? rawCode(context, included) : fieldsCode(context, fields, included)
  },
}

interface Field {
  readonly name: string
  readonly type: string
  readonly value: unknown
}

/** JavaScript for the part of the input item that is passed on; null for nothing. */
function inclusionOf({ node, source }: NodeContext): string | null {
  const { parameters, version } = node
  const include = textOf(parameters['include']) || 'all'
  const keepsOthers =
    version < 3
      ? parameters['keepOnlySet'] !== true
      : version < 3.3
        ? include !== 'none'
        : parameters['includeOtherFields'] === true
  if (!keepsOthers || source === null) return null
  const names = (key: string) => {
    const given = parameters[key]
    if (isExpression(given)) refuse(say`uses an expression for the names of the fields it keeps`)
    return textOf(given)
      .split(',')
      .map((name) => name.trim())
  }
  const [get, put, drop] = hasDots(node.parameters) ? ['$get', '$put', '$remove'] : ['$at', '$set', '$drop']
  if (version >= 3 && include === 'selected') {
    const puts = names('includeFields').map((name) => {
      const last = hasDots(node.parameters) ? (name.split('.').at(-1) ?? name) : name
      return `${put}(kept, ${JSON.stringify(last)}, ${get}($json, ${JSON.stringify(name)}))`
    })
    return `((kept) => { ${puts.join('; ')}; return kept })({})`
  }
  if (version >= 3 && include === 'except') {
    const drops = names('excludeFields').map((name) => `${drop}(kept, ${JSON.stringify(name)})`)
    return `((kept) => { ${drops.join('; ')}; return kept })($copy($json))`
  }
  return '$copy($json)'
}

const hasDots = (parameters: Plain): boolean => childOf(parameters, 'options')['dotNotation'] !== false

function fieldsOf(parameters: Plain, version: number): Field[] {
  if (version < 3) {
    const values = childOf(parameters, 'values')
    const usual: Readonly<Record<string, unknown>> = { string: '', number: 0, boolean: false }
    return ['string', 'number', 'boolean'].flatMap((kind) =>
      listOf(values[kind])
        .filter(isRecord)
        .map((one) => ({ name: textOf(one['name']), type: 'raw', value: one['value'] ?? usual[kind] })),
    )
  }
  if (version < 3.3) {
    return listOf(childOf(parameters, 'fields')['values'])
      .filter(isRecord)
      .map((one) => {
        const type = textOf(one['type']) || 'stringValue'
        return {
          name: textOf(one['name']),
          type: type.replace('Value', ''),
          value: one[type] ?? usualOf(type),
        }
      })
  }
  return listOf(childOf(parameters, 'assignments')['assignments'])
    .filter(isRecord)
    .map((one) => ({
      name: textOf(one['name']),
      type: textOf(one['type']) || 'string',
      value: one['value'] ?? null,
    }))
}

/** The default that n8n omits from the file for a field of this type. */
const usualOf = (type: string): unknown =>
  type === 'booleanValue' ? 'true' : type === 'stringValue' || type === 'numberValue' ? '' : null

/** The fields as values of a `set` step; null if a type or an expression needs more. */
function plainFields(context: NodeContext, fields: readonly Field[]): Record<string, unknown> | null {
  const isFlat = ({ name }: Field) => /^[^.[\]=]+$/.test(name) && name !== '__proto__'
  if (!fields.every(isFlat) || new Set(fields.map(({ name }) => name)).size < fields.length) return null
  const values: [string, unknown][] = []
  for (const { name, type, value } of fields) {
    const plain = plainValue(context, type, value)
    if (plain === undefined) return null
    values.push([name, plain])
  }
  return Object.fromEntries(values)
}

/** The value for a `set` step; undefined if it can't be expressed. */
function plainValue(context: NodeContext, type: string, value: unknown): unknown {
  if (isExpression(value)) {
    // An expression among other characters yields a string. The type of a single expression isn't known.
    const isText = (type === 'string' || type === 'raw') && onlyCode(value) === null
    return isText && context.isPlain(value) ? context.text('config.values', value) : undefined
  }
  if (typeof value === 'string') {
    if (type === 'string' || type === 'raw') return literally(value)
    if (type === 'number') return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined
    return type === 'boolean' && /^(?:true|false)$/.test(value) ? value === 'true' : undefined
  }
  const isOfType = type === 'raw' || typeof value === type
  return isOfType && (typeof value === 'number' || typeof value === 'boolean') ? value : undefined
}

function fieldsCode(context: NodeContext, fields: readonly Field[], included: string | null): Converted {
  const { node, js, ref } = context
  const put = hasDots(node.parameters) ? '$put' : '$set'
  const ignores = childOf(node.parameters, 'options')['ignoreConversionErrors'] === true
  const isOld = node.version < 3.2
  const lines = fields.slice(0, 500).map(({ name, type, value }) => {
    const written = js(value)
    const typed =
      type === 'raw'
        ? written
        : `$typed(${JSON.stringify(name)}, '${type.replaceAll(/\W/g, '')}', ${written}, ${ignores}, ${isOld})`
    return `${put}(item_, ${isExpression(name) ? `String(${js(name)})` : JSON.stringify(name)}, ${typed})`
  })
  const body = [`const item_ = ${included ?? '{}'}`, ...lines, 'return item_']
  return asCode(context, body.join('\n'), oneItem(ref))
}

/** The values of a `set` step for JSON without expressions. */
function plainJson(parameters: Plain): unknown {
  const given = parameters['jsonOutput'] ?? '{}'
  const text = typeof given === 'string' ? given.replace(/^=/, '') : JSON.stringify(given)
  if (partsOf(text).some((part) => 'code' in part)) return null
  const value = parsed(text)
  return isRecord(value) ? literal(value) : null
}

function literal(value: unknown): unknown {
  if (typeof value === 'string') return literally(value)
  if (Array.isArray(value)) return value.map(literal)
  return isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => key !== '__proto__')
          .map(([key, one]) => [key, literal(one)]),
      )
    : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** Inserts the values into the string, then parses it. */
function rawCode(context: NodeContext, included: string | null): Converted {
  const given = context.node.parameters['jsonOutput'] ?? '{}'
  const text = typeof given === 'string' ? given.replace(/^=/, '') : JSON.stringify(given)
  const parts = partsOf(text).map((part) =>
    'code' in part ? context.js(`={{${part.code}}}`) : JSON.stringify(part.text),
  )
  const body = [
    "const $written = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value))",
    `const given = $json_object([${parts.join(', ')}].map($written).join(''))`,
    included === null ? 'return given' : `return { ...${included}, ...given }`,
  ]
  return asCode(context, body.join('\n'), oneItem(context.ref))
}
