/** A flow that reads a million records and writes them to a file of JSON lines, compared with one that only reads them. */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowRun } from '../src/shared/contract/flow-runs.ts'
import { type Benchmark, type Figure } from './lib/figure.ts'
import { startMillrace, type StartedMillrace } from './lib/millrace.ts'
import { startPagedApi } from './lib/paged-api.ts'
import { withFolder } from './lib/with-folder.ts'

const PAGES = 1_000
const RECORDS = 1_000
const MOST_TIMES = 1.5
const MOST_MB = 60

export const benchmark: Benchmark = {
  title: `A flow that writes ${PAGES * RECORDS} records to a file of JSON lines`,
  async run() {
    const api = await startPagedApi(PAGES, RECORDS)
    try {
      const reading = await withFolder((folder) => measure(folder, api.url, false))
      const writing = await withFolder((folder) => measure(folder, api.url, true))
      return figures(reading, writing)
    } finally {
      await api.close()
    }
  },
}

interface Measured {
  readonly seconds: number
  readonly highestMb: number
  readonly fileMb: number
}

/** In a process of its own, so that neither runs in the memory of the other. */
async function measure(folder: string, url: string, writes: boolean): Promise<Measured> {
  const millrace = await startMillrace(folder)
  const files = join(folder, 'files')
  mkdirSync(files)
  await call(millrace, 'PUT', '/v1/settings', { file_folders: [files] })
  const steps = [
    {
      ref_id: 'items',
      type: 'rest',
      config: {
        url: `${url}/items`,
        pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
      },
    },
    ...(writes
      ? [
          {
            ref_id: 'written',
            type: 'write_records',
            config: { records: '{{ items }}', path: 'items.jsonl' },
          },
        ]
      : []),
  ]
  const { id } = await call<{ id: string }>(millrace, 'POST', '/v1/flows', { name: 'Sink', steps })
  const begun = performance.now()
  const { flow_run_id: runId } = await call<{ flow_run_id: string }>(millrace, 'POST', `/v1/flows/${id}/run`)
  const run = await untilEnded(millrace, runId)
  const seconds = (performance.now() - begun) / 1_000
  const highestMb = millrace.program.peakMb()
  await millrace.program.end()
  if (run.status !== 'success') throw new Error(run.error?.message)
  return { seconds, highestMb, fileMb: writes ? statSync(join(files, 'items.jsonl')).size / 1_000_000 : 0 }
}

function figures(reading: Measured, writing: Measured): Figure[] {
  return [
    {
      what: `time to read and write ${Math.round(writing.fileMb)} MB`,
      unit: 's',
      ours: writing.seconds,
      beside: { name: 'only reading', value: reading.seconds },
      goal: `at most ${MOST_TIMES} times`,
      isMet: writing.seconds <= MOST_TIMES * reading.seconds,
    },
    {
      what: 'highest resident memory',
      unit: 'MB',
      ours: writing.highestMb,
      beside: { name: 'only reading', value: reading.highestMb },
      goal: `at most ${MOST_MB} MB more`,
      isMet: writing.highestMb <= reading.highestMb + MOST_MB,
    },
  ]
}

async function untilEnded(millrace: StartedMillrace, id: string): Promise<FlowRun> {
  for (;;) {
    const run = await call<FlowRun>(millrace, 'GET', `/v1/flow-runs/${id}`)
    if (run.finished_at !== null) return run
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function call<T>(
  { port, bearer }: StartedMillrace,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as T
}
