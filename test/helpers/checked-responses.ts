/** Checks every response of the API that any test gets, whoever called, against the description in OpenAPI. */
import { hash } from 'node:crypto'
import { ServerResponse } from 'node:http'
import { SAID_HEADER } from '../../src/shared/contract/base/conventions.ts'
import { createOpenApiDocument } from '../../src/main/server/openapi/document.ts'
import { readAnswer } from './http.ts'
import { casesOfAnswer, faultsOf, type ApiDocument, type Case, type Operation } from './openapi.ts'

interface Sent {
  readonly method: string
  readonly path: string
  readonly head: string
  readonly body: string
}

/** What the watched servers have sent, by port. */
const watched = new Map<number, Sent[]>()
const bodies = new WeakMap<ServerResponse, Buffer[]>()
/** Most tests get some of the same responses. */
const known = new Set<string>()

/** Its `end` fails with the differences, by operation, status and path. */
export function checkResponses(port: number): { readonly end: () => Promise<void> } {
  const sent: Sent[] = []
  watched.set(port, sent)
  return {
    async end() {
      watched.delete(port)
      const faults = await faultsOfResponses(sent)
      if (faults.length > 0) throw new Error(`Not as the API description says:\n${faults.join('\n')}`)
    },
  }
}

/**
 * Checks a response that `fetch` got from a program in its own process.
 *
 * @throws Error with the differences
 */
export async function checkResponse(method: string, url: string, response: Response): Promise<void> {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${response.status} ${response.statusText}`, ...lines].join('\r\n')
  const { pathname: path } = new URL(url)
  const faults = await faultsOfResponses([{ method, path, head, body: await response.clone().text() }])
  if (faults.length > 0) throw new Error(`Not as the API description says:\n${faults.join('\n')}`)
}

async function faultsOfResponses(sent: readonly Sent[]): Promise<readonly string[]> {
  const fresh = sent.filter(({ method, path, head, body }) => {
    const key = hash('sha256', [method, path, head.slice(0, 12), body].join('\n'))
    return !known.has(key) && known.add(key)
  })
  if (fresh.length === 0) return []
  const { document, find } = describedApi()
  const faults: string[] = []
  const cases: Case[] = []
  for (const { method, path, head, body } of fresh) {
    const operation = find(method, path)
    // Other methods return 405 and other paths 404; a webhook's responses are those of its flow.
    if (operation === undefined || 'default' in operation.responses) continue
    const answer = readAnswer(`${head.trimEnd()}\r\n\r\n${body}`)
    const found = casesOfAnswer(document, operation, answer)
    // A repeated request returns only what may be shown twice.
    if (answer.headers['idempotent-replayed'] === 'true') continue
    faults.push(...found.faults)
    if (method !== 'HEAD') cases.push(...found.cases)
  }
  return [...faults, ...(cases.length === 0 ? [] : await faultsOf(document, cases))]
}

interface DescribedApi {
  readonly document: ApiDocument
  readonly find: (method: string, path: string) => Operation | undefined
}

let described: DescribedApi | null = null

function describedApi(): DescribedApi {
  described ??= describe(createOpenApiDocument('0.0.0-test') as unknown as ApiDocument)
  return described
}

function describe(document: ApiDocument): DescribedApi {
  // Words come before parameters: `/v1/flow-runs/stored` is not the run `stored`.
  const paths = Object.keys(document.paths)
    .toSorted()
    .toReversed()
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    }))
  return {
    document,
    find(method, url) {
      const found = paths.find(({ pattern }) => pattern.test(url))
      return found && document.paths[found.path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    },
  }
}

const write = Reflect.get(ServerResponse.prototype, 'write') as (...given: never[]) => boolean
const end = Reflect.get(ServerResponse.prototype, 'end') as (...given: never[]) => ServerResponse

/** Wraps Node's own functions, because the server writes its responses in several places and ways. */
ServerResponse.prototype.write = function (this: ServerResponse, ...given: unknown[]) {
  keep(this, given[0], given[1])
  return write.apply(this, given as never)
} as ServerResponse['write']
ServerResponse.prototype.end = function (this: ServerResponse, ...given: unknown[]) {
  keep(this, given[0], given[1])
  const port = this.socket?.localPort
  const result = end.apply(this, given as never)
  const { _header: head } = this as unknown as { readonly _header: string | null }
  const { method = '', url = '' } = this.req
  watched.get(port ?? 0)?.push({
    method,
    path: url.split('?')[0] ?? '',
    head: head ?? '',
    body: withoutSaid(Buffer.concat(bodies.get(this) ?? []).toString(), this.req.headers[SAID]),
  })
  return result
} as ServerResponse['end']

/** What the page gets in addition to the description, the key and values of each sentence, is left out. */
function withoutSaid(body: string, isForPage: unknown): string {
  if (isForPage === undefined || !/^[[{]/.test(body)) return body
  const shown = (line: string) =>
    line &&
    JSON.stringify(
      JSON.parse(line, (name, value: unknown) =>
        name === 'said' || name === 'said_fields' ? undefined : value,
      ),
    )
  return body.split('\n').map(shown).join('\n')
}

const SAID = SAID_HEADER.toLowerCase()

function keep(response: ServerResponse, chunk: unknown, encoding: unknown): void {
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
  if (!watched.has(response.socket?.localPort ?? 0)) return
  const bytes =
    typeof chunk === 'string'
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk)
  const parts = bodies.get(response)
  if (parts === undefined) bodies.set(response, [bytes])
  else parts.push(bytes)
}
