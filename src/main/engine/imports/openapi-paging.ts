/** Detects how lists are paged from the descriptions of calls and their responses. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { PaginationConfigEntry } from '../../../shared/contract/base/pagination-config.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { checkPaginationConfig, pagingRoleOf, suggestFromDescription } from '../pagination/index.ts'
import { childOf, textOf, type Plain } from './plain.ts'
import { listOf, type Schemas } from './openapi-schemas.ts'

export interface DescribedCall {
  readonly operation: Plain
  /** Resolved. */
  readonly parameters: readonly Plain[]
  readonly path: string
  readonly schemas: Schemas
  /** Called for a parameter whose description contradicts its name. */
  readonly unclear: (parameter: string, meaning: Said) => void
}

export interface FoundPaging {
  readonly config: PaginationConfigEntry
  readonly style: string
}

/** Null unless the description shows how to request further pages, because a wrong configuration would lose records. */
export function pagingOf({
  operation,
  parameters,
  path,
  schemas,
  unclear,
}: DescribedCall): FoundPaging | null {
  const { references } = schemas
  const response = firstGood(operation, schemas)
  const media = response && mediaOf(response)
  if (response === null || media === null) return null
  const inQuery = parameters.filter((parameter) => {
    if (parameter['in'] !== 'query') return false
    const meaning = otherMeaningOf(parameter, schemas)
    if (meaning !== null) unclear(textOf(parameter['name']), meaning)
    return meaning === null
  })
  const query = inQuery.flatMap((parameter): [string, Data][] => {
    const first = firstOf(parameter, schemas)
    return first === null ? [] : [[textOf(parameter['name']), first]]
  })
  const link = Object.keys(childOf(response, 'headers')).some((name) => /^link$/i.test(name))
  const url = new URL('https://api.example/list')
  const found = suggestFromDescription(
    {
      request: {
        url,
        method: 'GET',
        query: dictionaryOf(query),
        headers: [],
        body: null,
        endpoint: path.replace(/^\//, ''),
      },
      response: {
        status: 200,
        headers: link ? [['Link', `<${NEXT}>; rel="next"`]] : [],
        body: sampleOf(references.resolve(media)['schema'], schemas, 0),
      },
    },
    inQuery.map((parameter) => textOf(parameter['name'])),
  )
  if (found === null) return null
  const { problems } = checkPaginationConfig(found.config as Data, [])
  if (problems.some(({ severity }) => severity === 'error')) return null
  const isOptional = isListOptional(references.resolve(media)['schema'], found.config, schemas)
  const config = isOptional ? { ...found.config, list_may_be_absent: true } : found.config
  return { config, style: found.style }
}

/**
 * Whether a schema requires other keys of a page, but not its list, which means that the API leaves out an
 * empty list.
 */
function isListOptional(
  schema: unknown,
  { response_jsonpath: path = '$' }: PaginationConfigEntry,
  { propertiesOf }: Schemas,
): boolean {
  const keys = path.split('.').slice(1)
  const list = keys.at(-1)
  if (list === undefined || keys.some((key) => !/^\w+$/.test(key))) return false
  const holder = keys.slice(0, -1).reduce<unknown>((at, key) => propertiesOf(at).get(key)?.schema, schema)
  if (holder === undefined) return false
  const properties = propertiesOf(holder)
  const isRequired = properties.get(list)?.required
  return isRequired === false && [...properties.values()].some(({ required }) => required)
}

/** The meaning of a parameter according to its description, if its name suggests another one; null if they agree. */
function otherMeaningOf(parameter: Plain, { references }: Schemas): Said | null {
  const role = pagingRoleOf(textOf(parameter['name']))
  if (role !== 'offset' && role !== 'page') return null
  const about = `${textOf(parameter['description'])} ${textOf(references.resolve(parameter['schema'])['description'])}`
  if (LAST_ID.test(about)) return say('the ID of the last record')
  if (role === 'offset' && PAGE_NUMBER.test(about)) return say('the number of a page')
  return role === 'page' && RECORDS_SKIPPED.test(about) ? say('a number of records') : null
}

const LAST_ID = /\b(?:last|previous|final)\b.{0,20}?\bids?\b|\bids? of the (?:last|previous|final)\b/i
const PAGE_NUMBER = /\bpage (?:number|index)\b|\bnumber of the page\b|\bwhich page\b|\bpages? to skip\b/i
const RECORDS_SKIPPED = /\b(?:records|items|results|rows|entries) to skip\b|\bskip (?:this many|the first)\b/i

const NEXT = 'https://api.example/list?page=2'

function firstGood(operation: Plain, { references }: Schemas): Plain | null {
  const responses = childOf(operation, 'responses')
  const status = Object.keys(responses).find((code) => /^2(?:\d\d|XX)$/i.test(code)) ?? 'default'
  return responses[status] === undefined ? null : references.resolve(responses[status])
}

function mediaOf(response: Plain): unknown {
  const content = childOf(response, 'content')
  const type = Object.keys(content).find((name) => /[/+]json\b|^\*\/\*/i.test(name))
  return type === undefined ? null : content[type]
}

/** The number of the first page or record of a counting parameter; null if it isn't documented. */
function firstOf(parameter: Plain, { references, kindOf }: Schemas): number | null {
  if (kindOf(parameter['schema']) !== 'number') return null
  const schema = references.resolve(parameter['schema'])
  for (const said of [schema['default'], parameter['x-example'], parameter['example'], schema['example']])
    if (said === 0 || said === 1) return said
  const about = `${textOf(parameter['description'])} ${textOf(schema['description'])}`
  const told = FIRST.exec(about)
  const word = told
    ?.slice(1)
    .find((one) => one !== undefined)
    ?.toLowerCase()
  if (word !== undefined) return word === '0' || word === 'zero' ? 0 : 1
  if (schema['minimum'] === 1) return 1
  return /^(?:offset|skip|\$skip|\$offset|page\[offset\])$/i.test(textOf(parameter['name'])) ? 0 : null
}

const FIRST =
  /\b(?:start(?:s|ing)?|begin(?:s|ning)?|first page|default(?:s|ed)?|index(?:ed)? from|count(?:s|ing|ed)? from)\b[^.\d]{0,30}?\b(0|1|zero|one)\b(?!\d)|\b(0|1|zero|one)[- ](?:based|indexed)\b/i

/** A value that matches the schema. Only its keys matter; lists have two records. */
function sampleOf(value: unknown, schemas: Schemas, depth: number): Data {
  const { references, propertiesOf, kindOf } = schemas
  const schema = references.resolve(value)
  const kind = kindOf(schema)
  if (kind === 'array') {
    const items = references.resolve(schema['items'])
    const itemKind = kindOf(items)
    // Lists of names or ids aren't records.
    if (itemKind !== 'object' && itemKind !== 'any') return depth === 0 ? ['a', 'b'] : 'x'
    const keys = [...propertiesOf(items)].slice(0, MOST_KEYS)
    const record = (id: string) =>
      dictionaryOf([
        ['id_of_sample', id],
        ...keys.map(([key, { schema: own }]): [string, Data] => [
          key,
          key === 'node' ? dictionaryOf([]) : kindOf(own) === 'number' ? 7 : 'x',
        ]),
      ])
    return [record('a'), record('b')]
  }
  const properties = propertiesOf(schema)
  if (properties.size > 0 && depth < MOST_DEEP)
    return dictionaryOf(
      [...properties].slice(0, MOST_KEYS).map(([key, { schema: own }]): [string, Data] => {
        const part = sampleOf(own, schemas, depth + 1)
        return [key, part === true && /last|done/i.test(key) ? false : part]
      }),
    )
  if (kind === 'number') return 1_000
  if (kind === 'boolean') return true
  if (kind === 'object') return dictionaryOf([])
  return isAddress(schema) ? NEXT : 'c2FtcGxl'
}

const MOST_KEYS = 100
const MOST_DEEP = 5

function isAddress(schema: Plain): boolean {
  const examples = [schema['example'], ...listOf(schema, 'examples')]
  return (
    /^(?:uri|url|uri-reference|iri)$/i.test(textOf(schema['format'])) ||
    examples.some(
      (example) => typeof example === 'string' && /^(?:https?:\/\/|\/[\w.~-][^?\n]*\?)/.test(example),
    ) ||
    /\b(?:url|uri|link|address)\b/i.test(textOf(schema['description']))
  )
}

export interface PagedAction {
  readonly name: string
  readonly path: string
  readonly paging: FoundPaging
}

/**
 * One configuration for the connector. If its lists are paged in several ways, each one names its endpoints, except the
 * most common one.
 */
export function configFor(paged: readonly PagedAction[]): {
  readonly config: PaginationConfigEntry | PaginationConfigEntry[] | null
  readonly names: ReadonlySet<string>
} {
  const groups = new Map<string, PagedAction[]>()
  for (const action of paged) {
    const key = JSON.stringify(action.paging.config)
    groups.set(key, [...(groups.get(key) ?? []), action])
  }
  const [largest = [], ...others] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  const chosen = others
    .map((group) => ({ group, when: whenOf(group) }))
    .filter(({ when }) => when.length <= MOST_WHEN)
    .slice(0, MOST_CONFIGS - 1)
  const last = largest[0]?.paging.config
  if (last === undefined) return { config: null, names: new Set() }
  const names = new Set([...largest, ...chosen.flatMap(({ group }) => group)].map(({ name }) => name))
  if (chosen.length === 0) return { config: last, names }
  const first = chosen.flatMap(({ group: [one], when }) =>
    one === undefined ? [] : [{ when, ...one.paging.config }],
  )
  return { config: [...first, last], names }
}

const MOST_WHEN = 4_000
const MOST_CONFIGS = 50

/** A run's endpoint has its values filled in, so a path segment that is a parameter matches anything. */
function whenOf(group: readonly PagedAction[]): string {
  const paths = group.map(({ path }) =>
    path
      .replace(/^\//, '')
      .split(/\{[^{}]+\}/)
      .map((part) => part.replaceAll(/[^\w/-]/g, (sign) => (/[\^\\'"{}\]]/.test(sign) ? '.' : `[${sign}]`)))
      .join('[^/?]*'),
  )
  return `{{ endpoint | regex_search('^(?:https?://[^/]*/.*)?(?:${paths.join('|')})(?:[?]|$)') }}`
}
