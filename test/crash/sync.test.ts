import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { expect, it, onTestFinished } from 'vitest'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, createNumberedFlow, kill, readFolder, sendNumber, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(50, 2)
const NEW_A_ROUND = 37
const PAGE = 10

it('every record of an API is written once to a file and tables, despite kills', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const folder = join(home.folder, 'for-flows')
  mkdirSync(folder)
  const records: { id: number; text: string; code?: number }[] = []
  const api = await startThirdPartyApi(({ target }, response) => {
    const query = new URL(target, 'http://x.invalid').searchParams
    const since = Number(query.get('since'))
    const from = (Number(query.get('page') ?? '1') - 1) * PAGE
    const items = records.filter(({ id }) => id > since).slice(from, from + PAGE)
    setTimeout(() => response.end(JSON.stringify({ items })), 5)
  })
  const sync = (name: string, target: object, mode: object): StepInput[] => [
    { ref_id: `since_${name}`, type: 'read_cursor', config: { ...target, initial: 0 } },
    {
      ref_id: `items_${name}`,
      type: 'rest',
      config: {
        url: `${api.url}/items`,
        query: { since: `{{ since_${name}.cursor }}` },
        pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
      },
    },
    {
      ref_id: `written_${name}`,
      type: 'write_records',
      config: { ...target, ...mode, records: `{{ items_${name} }}`, cursor: 'id' },
    },
  ]

  let served = await home.serve()
  await callOrThrow(served, 'PUT', '/v1/settings', { file_folders: [folder] })
  const steps = [
    ...sync('lines', { target: 'jsonl', path: 'items.jsonl' }, { mode: 'append' }),
    ...sync('columns', { target: 'parquet', path: 'items.parquet' }, { mode: 'append' }),
    ...sync('added', { target: 'sqlite', path: 'items.db', table: 'added' }, { mode: 'append' }),
    ...sync(
      'merged',
      { target: 'sqlite', path: 'items.db', table: 'merged' },
      { mode: 'merge', key: ['id'] },
    ),
    // Some records can't be written to these.
    ...sync('keyed', { target: 'jsonl', path: 'keyed.jsonl' }, { mode: 'merge', key: ['code'] }),
    ...sync('strict', { target: 'sqlite', path: 'items.db', table: 'strict' }, { mode: 'append' }),
  ]
  const created = new Database(join(folder, 'items.db'))
  created.exec('CREATE TABLE strict (id INTEGER, text TEXT, code INTEGER NOT NULL)')
  created.exec('CREATE TABLE one (n INTEGER); CREATE TABLE other (n INTEGER)')
  created.close()
  const addTo = (table: string) => ({
    statement: `INSERT INTO ${table} VALUES (?)`,
    parameters: ['{{ web1.n }}'],
  })
  const inBoth: StepInput = {
    ref_id: 'both',
    type: 'sql',
    config: { file: 'items.db', statements: [addTo('one'), addTo('other')] },
  }
  await callOrThrow(served, 'POST', '/v1/data-tables', {
    name: 'rounds',
    columns: [{ name: 'n', type: 'number' }],
  })
  const rows = { table: 'rounds', rows: { n: '{{ web1.n }}' } }
  const noted = (ref: string): StepInput => ({
    ref_id: ref,
    type: 'data_table',
    config: { ...rows, operation: 'insert' },
  })
  // Sent first, so that some rounds are killed here.
  const flow = await createNumberedFlow(
    served,
    { async: true },
    [noted('noted'), inBoth, ...steps, noted('noted_again')],
    { concurrency: 1 },
  )
  for (let round = 0; round < KILLS; round++) {
    for (let n = 0; n < NEW_A_ROUND; n++)
      records.push({
        id: records.length + 1,
        text: `text ${records.length}`,
        ...(n % 7 === 3 ? {} : { code: records.length }),
      })
    await sendNumber(served, flow, round)
    await randomPause(0, 500)
    await kill(served)
    served = await home.serve()
    await untilIdle(served)
  }
  await sendNumber(served, flow, KILLS)
  await untilIdle(served)
  const [table] = await callOrThrow<{ id: string }[]>(served, 'GET', '/v1/data-tables')
  const exported = `/v1/data-tables/${table?.id}/export?format=jsonl`
  const rounds = await fetch(`${served.url}${exported}`, {
    headers: { Authorization: `Bearer ${served.bearer}` },
  })
  const noticed = (await rounds.text()).trimEnd().split('\n')
  const end = await stop(served)

  const { runs, isSound } = readFolder(home)
  const db = new Database(join(folder, 'items.db'))
  const rowsOf = (table: string) =>
    (db.prepare(`SELECT id, text FROM ${table} ORDER BY id`).raw().all() as [number, string][]).map(
      ([id, text]) => ({ id, text }),
    )
  const linesIn = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  const columns = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'items.parquet')) })
  const tables = { added: rowsOf('added'), merged: rowsOf('merged') }
  const numbersOf = (table: string) =>
    db.prepare(`SELECT n FROM ${table} ORDER BY rowid`).pluck().all() as number[]
  const [one, other] = [numbersOf('one'), numbersOf('other')]
  report('kill -9 inside a sync', { kills: KILLS, runs: runs.length, records: records.length })
  const strict = rowsOf('strict')
  db.close()
  const texts = records.map(({ id, text }) => ({ id, text }))
  const hasCode = (at: number) => records[at]?.code !== undefined
  expect({
    end,
    isSound,
    failed: runs.filter(({ status }) => status !== 'success'),
    rounds: noticed.map((line) => (JSON.parse(line) as { n: number }).n),
    lines: linesIn('items.jsonl'),
    columns: columns.map(({ id, text }) => ({ id: Number(id), text: String(text) })),
    ...tables,
    strict,
    keyed: linesIn('keyed.jsonl'),
    rejected: ['items.db.strict', 'keyed.jsonl'].map((name) =>
      linesIn(`${name}.rejected.jsonl`).map((line) => (line as { record: unknown }).record),
    ),
    parts: readdirSync(folder).filter((name) => name.endsWith('.part')),
    // A transaction that was killed is repeated, completely and at least once.
    one: [...new Set(one)],
    other,
  }).toEqual({
    end: 0,
    isSound: true,
    failed: [],
    rounds: Array.from({ length: KILLS + 1 }, (_, n) => [n, n]).flat(),
    lines: records,
    columns: texts,
    added: texts,
    merged: texts,
    strict: texts.filter((_, at) => hasCode(at)),
    keyed: records.filter((_, at) => hasCode(at)),
    rejected: [1, 2].map(() => records.filter((_, at) => !hasCode(at))),
    parts: [],
    one: Array.from({ length: KILLS + 1 }, (_, n) => n),
    other: one,
  })
})
