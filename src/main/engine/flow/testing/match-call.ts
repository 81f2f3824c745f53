/** Compares the requests of a flow in a test with the recorded ones. */
import type { FlowTestCall, TestDifference } from '../../../../shared/contract/flow-tests.ts'
import {
  type Data,
  dataDifference,
  dictionaryOf,
  entriesOf,
  isDictionary,
  JsonError,
  OWN_JSON_LIMITS,
  parseJson,
  writePath,
} from '@millrace/jinja/data'
import { isIgnored, readIgnoredPath } from './ignored-paths.ts'

/** A request as the history shows it. */
export interface ShownRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Ignored = readonly (readonly string[])[]

export const readIgnored = (paths: readonly string[]): Ignored => paths.map(readIgnoredPath)

/** The parts of a request by which it is recognized. */
export function partsOf({ method, url, headers, body }: ShownRequest): Data {
  const parsed = URL.parse(url)
  const boundary = boundaryOf(headers)
  const same = (text: string) => (boundary === null ? text : text.replaceAll(boundary, 'boundary'))
  const lines = Object.entries(headers).flatMap(([name, value]): [string, Data][] => {
    const key = name.toLowerCase()
    return isOfProgram(key, value) ? [] : [[key, same(value)]]
  })
  return dictionaryOf([
    ['method', method.toUpperCase()],
    ['url', parsed === null ? url : `${parsed.origin}${parsed.pathname}`],
    ['query', queryOf(parsed)],
    ['headers', dictionaryOf(lines.toSorted(([one], [other]) => (one < other ? -1 : 1)))],
    ...(body === undefined || body === null
      ? []
      : [['body', typeof body === 'string' ? dataOf(same(body)) : (body as Data)] as const]),
  ])
}

/** The parsed value if the string is JSON, or else the string. */
export function dataOf(text: string): Data {
  try {
    return parseJson(text, OWN_JSON_LIMITS)
  } catch (error) {
    if (error instanceof JsonError) return text
    throw error
  }
}

export function differencesBetween(expected: Data, got: Data, ignored: Ignored = []): TestDifference[] {
  return dataDifference(expected, got, MOST_COMPARED)
    .filter(({ at }) => !ignored.some((path) => isIgnored(at, path)))
    .slice(0, MOST_DIFFERENCES)
    .map(({ at, before, after }) => ({
      path: writePath(at),
      ...(before === undefined ? {} : { expected: before as TestDifference['expected'] }),
      ...(after === undefined ? {} : { got: after as TestDifference['got'] }),
    }))
}

/** The parts by which a step that reaches the outside world in another way is recognized. */
export function inputParts(input: Data): Data {
  if (!isDictionary(input)) return dictionaryOf([['input', input]])
  const kept = entriesOf(input).filter(([key]) => key !== 'flow_run_id')
  return dictionaryOf([['input', dictionaryOf(kept)]])
}

/** Drops the headers of a signature, which doesn't exist in a test because it is only added on sending. */
export function withoutSignature(call: FlowTestCall & { readonly type: 'http' }): ShownRequest {
  const { headers, ...rest } = call.request
  const kept = Object.entries(headers).filter(([name, value]) => value !== '***' && !/^x-amz-/i.test(name))
  return { ...rest, headers: Object.fromEntries(kept) }
}

function queryOf(url: URL | null): Data {
  const values = new Map<string, Data>()
  for (const [name, value] of url?.searchParams ?? []) {
    const known = values.get(name)
    values.set(name, known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value])
  }
  return dictionaryOf([...values])
}

function boundaryOf(headers: ShownRequest['headers']): string | null {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return /^multipart\/.{0,200}?boundary="?([^";]{1,100})/i.exec(type)?.[1] ?? null
}

/** Whether Millrace adds this header itself, rather than the flow. */
export function isOfProgram(name: string, value: string): boolean {
  const key = name.toLowerCase()
  return NOT_COMPARED.has(key) || (key === 'accept' && /^(?:application\/json, )?\*\/\*/.test(value))
}

/** Headers that depend on Millrace and the connection. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'host',
  'user-agent',
])
const MOST_COMPARED = 1_000
const MOST_DIFFERENCES = 50
