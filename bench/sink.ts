/**
 * Flows that read many records and write them to each kind of target, compared with one that only reads them. PAGES=1000
 * reads a million.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL_CONNECTOR_ID } from '../src/shared/contract/connectors.ts'
import type { FlowRun } from '../src/shared/contract/flow-runs.ts'
import { startPostgres } from '../test/helpers/postgres.ts'
import { callMillrace } from './lib/call-millrace.ts'
import { type Benchmark, type Figure } from './lib/figure.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { startPagedApi } from './lib/paged-api.ts'
import { withMillrace } from './lib/with-folder.ts'

const PAGES = Number(process.env.PAGES ?? 150)
const RECORDS = 1_000
const MOST_MB = 60
/** A target that takes longer has missed its goal by far. */
const MOST_SECONDS = Math.max(60, (PAGES * RECORDS) / 1_000)

/** The records per second that each target has to reach; null if the flow only reads. */
const GOALS = {
  'only reading': null,
  'JSON lines': 30_000,
  SQLite: 30_000,
  CSV: 20_000,
  Parquet: 20_000,
  PostgreSQL: 20_000,
} as const
type Sink = keyof typeof GOALS

export const benchmark: Benchmark = {
  title: `Flows that write ${PAGES * RECORDS} records`,
  async run() {
    const api = await startPagedApi(PAGES, RECORDS)
    const server = await startPostgres({ tls: null })
    const auth = { api_endpoint: server.url, username: server.user, password: server.password }
    const targets: Readonly<Record<Exclude<Sink, 'only reading' | 'PostgreSQL'>, object>> = {
      'JSON lines': { path: 'items.jsonl' },
      SQLite: { target: 'sqlite', path: 'items.db', table: 'items' },
      CSV: { target: 'csv', path: 'items.csv' },
      Parquet: { target: 'parquet', path: 'items.parquet' },
    }
    const measured: [Sink, Measured][] = []
    try {
      for (const sink of Object.keys(GOALS) as Sink[]) {
        const target = async (millrace: StartedMillrace) => {
          if (sink === 'only reading') return null
          if (sink !== 'PostgreSQL') return targets[sink]
          return { target: 'postgres', table: 'items', auth_id: await addAuth(millrace, auth) }
        }
        measured.push([
          sink,
          await withMillrace((millrace, folder) => measure(millrace, folder, api.url, target)),
        ])
      }
      return measured.flatMap(([sink, one]) => figures(sink, one))
    } finally {
      await server.stop()
      await api.close()
    }
  },
}

interface Measured {
  readonly rate: number
  /** Memory of the program and the processes that it starts, beyond what it uses when idle. */
  readonly mbOverIdle: number
}

/** Measured in a separate process, so that memory left over from one target doesn't affect another. */
async function measure(
  millrace: StartedMillrace,
  folder: string,
  url: string,
  target: (millrace: StartedMillrace) => Promise<object | null>,
): Promise<Measured> {
  const files = join(folder, 'files')
  mkdirSync(files)
  await callMillrace(millrace, 'PUT', '/v1/settings', { file_folders: [files] })
  const written = await target(millrace)
  const steps = [
    {
      ref_id: 'items',
      type: 'rest',
      config: {
        url: `${url}/items`,
        pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
      },
    },
    ...(written === null
      ? []
      : [{ ref_id: 'written', type: 'write_records', config: { records: '{{ items }}', ...written } }]),
  ]
  const flow = (await callMillrace(millrace, 'POST', '/v1/flows', { name: 'Sink', steps })) as {
    readonly id: string
  }
  const pid = millrace.program.process.pid ?? 0
  const idleMb = residentMb(pid)
  const begun = performance.now()
  const { flow_run_id: id } = (await callMillrace(millrace, 'POST', `/v1/flows/${flow.id}/run`)) as {
    readonly flow_run_id: string
  }
  let mostMb = idleMb
  for (;;) {
    const run = (await callMillrace(millrace, 'GET', `/v1/flow-runs/${id}`)) as FlowRun
    mostMb = Math.max(mostMb, residentMb(pid))
    if (run.finished_at !== null) {
      const seconds = (performance.now() - begun) / 1_000
      if (run.status !== 'success') throw new Error(run.error?.message)
      return { rate: (PAGES * RECORDS) / seconds, mbOverIdle: mostMb - idleMb }
    }
    if (performance.now() - begun > MOST_SECONDS * 1_000) return { rate: 0, mbOverIdle: mostMb - idleMb }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The resident memory of a process and all its descendants. */
function residentMb(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return below.reduce((sum, child) => sum + residentMb(Number(child)), Number(kilobytes ?? 0) / 1_000)
  } catch {
    // The process has ended in the meantime.
    return 0
  }
}

async function addAuth(millrace: StartedMillrace, fields: object): Promise<string> {
  const auth = (await callMillrace(millrace, 'POST', '/v1/connector-auths', {
    connector_id: SQL_CONNECTOR_ID,
    name: 'Server',
    auth_type: 'username_password',
    ...fields,
  })) as { readonly id: string }
  return auth.id
}

function figures(sink: Sink, { rate, mbOverIdle }: Measured): Figure[] {
  const least = GOALS[sink] ?? 0
  return [
    {
      what: sink === 'only reading' ? sink : `written to ${sink}`,
      unit: 'records/s',
      ours: rate,
      goal: least === 0 ? '–' : `at least ${least.toLocaleString('en')}`,
      isMet: rate >= least,
    },
    {
      what: '  memory over idle, with all processes',
      unit: 'MB',
      ours: mbOverIdle,
      goal: `at most ${MOST_MB} MB`,
      isMet: mbOverIdle <= MOST_MB,
    },
  ]
}
