/**
 * The API: reading one connector auth with a token, compared with bare Express reading a record of the same size, and
 * reading a filtered list of 10,000 connectors.
 */
import { join } from 'node:path'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { load } from './lib/load.ts'
import { startMillrace } from './lib/millrace.ts'
import { startProgram } from './lib/program.ts'
import { withFolder } from './lib/with-folder.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 1_000
const MEASURE_MS = 3_000
const ROUNDS = 3
const CONNECTORS = 10_000
const LISTS = 21

export const benchmark: Benchmark = {
  title: 'The API: a single record with a token, a long list with a filter',
  run: () => withFolder(measure),
}

async function measure(folder: string): Promise<Figure[]> {
  const { program, port, bearer } = await startMillrace(folder)
  const call = caller(`http://127.0.0.1:${port}`, bearer)
  const connector = await call<Record_>('POST', '/v1/connectors', { name: 'Shop' })
  const auth = await call<Record_>('POST', '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Shop of ACME',
    auth_type: 'username_password',
    username: 'acme',
    password: 'a secret of some length',
    tags: ['acme'],
  })
  const { token } = await call<{ token: string }>('POST', '/v1/personal-access-tokens', {
    expiration: null,
    scopes: ['connector_auth:view'],
    note: '',
  })
  const script = join(import.meta.dirname, 'rivals/express-read.mjs')
  const record = JSON.stringify(await call('GET', `/v1/connector-auths/${auth.id}`))
  const express = await startProgram([script, join(folder, 'express.db'), auth.id, record], /^\d+\n/)
  const ours = {
    port,
    path: `/v1/connector-auths/${auth.id}`,
    headers: { Authorization: `Bearer ${token}` },
  }
  const bare = { port: Number(express.firstLines), path: `/auths/${auth.id}`, headers: {} }
  const rounds: { ours: number; bare: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const durationMs = round === 0 ? WARM_UP_MS : MEASURE_MS
    const options = { method: 'GET', body: '', connections: CONNECTIONS, durationMs } as const
    const [first, second] = [await load({ ...ours, ...options }), await load({ ...bare, ...options })]
    if (first.lastBody !== second.lastBody) throw new Error('the answers differ')
    if (round > 0) rounds.push({ ours: first.perSecond, bare: second.perSecond })
  }
  await express.end()
  const list = await measureList(call)
  await program.end()
  const perSecond = {
    ours: median(rounds.map((round) => round.ours)),
    bare: median(rounds.map((round) => round.bare)),
  }
  return [
    {
      what: `GET one connector auth with a token, ${CONNECTIONS} connections`,
      unit: '/s',
      ours: perSecond.ours,
      beside: { name: 'bare Express, one SQLite read', value: perSecond.bare },
      goal: 'at least half',
      isMet: perSecond.ours >= perSecond.bare / 2,
    },
    list,
  ]
}

async function measureList(call: Call): Promise<Figure> {
  for (let made = 0; made < CONNECTORS; made += 250) {
    await Promise.all(
      Array.from({ length: 250 }, (_, at) =>
        call('POST', '/v1/connectors', { name: `Connector ${made + at}` }),
      ),
    )
  }
  const times: number[] = []
  for (let turn = 0; turn < LISTS; turn++) {
    const begun = performance.now()
    const found = await call<unknown[]>('GET', '/v1/connectors?filter=name,like,%25tor%2099%25&per_page=50')
    times.push(performance.now() - begun)
    if (found.length !== 50) throw new Error(`${found.length} connectors were found`)
  }
  const ours = median(times)
  return {
    what: `A page of ${CONNECTORS} connectors filtered with like`,
    unit: 'ms',
    ours,
    goal: 'under 20 ms',
    isMet: ours < 20,
  }
}

interface Record_ {
  readonly id: string
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>

function caller(url: string, bearer: string): Call {
  return async <T>(method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${await response.text()}`)
    return (await response.json()) as T
  }
}
