/** A flow test case as a file: a webhook request and its expected response. */
import { z } from 'zod'
import {
  type Data,
  dataDifference,
  dictionaryOf,
  JsonError,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
  writePath,
} from '@millrace/jinja/data'
import { isIgnored, readIgnoredPath } from '../../engine/flow/testing/ignored-paths.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { readText } from './text-file.ts'
import type { WebhookCall, WebhookReply } from './webhook-call.ts'

const headers = z.record(z.string(), z.string()).default({})

const flowCase = z.strictObject({
  /** Name or id of the flow. */
  flow: z.string(),
  request: z.strictObject({
    query: z.string().default(''),
    headers,
    /** JSON, or a string that is sent unchanged. */
    body: z.unknown().optional(),
    /** Used instead of `body` for binary data, two hex digits per byte. */
    body_hex: z.string().optional(),
  }),
  response: z.strictObject({
    status: z.int(),
    /** Only the headers named here are compared. */
    headers,
    /** The value if it is JSON, otherwise a string; absent without a body. */
    body: z.unknown().optional(),
  }),
  /** Paths that can differ: `body.id`, `body.items[*].at`, `headers.date`. */
  ignore: z.array(z.string()).default([]),
})
export type FlowCase = z.output<typeof flowCase>

export interface Difference {
  readonly path: string
  /** Absent if no value was expected. */
  readonly expected?: Data
  /** Absent if no value was received. */
  readonly got?: Data
}

/** @throws HostError naming the file and the field */
export function readCase(file: string): FlowCase {
  const parsed = flowCase.safeParse(readJson(file))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HostError(EXIT.failed, `${file}: ${issue?.path.join('.') || 'the case'}: ${issue?.message}`)
}

function readJson(file: string): unknown {
  try {
    return parseJson(readText(file), OWN_JSON_LIMITS)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(EXIT.failed, `${file} is not JSON: ${error.message}`)
  }
}

export function writeCase(one: FlowCase): string {
  return `${writeJson(one as unknown as Data, 2)}\n`
}

export function callOf({ request }: FlowCase): WebhookCall {
  const { query, body, body_hex: hex } = request
  const isText = body === undefined || typeof body === 'string'
  const hasType = Object.keys(request.headers).some((name) => name.toLowerCase() === 'content-type')
  return {
    query: query === '' || query.startsWith('?') ? query : `?${query}`,
    headers: isText || hasType ? request.headers : { 'content-type': 'application/json', ...request.headers },
    body: hex === undefined ? (isText ? (body ?? '') : writeJson(body as Data)) : Buffer.from(hex, 'hex'),
  }
}

/** The part of a response that is compared; `names` are the headers to compare. */
export function expectedOf(reply: WebhookReply, names: readonly string[]): FlowCase['response'] {
  const picked = names.flatMap((name) => {
    const value = reply.headers[name.toLowerCase()]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    status: reply.status,
    headers: Object.fromEntries(picked),
    ...(reply.body ? { body: bodyAsData(reply.body) } : {}),
  }
}

const MOST_DIFFERENCES = 1_000

export function differencesOf({ response, ignore }: FlowCase, reply: WebhookReply): Difference[] {
  const expected = asData(response)
  const got = asData(expectedOf(reply, Object.keys(response.headers)))
  const ignored = ignore.map(readIgnoredPath)
  return dataDifference(expected, got, MOST_DIFFERENCES)
    .filter(({ at }) => !ignored.some((path) => isIgnored(at, path)))
    .map(({ at, before, after }) => ({
      path: writePath(at),
      ...(before === undefined ? {} : { expected: before }),
      ...(after === undefined ? {} : { got: after }),
    }))
}

function asData({ status, headers: named, body }: FlowCase['response']): Data {
  const lower = Object.entries(named).map(([name, value]): [string, Data] => [name.toLowerCase(), value])
  return dictionaryOf([
    ['status', status],
    ['headers', dictionaryOf(lower)],
    ...(body === undefined ? [] : [['body', body as Data] as const]),
  ])
}

/** The value if it is JSON, otherwise the string itself. */
export function bodyAsData(text: string): Data {
  try {
    return parseJson(text, OWN_JSON_LIMITS)
  } catch (error) {
    if (error instanceof JsonError) return text
    throw error
  }
}
