/** Recognizes the text at once; the server reads it completely afterwards. */
import { readCurl } from '@millrace/curl'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** The list that the import adds to. */
export type ImportList = 'connectors' | 'flows'

export interface Recognized {
  readonly list: ImportList
  /** `OpenAPI 3.1, 42 paths` */
  readonly label: string
}

/** Null if it can't be imported. */
export function recognize(source: string): Recognized | null {
  const text = source.replace(/^\uFEFF/, '').trim()
  if (text === '') return null
  if (/^[{[]/.test(text)) return ofJson(text)
  const yaml = /^["']?(openapi|swagger)["']?\s*:\s*["']?(\d+\.\d+)/m.exec(text)
  if (yaml !== null) return describeApi(yaml[1] ?? '', yaml[2] ?? '', countYamlPaths(text))
  const requests = readCurl(text)?.requests.length ?? 0
  return requests === 0 ? null : { list: 'connectors', label: plural(requests, 'curl command') }
}

function ofJson(text: string): Recognized | null {
  const found = parsed(text)
  // n8n exports several workflows as a list.
  const [document] = Array.isArray(found) ? (found as unknown[]) : [found]
  if (!isRecord(document)) return null
  for (const name of ['openapi', 'swagger']) {
    const version = /^\d+\.\d+/.exec(textOf(document[name]))?.[0]
    if (version !== undefined) return describeApi(name, version, keysOf(document['paths']).length)
  }
  const { format, nodes, connections, steps, info } = document
  if (format === 'millrace-connector') {
    const actions = plural(listOf(document['actions']).length, 'action')
    const name = nameOf(document['connector'])
    return {
      list: 'connectors',
      label: t('Millrace connector “{{name}}”, {{actions}}', { name, actions }),
    }
  }
  if (format === 'millrace-flow') {
    const [first, ...others] = listOf(document['flows'])
    return describeFlow(isRecord(first) ? first : {}, others.length)
  }
  if (isRecord(info) && textOf(info['schema']).includes('getpostman.com')) {
    const requests = plural(countRequests(document['item']), 'request')
    return { list: 'connectors', label: t('Postman collection, {{requests}}', { requests }) }
  }
  if (Array.isArray(nodes) && isRecord(connections))
    return { list: 'flows', label: t('n8n workflow, {{nodes}}', { nodes: plural(nodes.length, 'node') }) }
  return Array.isArray(steps) ? describeFlow(document, 0) : null
}

function describeApi(format: string, version: string, paths: number): Recognized {
  const name = format === 'swagger' ? 'Swagger' : 'OpenAPI'
  return { list: 'connectors', label: `${name} ${version}, ${plural(paths, 'path')}` }
}

function describeFlow(flow: Readonly<Record<string, unknown>>, others: number): Recognized {
  const values = { name: textOf(flow['name']), steps: plural(listOf(flow['steps']).length, 'step') }
  const label =
    others === 0
      ? t('Millrace flow “{{name}}”, {{steps}}', values)
      : t('Millrace flow “{{name}}”, {{steps}}, including {{others}}', {
          ...values,
          others: plural(others, 'flow'),
        })
  return { list: 'flows', label }
}

/** The keys directly below `paths:`, each of which begins with a slash. */
function countYamlPaths(text: string): number {
  const lines = text.split('\n')
  const below = lines.slice(lines.findIndex((line) => /^["']?paths["']?\s*:/.test(line)) + 1)
  const end = below.findIndex((line) => /^[^\s#]/.test(line))
  let indent = Infinity
  let count = 0
  for (const line of end === -1 ? below : below.slice(0, end)) {
    // linear: the look-ahead reads two characters
    const at = /^\s+(?=["']?\/)/.exec(line)?.[0].length ?? Infinity
    if (at < indent) [indent, count] = [at, 1]
    else if (at === indent && at !== Infinity) count++
  }
  return count
}

/** Postman keeps requests in folders within folders. */
function countRequests(items: unknown, depth = 0): number {
  if (depth > 64) return 0
  return listOf(items).reduce<number>((sum, item) => {
    if (!isRecord(item)) return sum
    return sum + (Array.isArray(item['item']) ? countRequests(item['item'], depth + 1) : 1)
  }, 0)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
const keysOf = (value: unknown) => (isRecord(value) ? Object.keys(value) : [])
const nameOf = (value: unknown) => (isRecord(value) ? textOf(value['name']) : '')
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
