/** set, in its three forms: typed lists (v1, v2), fields (v3.0), assignments (v3.3 and later), and raw JSON. */
import { childOf, isRecord, type Plain, textOf } from '../../plain.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'
import { oneItem, quoted } from '../source/values.ts'
import { partsOf } from '../expression/template.ts'
import { listOf } from '../source/workflow.ts'

export const setNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { ref } = context
    return asStep({ ref_id: ref, type: 'set', config: { values: valuesOf(context) } }, oneItem(ref))
  },
}

interface Field {
  readonly name: string
  readonly value: unknown
  /** Of JSON with expressions in it, what it says: texts that begin with `=` are theirs. */
  readonly json?: unknown
}

function valuesOf(context: NodeContext): unknown {
  const { node, note } = context
  const { parameters } = node
  const keepsOthers = keepsOtherFields(parameters, node.version)
  const include = textOf(parameters['include']) || 'all'
  if (keepsOthers && (include === 'selected' || include === 'except'))
    note(
      'config.values',
      `took ${include === 'selected' ? 'some' : 'all but some'} of the fields that came in; all of them are taken here`,
    )
  if (node.version >= 3 && parameters['mode'] === 'raw') return rawValues(context, parameters, keepsOthers)
  const fields = fieldsOf(parameters, node.version)
  if (!keepsOthers || context.source === null) return nested(context, fields)
  return withOthers(context, fields)
}

function keepsOtherFields(parameters: Plain, version: number): boolean {
  if (version < 3) return parameters['keepOnlySet'] !== true
  if (version < 3.3) return (textOf(parameters['include']) || 'all') !== 'none'
  return parameters['includeOtherFields'] === true
}

function fieldsOf(parameters: Plain, version: number): Field[] {
  if (version < 3) {
    const values = childOf(parameters, 'values')
    return ['string', 'number', 'boolean'].flatMap((type) =>
      listOf(values[type])
        .filter(isRecord)
        .map((one) => field(one, type, one['value'])),
    )
  }
  if (version < 3.3) {
    return listOf(childOf(parameters, 'fields')['values'])
      .filter(isRecord)
      .map((one) => {
        const type = textOf(one['type']) || 'stringValue'
        return field(one, type.replace('Value', ''), one[type])
      })
  }
  return listOf(childOf(parameters, 'assignments')['assignments'])
    .filter(isRecord)
    .map((one) => field(one, textOf(one['type']) || 'string', one['value']))
}

/** A value that was typed is of the type that was chosen for it. */
function field(one: Plain, type: string, given: unknown): Field {
  const name = textOf(one['name'])
  const value = given ?? (type === 'number' ? 0 : type === 'boolean' ? false : '')
  const isJson = type === 'array' || type === 'object'
  if (typeof value !== 'string') return { name, value }
  if (value.startsWith('='))
    return { name, value, ...(isJson ? { json: readJsonTemplate(value.slice(1)) } : {}) }
  if (type === 'number' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) return { name, value: Number(value) }
  if (type === 'boolean' && /^(true|false)$/.test(value)) return { name, value: value === 'true' }
  return { name, value: isJson ? parsed(value) : value }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** A name with dots is a path. */
function nested(context: NodeContext, fields: readonly Field[]): Record<string, unknown> {
  const values = new Map<string, unknown>()
  for (const { name, value, json } of fields.slice(0, 500)) {
    const path = pathOf(context, name)
    const [last] = path.slice(-1)
    if (last === undefined) continue
    let at = values
    for (const key of path.slice(0, -1)) {
      const below = at.get(key)
      const next = below instanceof Map ? (below as Map<string, unknown>) : new Map<string, unknown>()
      at.set(key, next)
      at = next
    }
    at.set(last, context.value(`config.values.${name}`, json ?? value))
  }
  return asObject(values)
}

function asObject(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    [...values].map(([key, value]) => [
      key,
      value instanceof Map ? asObject(value as Map<string, unknown>) : value,
    ]),
  )
}

function pathOf({ node, note }: NodeContext, name: string): string[] {
  if (name.startsWith('=')) {
    note('config.values', `the name "${name.slice(0, 60)}" is calculated and was left out`)
    return []
  }
  const options = childOf(node.parameters, 'options')
  const path = options['dotNotation'] === false ? [name] : name.split('.')
  return path.every((key) => key !== '' && key !== '__proto__') && path.length <= 20 ? path : []
}

/** One expression: what came in, with the new fields over it. */
function withOthers(context: NodeContext, fields: readonly Field[]): unknown {
  const { source } = context
  const entries = fields.slice(0, 500).flatMap(({ name, value }) => {
    const path = pathOf(context, name)
    if (path.length === 0) return []
    const written = context.expression(`config.values.${name}`, value)
    return written === null
      ? []
      : [`${quoted(path.length === 1 ? name : (path[0] ?? ''))}: ${deep(path, written)}`]
  })
  const added = entries.length === 0 ? '' : `, **{${entries.join(', ')}}`
  return `{{ dict(${source?.whole ?? '{}'}${added}) }}`
}

/** `a.b.c` as the dictionary below `a`. */
function deep(path: readonly string[], value: string): string {
  return path.slice(1).reduceRight((inner, key) => `{${quoted(key)}: ${inner}}`, value)
}

/** JSON with expressions in it: each in its place. */
function rawValues(context: NodeContext, parameters: Plain, keepsOthers: boolean): unknown {
  const { value, note } = context
  const source = parameters['jsonOutput'] ?? '{}'
  if (keepsOthers) note('config.values', 'kept the fields that came in; add those you need')
  if (typeof source !== 'string') return value('config.values', source)
  if (!source.startsWith('=')) return isRecord(parsed(source)) ? value('config.values', parsed(source)) : {}
  const read = readJsonTemplate(source.slice(1))
  return value('config.values', isRecord(read) ? read : source)
}

/** Null where the text around the expressions is no JSON, or is one expression altogether. */
function readJsonTemplate(text: string): unknown {
  const parts = partsOf(text)
  const codes: string[] = []
  let isInText = false
  const marked = parts
    .map((part) => {
      if (!('code' in part)) {
        for (const sign of part.text.replaceAll(/\\./g, '')) if (sign === '"') isInText = !isInText
        return part.text
      }
      codes.push(part.code)
      const mark = `\uE000${codes.length - 1}\uE000`
      return isInText ? mark : `"${mark}"`
    })
    .join('')
  const value = parsed(marked)
  return isRecord(value) || Array.isArray(value) ? restored(value, codes) : null
}

function restored(value: unknown, codes: readonly string[]): unknown {
  if (typeof value === 'string') {
    const text = value.replaceAll(/\uE000(\d+)\uE000/g, (_, at: string) => `{{${codes[Number(at)] ?? ''}}}`)
    return text === value ? value : `=${text}`
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, codes))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restored(item, codes)]))
}
