/**
 * Large values passing through the program: incoming bodies, API responses, displayed results. Each is measured
 * separately, and so is how long other requests wait meanwhile.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createFlow } from './lib/create-flow.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { withMillrace } from './lib/with-folder.ts'

const MOST_INBOUND_MS = 200
const MOST_OUTGOING_MS = 500

const ofKeys = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"key${at}":${at % 100}`).join()}}`
const ofRecords = (bytes: number) => {
  const record = (id: number) => `{"id":${id},"name":"Order ${id}","total":${id / 4},"tags":["a","b"]}`
  return `[${Array.from({ length: Math.floor(bytes / 70) }, (_, id) => record(id)).join()}]`
}

const KEYS_300_000 = ofKeys(300_000)
const RECORDS_5_MB = `{"records":${ofRecords(4_900_000)}}`
const RESPONSES: Readonly<Record<string, string>> = {
  '/records': ofRecords(32_000_000),
  '/keys': ofKeys(400_000),
  '/text': JSON.stringify({
    text: Array.from({ length: 1_000_000 }, (_, line) => `line ${line} of many\n`).join(''),
  }),
}

export const benchmark: Benchmark = {
  title: 'Large values, and how long they hold the event loop',
  run: () => withMillrace(measure, { watchesLoop: true }),
}

async function measure(millrace: StartedMillrace): Promise<Figure[]> {
  const api = await startApi()
  try {
    return [...(await measureBodies(millrace)), ...(await measureResponses(millrace, addressOf(api)))]
  } finally {
    api.close()
  }
}

const webhook = (config: object = {}) => ({ ref_id: 'hook', type: 'webhook', config })

async function measureBodies(millrace: StartedMillrace): Promise<Figure[]> {
  const figures: Figure[] = []
  const kinds = {
    'a body of 300,000 keys': [KEYS_300_000, {}],
    'a body of 300,000 keys, accepted': [KEYS_300_000, { async: true }],
    'a body of 100,000 keys, sent back': [ofKeys(100_000), { response_body: '{{ hook | tojson }}' }],
    'a body of 5 MB of records': [RECORDS_5_MB, {}],
  } as const
  for (const [what, [body, config]] of Object.entries(kinds)) {
    const hook = await flowOf(millrace, [webhook(config)])
    figures.push(
      await longest(millrace, what, MOST_INBOUND_MS, async () => {
        await post(millrace, hook.path, hook.headers, body)
        await untilIdle(millrace)
      }),
    )
  }
  const headers = { Authorization: `Bearer ${millrace.bearer}` }
  const render = `{"template":"{{ hook.key1 }}","context":{"hook":${KEYS_300_000}}}`
  figures.push(
    await longest(millrace, 'a template tried on 300,000 keys', MOST_INBOUND_MS, () =>
      post(millrace, '/v1/templates/render', headers, render),
    ),
  )
  return figures
}

async function measureResponses(millrace: StartedMillrace, api: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const path of Object.keys(RESPONSES)) {
    const call = { ref_id: 'call', type: 'rest', config: { url: api + path } }
    const hook = await flowOf(millrace, [webhook({ response_body: '{{ call.status }}' }), call])
    const what = `a response of an API, ${path.slice(1)}, ${Math.round((RESPONSES[path]?.length ?? 0) / 1e6)} MB`
    figures.push(
      await longest(millrace, what, MOST_OUTGOING_MS, () => post(millrace, hook.path, hook.headers, '{}')),
    )
    figures.push(
      await longest(millrace, `${what}, its results shown`, MOST_OUTGOING_MS, async () => {
        const [run] = (await get(millrace, `/v1/flow-runs?filter=flow_id,eq,${hook.flowId}`)) as {
          id: string
        }[]
        await get(millrace, `/v1/flow-runs/${run?.id}/results`)
      }),
    )
  }
  return figures
}

async function longest(
  { program }: StartedMillrace,
  what: string,
  most: number,
  work: () => Promise<unknown>,
): Promise<Figure> {
  await program.eventLoopDelay()
  const began = performance.now()
  await work()
  const took = performance.now() - began
  const { maxMs } = await program.eventLoopDelay()
  return {
    what: `Longest wait of others, ${what} (${Math.round(took)} ms in all)`,
    unit: 'ms',
    ours: maxMs,
    goal: `at most ${most} ms`,
    isMet: maxMs <= most,
  }
}

function flowOf({ port, bearer }: StartedMillrace, steps: readonly object[]) {
  return createFlow(`http://127.0.0.1:${port}`, bearer, { name: 'Large values', steps })
}

async function post(
  { port }: StartedMillrace,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`)
}

async function get({ port, bearer }: StartedMillrace, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${bearer}` },
  })
  return response.json()
}

async function untilIdle(millrace: StartedMillrace): Promise<void> {
  for (;;) {
    const runs = (await get(millrace, '/v1/flow-runs')) as { status: string }[]
    if (runs.every(({ status }) => status === 'success' || status === 'error')) return
  }
}

function startApi(): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json').setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync(RESPONSES[request.url ?? ''] ?? '{}', { level: 1 }))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
