/**
 * A third-party API to try things with, offline: real HTTP on its own port, with made-up contacts, orders and tickets.
 * It is separate from /v1 so that connectors call it exactly as they call real APIs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { problem, type PlaygroundAnswer } from './answer.ts'
import { createPlaygroundPaths, type PlaygroundPath } from './paths.ts'

const PREFIX = '/playground'
const BODY_LIMIT = 1_048_576

export interface Playground {
  /** `http://127.0.0.1:4748/playground` */
  readonly url: string
  close(): Promise<void>
}

export interface PlaygroundOptions {
  /** 0 takes any free port; if the port is taken, any free one is used. */
  readonly port: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export async function startPlayground({ port, now }: PlaygroundOptions): Promise<Playground> {
  const paths = createPlaygroundPaths(now)
  const state = { base: '' }
  const server = createServer((request, response) => {
    answer(paths, state.base, request, response).catch(() => response.destroy())
  })
  server.requestTimeout = 30_000
  await listen(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
    return listen(0)
  })
  state.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`
  return {
    url: state.base,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  function listen(wanted: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  }
}

async function answer(
  paths: readonly PlaygroundPath[],
  base: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://playground.invalid')
  const body = await readBody(request)
  const given =
    body === null ? problem(413, 'the body is larger than 1 MiB') : find(paths, base, request, url, body)
  if (given.delayMs) await leaveOrWait(response, given.delayMs)
  if (response.destroyed) return
  response.writeHead(given.status, { 'Content-Type': 'application/json', ...given.headers })
  response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
}

function find(
  paths: readonly PlaygroundPath[],
  base: string,
  request: IncomingMessage,
  url: URL,
  text: string,
): PlaygroundAnswer {
  if (url.pathname !== PREFIX && !url.pathname.startsWith(`${PREFIX}/`)) {
    return problem(404, `the playground is at ${PREFIX}`)
  }
  const path = url.pathname.slice(PREFIX.length).replace(/^\/|\/$/g, '')
  if (path === '') return index(paths, base)
  const here = paths.filter((candidate) => candidate.path === path)
  if (here.length === 0) return problem(404, `${path} not found; GET ${base} lists all paths`)
  const match = here.find((candidate) => candidate.method === request.method)
  if (!match) {
    const allowed = here.map(({ method }) => method).join(', ')
    return problem(405, `${path} takes ${allowed}`, { Allow: allowed })
  }
  return match.answer({
    method: match.method,
    path,
    query: url.searchParams,
    headers: request.headers,
    body: parse(text),
    base,
  })
}

function index(paths: readonly PlaygroundPath[], base: string): PlaygroundAnswer {
  return {
    status: 200,
    body: {
      about: 'Made-up records for trying connectors, pagination and flows. Nothing is stored.',
      paths: paths.map(({ method, path, about }) => ({ method, url: `${base}/${path}`, about })),
    },
  }
}

/** The body as a string, or null if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= BODY_LIMIT) chunks.push(chunk)
  }
  return size > BODY_LIMIT ? null : Buffer.concat(chunks).toString('utf8')
}

/** Parsed if it is JSON, otherwise the string; null without a body. */
function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function leaveOrWait(response: ServerResponse, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, delayMs)
    response.once('close', done)
    function done() {
      clearTimeout(timer)
      response.off('close', done)
      resolve()
    }
  })
}
