import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import { inputName, notImported } from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import { toJsonTemplate, toTemplate } from './postman-variables.ts'

export interface PostmanBody {
  readonly body: Json
  /** The content type that Postman sends if the request names none. */
  readonly contentType: string
  /** Fields that take a file. */
  readonly files: readonly string[]
}

/**
 * @param fill inserts the collection's values
 * @param leave reports what can't be translated
 */
export function bodyOf(
  body: Plain,
  inputs: Set<string>,
  fill: (text: string) => string,
  leave: (what: string, reason: Said) => void,
): PostmanBody {
  const template = (text: unknown) => toTemplate(fill(textOf(text)), inputs)
  const mode = textOf(body['mode'])
  if (mode === '' || body['disabled'] === true) return NO_BODY
  if (mode === 'raw') {
    const text = fill(textOf(body['raw']))
    const language = textOf(childOf(childOf(body, 'options'), 'raw')['language'])
    const contentType = LANGUAGES.get(language) ?? 'text/plain'
    if (text === '') return NO_BODY
    // linear: the look-ahead reads one character
    const isJson = /^\s*(?:\{(?!\{)|\[)/.test(text)
    return { body: isJson ? toJsonTemplate(text, inputs) : toTemplate(text, inputs), contentType, files: [] }
  }
  if (mode === 'urlencoded') {
    const pairs = enabled(body['urlencoded']).map((pair): [string, Json] => [
      fill(textOf(pair['key'])),
      template(pair['value']),
    ])
    return { body: grouped(pairs), contentType: 'application/x-www-form-urlencoded', files: [] }
  }
  if (mode === 'formdata') {
    const files: string[] = []
    const pairs = enabled(body['formdata']).map((pair): [string, Json] => {
      const key = fill(textOf(pair['key']))
      const type = /^[\w.+/-]+$/.exec(textOf(pair['contentType']))?.[0] ?? ''
      if (pair['type'] === 'file') {
        const read = `input.${fileField(key, inputs, files)}`
        const named = type === '' ? '' : `, content_type='${type}'`
        return [
          key,
          `{{ dict({'file_id': ${read}} if ${read} is string else ${read}${named}) if ${read} is defined and ${read} is not none }}`,
        ]
      }
      const text = template(pair['value'])
      return [key, type === '' ? text : { content: text, content_type: type }]
    })
    return { body: grouped(pairs), contentType: 'multipart/form-data', files }
  }
  if (mode === 'file') {
    const files: string[] = []
    const read = `input.${fileField('file', inputs, files)}`
    return {
      body: `{{ {'file_id': ${read}} if ${read} is string else ${read} }}`,
      contentType: `{{ ${read}.content_type | default('application/octet-stream') }}`,
      files,
    }
  }
  if (mode === 'graphql') {
    const graphql = childOf(body, 'graphql')
    const variables = fill(textOf(graphql['variables'])).trim() || '{}'
    const operation = textOf(graphql['operationName'])
    if (!isJson(variables.replaceAll(/\{\{[^{}]*\}\}/g, '0'))) {
      leave('GraphQL variables', say('are not JSON'))
      return { ...JSON_BODY, body: notImported('the GraphQL variables, which are not JSON') }
    }
    const query = fill(textOf(graphql['query']))
    const text = `{"query": ${JSON.stringify(query)}, ${operation === '' ? '' : `"operationName": ${JSON.stringify(operation)}, `}"variables": ${variables}}`
    return { ...JSON_BODY, body: toJsonTemplate(text, inputs) }
  }
  leave('the body', say("is sent as {{mode}}, which actions don't support", { mode: mode.slice(0, 30) }))
  return { ...NO_BODY, body: notImported(`the body, which is sent as ${mode.slice(0, 30)}`) }
}

const NO_BODY: PostmanBody = { body: null, contentType: '', files: [] }
const JSON_BODY = { contentType: 'application/json', files: [] }

const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['html', 'text/html'],
  ['javascript', 'application/javascript'],
])

const enabled = (list: unknown): Plain[] =>
  (Array.isArray(list) ? list : []).filter(isRecord).filter((pair) => pair['disabled'] !== true)

/** A name that occurs several times becomes a list. */
function grouped(pairs: readonly (readonly [string, Json])[]): Json {
  const found = new Map<string, Json[]>()
  for (const [key, value] of pairs)
    if (key !== '' && key !== '__proto__') found.set(key, [...(found.get(key) ?? []), value])
  return Object.fromEntries(
    [...found].map(([key, values]) => [key, values.length === 1 ? (values[0] ?? null) : values]),
  )
}

/** A field whose name isn't used by a variable. */
function fileField(key: string, inputs: Set<string>, files: string[]): string {
  const own = inputName(key || 'file')
  let free = own
  for (let number = 2; inputs.has(free); number++) free = `${own}_${number}`
  inputs.add(free)
  files.push(free)
  return free
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
