/** Nothing that flows write is lost or changed on the way; what was written is read by programs that aren't Millrace. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse as parseCsvText } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { duckDb } from '../../helpers/duckdb.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function withFolder() {
  const folder = temporaryFolder()
  const allowed = join(folder, 'allowed')
  mkdirSync(allowed)
  return { allowed, app: await startFlowApp({ settings: { file_folders: [allowed] } }) }
}

async function write(app: FlowApp, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type: 'write_records', config }])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const run = app.runs().find(({ flow_id: id }) => id === flow.id)!
  return run.error ?? { output: app.stepsOf(run)[0]?.output, warnings: run.warnings.map(({ code }) => code) }
}

/** As JSON in a template, so that every number keeps its spelling. */
const asList = (json: string) => `{{ ${JSON.stringify(json)} | parse_json }}`

function rowsOf(path: string, statement: string): unknown[] {
  const db = new Database(path)
  try {
    return db.prepare(statement).safeIntegers(true).raw().all()
  } finally {
    db.close()
  }
}

const wrote = (records: number) => expect.objectContaining({ records }) as unknown

describe('writes that run at the same time', () => {
  it('of tables in one SQLite file keep all their records, each in its own table', async () => {
    const { allowed, app } = await withFolder()
    const tables = Array.from({ length: 8 }, (_, at) => `t${at}`)
    const outputs = await Promise.all(
      tables.map((table, at) =>
        write(app, {
          target: 'sqlite',
          path: 'shared.db',
          table,
          records: Array.from({ length: 500 + at }, (_, id) => ({ id, from: table })),
        }),
      ),
    )
    const found = tables.map((table) =>
      rowsOf(
        join(allowed, 'shared.db'),
        `SELECT count(*), min("from"), max("from"), count(DISTINCT id) FROM ${table}`,
      ),
    )
    expect({ outputs, found, files: readdirSync(allowed) }).toEqual({
      outputs: tables.map((_, at) => ({ output: wrote(500 + at), warnings: [] })),
      found: tables.map((table, at) => [[BigInt(500 + at), table, table, BigInt(500 + at)]]),
      files: ['shared.db'],
    })
  })

  it('to files in one folder keep all their records', async () => {
    const { allowed, app } = await withFolder()
    const targets = ['a.jsonl', 'b.jsonl', 'a.csv', 'b.csv', 'a.parquet', 'b.parquet']
    await Promise.all(
      targets.map((path, at) =>
        write(app, {
          target: path.split('.')[1],
          path,
          records: Array.from({ length: 300 + at }, (_, id) => ({ id, path })),
        }),
      ),
    )
    const read = { jsonl: 'read_json', csv: 'read_csv', parquet: 'read_parquet' }
    const found = await Promise.all(
      targets.map((path) =>
        duckDb(
          `SELECT count(*), min(path), max(path) FROM ${read[path.split('.')[1] as 'csv']}('${join(allowed, path)}')`,
        ),
      ),
    )
    expect(found).toEqual(targets.map((path, at) => [[String(300 + at), path, path]]))
    expect(readdirSync(allowed).filter((name) => /part|new/.test(name))).toEqual([])
  })

  it('to one file or table either write all of theirs or say that another run does', async () => {
    const { allowed, app } = await withFolder()
    const targets = [
      { target: 'jsonl', path: 'a.jsonl' },
      { target: 'csv', path: 'a.csv' },
      { target: 'sqlite', path: 'a.db', table: 't' },
    ]
    for (const target of targets) {
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, by) =>
          write(app, { ...target, records: Array.from({ length: 100 }, (_, id) => ({ id, by })) }),
        ),
      )
      const done = results.filter((result) => 'output' in result).length
      const refused = results.filter((result) => 'code' in result && result.code === 'conflict').length
      const path = join(allowed, target.path)
      const lines =
        target.target === 'sqlite'
          ? Number((rowsOf(path, 'SELECT count(*) FROM t') as [[bigint]])[0][0])
          : readFileSync(path, 'utf8').trimEnd().split('\n').length - (target.target === 'csv' ? 1 : 0)
      expect({ target, answered: done + refused, lines }).toEqual({ target, answered: 4, lines: done * 100 })
    }
  })

  it('clear what a killed process left, and nothing else', async () => {
    const { allowed, app } = await withFolder()
    // No process has the first ID; the other is that of another one, the parent of this one.
    const left = [
      'a.jsonl.4194303999-1.part',
      `a.jsonl.${process.ppid}-1.part`,
      'a.jsonl.part',
      'a.jsonl.x-1.part',
    ]
    for (const name of left) writeFileSync(join(allowed, name), 'left')
    await write(app, { path: 'a.jsonl', records: [{ id: 1 }] })
    expect(readdirSync(allowed).toSorted()).toEqual(
      ['a.jsonl', 'a.jsonl.state.json', ...left.slice(1)].toSorted(),
    )
  })
})

describe('what stood in a target before', () => {
  it('of a SQLite table keeps its rules: a column with one is not made wider', async () => {
    const { allowed, app } = await withFolder()
    const db = new Database(join(allowed, 'a.db'))
    const made = `CREATE TABLE made (id INTEGER, a INTEGER NOT NULL DEFAULT 1, b INTEGER DEFAULT 2, c INTEGER CHECK (c < 5), "check" INTEGER)`
    db.exec(made)
    db.exec('CREATE TABLE plain (id INTEGER, "check" INTEGER)')
    db.close()
    const send = (table: string, records: unknown) =>
      write(app, { target: 'sqlite', path: 'a.db', table, records })
    const results = [
      await send('made', [
        { id: 1, a: 1 },
        { id: 2, a: 'x' },
        { id: 3, a: 1, b: 'x' },
        { id: 4, a: 1, c: 'x' },
      ]),
      await send('plain', [{ id: 1, check: 'x' }]),
    ]
    expect({
      results,
      made: rowsOf(join(allowed, 'a.db'), "SELECT sql FROM sqlite_schema WHERE name = 'made'"),
      rows: rowsOf(join(allowed, 'a.db'), 'SELECT id, a, b, c FROM made'),
    }).toMatchObject({
      results: [
        { output: { records: 1, rejected: 3 } },
        { output: { records: 1, rejected: 0 }, warnings: ['columns_changed'] },
      ],
      made: [[made]],
      rows: [[1n, 1n, null, null]],
    })
  })

  it.each([
    ['two columns of one name', 'a.csv', 'id,a,a\n1,2,3\n', {}],
    ['values without a column, with a merge', 'a.csv', 'id,a\n1,2\n3,4,5\n', { mode: 'merge', key: ['id'] }],
    ['values without a column, with a new one', 'a.csv', 'id,b\n1,2,3\n', {}],
    ['a quote that nothing closes', 'a.csv', 'id,a\n1,"x\n', {}],
    ['a JSON list', 'a.jsonl', '[\n{"id":1}\n]\n', {}],
    ['JSON lines in UTF-16', 'a.jsonl', Buffer.from('{"id":1}\n', 'utf16le'), {}],
    [
      'JSON lines in Latin-1',
      'a.jsonl',
      Buffer.from('{"a":"ä"}\n', 'latin1'),
      { mode: 'merge', key: ['id'] },
    ],
  ])('is left alone if adding records would spoil it: %s', async (_, path, before, more) => {
    const { allowed, app } = await withFolder()
    writeFileSync(join(allowed, path), before)
    const result = await write(app, {
      target: path.split('.')[1],
      path,
      records: [{ id: 2, a: 9 }],
      ...more,
    })
    expect({ result, after: readFileSync(join(allowed, path)) }).toEqual({
      result: expect.objectContaining({ code: 'validation' }) as unknown,
      after: Buffer.from(before),
    })
  })

  it('is added to if its rows end with empty values, or text has single quotation marks', async () => {
    const { allowed, app } = await withFolder()
    writeFileSync(join(allowed, 'a.csv'), 'id,a,,\n1,5" wide,,\n2,x,,,,\n')
    await write(app, { target: 'csv', path: 'a.csv', records: [{ id: 3, a: 1 }] })
    await write(app, { target: 'csv', path: 'a.csv', records: [{ id: 4, b: 1 }] })
    expect(readFileSync(join(allowed, 'a.csv'), 'utf8')).toBe(
      'id,a,,,b\n1,"5"" wide",,,\n2,x,,,\n3,1,,,\n4,,,,1\n',
    )
  })

  it('is no record if the new ones have no fields', async () => {
    const { app } = await withFolder()
    expect(await write(app, { target: 'sqlite', path: 'a.db', table: 't', records: [{}] })).toMatchObject({
      code: 'validation',
    })
  })
})

describe('records of a SQLite table with deferred foreign keys', () => {
  it('are set aside by themselves, with those that refer to them', async () => {
    const { allowed, app } = await withFolder()
    const db = new Database(join(allowed, 'a.db'))
    db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, parent INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE child (t INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED);`)
    db.close()
    const send = (records: unknown, more: object) =>
      write(app, { target: 'sqlite', path: 'a.db', table: 't', records, ...more })
    const results = [
      await send(
        [
          { id: 1, n: 1, parent: 2 },
          { id: 2, n: 1, parent: 1 },
          { id: 3, n: 1, parent: 4 },
          { id: 4, n: 1, parent: 9 },
          { id: 5, parent: 1 },
        ],
        { mode: 'append' },
      ),
      await send(
        [
          { id: 1, n: 2, parent: 8 },
          { id: 2, n: 2, parent: 2 },
          { id: 6, n: 2, parent: 7 },
          { id: 7, n: 2, parent: null },
        ],
        { mode: 'merge', key: ['id'] },
      ),
    ]
    expect({ results, rows: rowsOf(join(allowed, 'a.db'), 'SELECT * FROM t ORDER BY id') }).toMatchObject({
      results: [{ output: { records: 2, rejected: 3 } }, { output: { records: 3, rejected: 1 } }],
      rows: [
        [1n, 1n, 2n],
        [2n, 2n, 2n],
        [6n, 2n, 7n],
        [7n, 2n, null],
      ],
    })
    const reasons = readFileSync(join(allowed, 'a.db.t.rejected.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { reason: string }).reason)
    const orphan = 'SQLite refused: it refers to a row in "t" that doesn\'t exist'
    expect(reasons).toEqual([orphan, orphan, expect.stringContaining('NOT NULL'), orphan])
  })
})

describe('records in files', () => {
  const SEPARATORS = 'line\u2028and\u2029paragraph'

  it('can contain line separators of Unicode', async () => {
    const { allowed, app } = await withFolder()
    for (const target of ['jsonl', 'csv', 'parquet']) {
      const path = `a.${target}`
      for (const id of [1, 2, 1])
        await write(app, {
          target,
          path,
          mode: 'merge',
          key: ['id'],
          records: [{ id, text: `${SEPARATORS} ${id}` }],
        })
      const read = { jsonl: 'read_json', csv: 'read_csv', parquet: 'read_parquet' }[target]
      expect(await duckDb(`SELECT id, text FROM ${read}('${join(allowed, path)}') ORDER BY id`)).toEqual([
        ['1', `${SEPARATORS} 1`],
        ['2', `${SEPARATORS} 2`],
      ])
    }
  })

  it('are added to a file whose last line has no end', async () => {
    const { allowed, app } = await withFolder()
    writeFileSync(join(allowed, 'a.jsonl'), '{"id":1}')
    writeFileSync(join(allowed, 'a.csv'), 'id,t\n1,old')
    await write(app, { target: 'jsonl', path: 'a.jsonl', records: [{ id: 2 }] })
    await write(app, { target: 'csv', path: 'a.csv', records: [{ id: 2, t: 'new' }] })
    expect(['a.jsonl', 'a.csv'].map((name) => readFileSync(join(allowed, name), 'utf8'))).toEqual([
      '{"id":1}\n{"id":2}\n',
      'id,t\n1,old\n2,new\n',
    ])
  })

  it('are the same by key if `1`, `1.0` and `"1"` are', async () => {
    const { allowed, app } = await withFolder()
    for (const target of ['jsonl', 'parquet']) {
      const path = `a.${target}`
      for (const id of ['1', '1.0', '"1"'])
        await write(app, {
          target,
          path,
          mode: 'merge',
          key: ['id'],
          records: asList(`[{"id":${id},"text":"x"}]`),
        })
      const read = target === 'jsonl' ? 'read_json' : 'read_parquet'
      expect(await duckDb(`SELECT count(*) FROM ${read}('${join(allowed, path)}')`)).toEqual([['1']])
    }
  })
})

describe('CSV files', () => {
  const rowsIn = (path: string, delimiter = ',') => parseCsvText(readFileSync(path), { delimiter, bom: true })

  it('can be added to whatever their size', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'big.csv')
    const names = Array.from({ length: 12 }, (_, at) => `c${at}`)
    const lines = Array.from({ length: 45_000 }, (_, id) => names.map((name) => `${name} "${id}"`))
    const quoted = (cells: readonly string[]) =>
      cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
    writeFileSync(path, [names.join(','), ...lines.map(quoted), ''].join('\n'))
    const record = Object.fromEntries(names.map((name) => [name, `${name} "7"`]))
    const merged = { ...record, c1: 'two\nlines' }
    await write(app, { target: 'csv', path: 'big.csv', records: [record] })
    const added = rowsIn(path)
    await write(app, { target: 'csv', path: 'big.csv', mode: 'merge', key: ['c0'], records: [merged] })
    const rows = rowsIn(path)
    expect([added.length, added.at(-1), rows.length, rows[8], rows.at(-1)]).toEqual([
      45_002,
      Object.values(record),
      45_001,
      lines[8],
      Object.values(merged),
    ])
  })

  it('have an apostrophe in front of formulas if they should', async () => {
    const { allowed, app } = await withFolder()
    const texts = ['=1+1', '+a', '-5', '@x', '\tb', '\r=c', '\n=d', 'a=1', "'=e"]
    const records = texts.map((text) => ({ id: text, n: -5 }))
    const send = (path: string, more: object = {}) => write(app, { target: 'csv', path, records, ...more })
    await send('kept.csv')
    for (let twice = 0; twice < 2; twice++)
      await send('quoted.csv', { formulas: 'quote', mode: 'merge', key: ['id'] })
    await send('quoted.csv', { formulas: 'quote' })
    const cells = (path: string) => rowsIn(join(allowed, path)).slice(1)
    const quoted = texts.map((text, at) => [at < 7 ? `'${text}` : text, '-5'])
    expect({ kept: cells('kept.csv'), quoted: cells('quoted.csv') }).toEqual({
      kept: texts.map((text) => [text, '-5']),
      quoted: [...quoted, ...quoted],
    })
  })

  it('keep their delimiter and byte-order mark, and are left alone in another encoding', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.csv')
    const send = (more: object) =>
      write(app, { target: 'csv', path: 'a.csv', key: ['id'], records: [{ id: 2, name: 'b;"c"' }], ...more })
    writeFileSync(path, '\ufeffid;name\r\n1;"a;ä"\r\n')
    await send({ mode: 'append' })
    const added = readFileSync(path, 'utf8')
    await send({ mode: 'merge' })
    const latin = Buffer.from('id,name\r\n1,M\xfcller\r\n', 'latin1')
    expect([added, readFileSync(path, 'utf8'), rowsIn(path, ';')]).toEqual([
      '\ufeffid;name\r\n1;"a;ä"\r\n2;"b;""c"""\r\n',
      '\ufeffid;name\r\n1;"a;ä"\r\n2;"b;""c"""\r\n',
      [
        ['id', 'name'],
        ['1', 'a;ä'],
        ['2', 'b;"c"'],
      ],
    ])
    for (const mode of ['append', 'merge']) {
      writeFileSync(path, latin)
      expect(await send({ mode })).toMatchObject({
        code: 'validation',
        message: expect.stringContaining("isn't in UTF-8") as string,
      })
      expect(readFileSync(path).equals(latin)).toBe(true)
    }
  })
})

describe('cursors', () => {
  it('are compared by value, and are not held up by a stray one', async () => {
    const { app } = await withFolder()
    const cursors: unknown[] = []
    const cases: readonly [string, string][] = [
      ['exact', '[9007199254740992,9007199254740993,9007199254740991]'],
      ['digits', '["1751000000.1234567891","1751000000.1234567892"]'],
      ['offsets', '["2026-01-01T10:00:00+02:00","2026-01-01T09:00:00Z","2026-01-01T10:30:00+02:00"]'],
      ['mails', '["Thu, 01 Jan 2026 10:00:00 GMT","Wed, 31 Dec 2025 23:00:00 GMT"]'],
      ['parts', '["2026-01-01T00:00:00.1234569Z","2026-01-01T00:00:00.12345691Z"]'],
      ['stray', '["2026-01-01","zzz","2026-01-02"]'],
      ['stray', '["zzz"]'],
      ['stray', '["2026-01-03"]'],
      ['ids', '["a9","9","b1"]'],
    ]
    for (const [name, json] of cases) {
      const values = JSON.parse(json.replaceAll(/(\d{16,})/g, '"#$1"')) as string[]
      const list = values.map(
        (value) => `{"at":${value.startsWith('#') ? value.slice(1) : JSON.stringify(value)}}`,
      )
      const result = await write(app, {
        path: `${name}.jsonl`,
        cursor: 'at',
        records: asList(`[${list.join(',')}]`),
      })
      cursors.push(result)
    }
    const at = (records: number, cursor: unknown, warnings: string[] = []) => ({
      output: expect.objectContaining({ records, cursor }) as unknown,
      warnings,
    })
    expect(cursors).toMatchObject([
      { warnings: [] },
      at(2, '1751000000.1234567892'),
      at(3, '2026-01-01T09:00:00Z'),
      at(2, 'Thu, 01 Jan 2026 10:00:00 GMT'),
      at(2, '2026-01-01T00:00:00.12345691Z'),
      at(3, '2026-01-02', ['cursor_ignored']),
      at(1, '2026-01-02', ['cursor_ignored']),
      at(1, '2026-01-03'),
      at(3, 'b1'),
    ])
    expect(
      JSON.stringify(cursors[0], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).toContain('9007199254740993')
  })
})

describe('JSON in Parquet', () => {
  it('is marked as JSON, and keeps all digits when records are added', async () => {
    const { allowed, app } = await withFolder()
    for (const id of [1, 2])
      await write(app, {
        target: 'parquet',
        path: 'a.parquet',
        records: asList(`[{"id":${id},"doc":{"n":9007199254740993,"f":1.0}}]`),
      })
    const source = `read_parquet('${join(allowed, 'a.parquet')}')`
    expect(await duckDb(`SELECT id, doc::VARCHAR, typeof(doc) FROM ${source} ORDER BY id`)).toEqual(
      ['1', '2'].map((id) => [id, '{"n":9007199254740993,"f":1.0}', 'JSON']),
    )
  })

  it('can be added to files of DuckDB, whose integers have other types', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.parquet')
    await duckDb(
      `COPY (SELECT 1::INTEGER AS i, 2::BIGINT AS l, 3::SMALLINT AS s, 4::TINYINT AS t, 1.5::DOUBLE AS d, 'x' AS v) TO '${path}' (FORMAT parquet)`,
    )
    const added = await write(app, {
      target: 'parquet',
      path: 'a.parquet',
      records: [{ i: 5, l: 6, s: 7, t: 8, d: 2.5, v: 'y' }],
    })
    expect({ added, rows: await duckDb(`SELECT * FROM read_parquet('${path}') ORDER BY i`) }).toEqual({
      added: { output: wrote(1), warnings: [] },
      rows: [
        ['1', '2', '3', '4', 1.5, 'x'],
        ['5', '6', '7', '8', 2.5, 'y'],
      ],
    })
  })
})

describe('numbers', () => {
  it('with a whole decimal are numbers in Parquet', async () => {
    const { allowed, app } = await withFolder()
    await write(app, {
      target: 'parquet',
      path: 'a.parquet',
      records: asList('[{"p":100.00},{"p":99.5},{"p":-1.0},{"p":null},{"p":1e2}]'),
    })
    expect(await duckDb(`SELECT p FROM read_parquet('${join(allowed, 'a.parquet')}')`)).toEqual([
      [100],
      [99.5],
      [-1],
      [null],
      [100],
    ])
  })

  it('of 64 bits keep all digits when a decimal number comes, in one write and in two', async () => {
    const { allowed, app } = await withFolder()
    const big = ['9007199254740993', '9007199254740992', '-9007199254740993']
    const json = (values: readonly string[]) =>
      asList(`[${values.map((value) => `{"n":${value}}`).join(',')}]`)
    const writes = [[big, ['1.5']], [['1.5'], big], [[...big, '1.5']], [['1.5', ...big]]]
    for (const [at, parts] of writes.entries()) {
      for (const part of parts) {
        await write(app, { target: 'parquet', path: `${at}.parquet`, records: json(part) })
        await write(app, { target: 'sqlite', path: 'a.db', table: `t${at}`, records: json(part) })
      }
      const parquet = await duckDb(
        `SELECT n::VARCHAR FROM read_parquet('${join(allowed, `${at}.parquet`)}') ORDER BY 1`,
      )
      const sqlite = rowsOf(join(allowed, 'a.db'), `SELECT CAST(n AS TEXT) FROM t${at} ORDER BY 1`)
      const all = [...big, '1.5'].toSorted().map((value) => [value])
      expect({ at, parquet, sqlite }).toEqual({ at, parquet: all, sqlite: all })
    }
  })
})

describe('records in SQLite tables', () => {
  it('replace the whole record with their key, and leave columns that no record had', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.db')
    const db = new Database(path)
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO t VALUES (7, 'mine')")
    db.close()
    for (const record of [
      { id: 7, status: 'open', discount: '20%' },
      { id: 7, status: 'paid' },
    ])
      await write(app, {
        target: 'sqlite',
        path: 'a.db',
        table: 't',
        mode: 'merge',
        key: ['id'],
        records: [record],
      })
    expect(rowsOf(path, 'SELECT id, note, status, discount FROM t')).toEqual([[7n, 'mine', 'paid', null]])
  })

  // Windows has no such rights.
  it('have a column for each field, also if names differ by case only', async () => {
    const { allowed, app } = await withFolder()
    const send = (record: object) =>
      write(app, {
        target: 'sqlite',
        path: 'a.db',
        table: 't',
        mode: 'merge',
        key: ['Id'],
        records: [record],
      })
    const first = await send({ Id: 1, id: 'a', '': 'none' })
    const later = await send({ id: 'b', Id: 1, ID: 'c' })
    const [row] = rowsOf(join(allowed, 'a.db'), 'SELECT * FROM t') as unknown[][]
    const columns = rowsOf(join(allowed, 'a.db'), "SELECT name FROM pragma_table_info('t')").flat()
    expect({ first, later, row, columns }).toEqual({
      first: { output: wrote(1), warnings: ['columns_changed', 'columns_changed'] },
      later: { output: wrote(1), warnings: ['columns_changed', 'columns_changed'] },
      row: [1n, 'b', null, 'c'],
      columns: ['Id', 'id_87ea5dfc', '_da39a3ee', expect.stringMatching(/^ID_[0-9a-f]{8}$/)],
    })
  })

  it.skipIf(process.platform === 'win32')('are in a file for its owner alone', async () => {
    const { allowed, app } = await withFolder()
    await write(app, { target: 'sqlite', path: 'a.db', table: 't', records: [{ id: 1 }] })
    expect(statSync(join(allowed, 'a.db')).mode & 0o777).toBe(0o600)
  })
})

describe('records in PostgreSQL tables', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function start() {
    const app = await startFlowApp()
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
    })
    const auth_id = (json as { id: string }).id
    return (table: string, records: unknown, more: object = {}) =>
      write(app, { target: 'postgres', auth_id, table, records, ...more })
  }

  it('written by many runs at once into a new database are all there', async () => {
    const send = await start()
    const results = await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => send(`own${at}`, [{ at }])),
      ...Array.from({ length: 8 }, (_, at) => send('shared', [{ at }])),
    ])
    expect(results).toEqual(results.map(() => ({ output: wrote(1), warnings: [] })))
    expect(await server.query('SELECT count(*)::int FROM shared')).toEqual([{ count: 8 }])
  })

  it('keep the text of backslashes, and say what was replaced', async () => {
    const send = await start()
    const texts = ['see \\u0000 here', 'C:\\u0000new', 'a\0b', 'half \ud83d pair', '😀']
    const result = await send(
      'texts',
      texts.map((t, id) => ({ id, t })),
    )
    expect({ result, rows: await server.query('SELECT t FROM texts ORDER BY id') }).toEqual({
      result: { output: wrote(5), warnings: ['text_replaced'] },
      rows: ['see \\u0000 here', 'C:\\u0000new', 'a\ufffdb', 'half \ufffd pair', '😀'].map((t) => ({ t })),
    })
  })

  it('replace the whole record with their key, in the schema that is named', async () => {
    const send = await start()
    await server.query('CREATE SCHEMA analytics')
    const merge = { mode: 'merge', key: ['id'] }
    await send('analytics.items', [{ id: 7, status: 'open', discount: '20%' }], merge)
    await send('analytics.items', [{ id: 7, status: 'paid' }], merge)
    expect(await server.query('SELECT id::int, status, discount FROM analytics.items')).toEqual([
      { id: 7, status: 'paid', discount: null },
    ])
  })

  it('have a column for each field, also if PostgreSQL has no such name', async () => {
    const send = await start()
    const long = 'ä'.repeat(40)
    const result = await send(
      'odd',
      [{ id: 1, ctid: 'x', '': 'y', [long]: 'z', [`${long}2`]: 'zz', Id: 2 }],
      {
        mode: 'merge',
        key: ['id', 'ctid'],
      },
    )
    const [row = {}] = await server.query('SELECT * FROM odd')
    expect({ result, values: Object.values(row), names: Object.keys(row) }).toEqual({
      result: { output: wrote(1), warnings: Array.from({ length: 4 }, () => 'columns_changed') },
      values: ['1', 'x', 'y', 'z', 'zz', '2'],
      names: [
        'id',
        expect.stringMatching(/^ctid_[0-9a-f]{8}$/),
        '_da39a3ee',
        expect.stringMatching(/^ä{27}_[0-9a-f]{8}$/),
        expect.stringMatching(/^ä{27}_[0-9a-f]{8}$/),
        'Id',
      ],
    })
  })

  it('are set aside by themselves if a constraint of the table is deferred, and replace what it refers to', async () => {
    const send = await start()
    await server.query(`CREATE TABLE later (id bigint PRIMARY KEY,
      code text UNIQUE DEFERRABLE INITIALLY DEFERRED,
      parent bigint REFERENCES later DEFERRABLE INITIALLY DEFERRED)`)
    const results = [
      await send('later', [
        { id: 1, code: 'a', parent: null },
        { id: 2, code: 'b', parent: 9 },
        { id: 3, code: 'c', parent: 1 },
        { id: 4, code: 'c', parent: 1 },
      ]),
      await send(
        'later',
        [
          { code: 'd', id: 5, parent: 8 },
          { code: 'c', id: 3, parent: 3 },
        ],
        { mode: 'merge', key: ['id'] },
      ),
      await send(
        'later',
        [
          { id: 1, code: 'a', parent: 2 },
          { id: 2, code: 'b', parent: 1 },
        ],
        { mode: 'replace' },
      ),
    ]
    expect(results).toMatchObject([
      { output: { records: 2, rejected: 2 } },
      { output: { records: 1, rejected: 1 } },
      { output: { records: 2, rejected: 0 } },
    ])
    expect(await server.query('SELECT id::int, parent::int FROM later ORDER BY id')).toEqual([
      { id: 1, parent: 2 },
      { id: 2, parent: 1 },
    ])
  })

  it('are set aside by themselves also if they replace all others, whose table another one refers to', async () => {
    const send = await start()
    await server.query(`CREATE TABLE country (code text PRIMARY KEY)`)
    await server.query(`CREATE TABLE city (id bigint PRIMARY KEY, name text UNIQUE DEFERRABLE INITIALLY DEFERRED,
      country text REFERENCES country DEFERRABLE INITIALLY DEFERRED)`)
    await server.query(`CREATE TABLE street (city bigint REFERENCES city DEFERRABLE INITIALLY DEFERRED)`)
    await server.query(`INSERT INTO country VALUES ('CH')`)
    await server.query(`INSERT INTO city VALUES (1, 'Bern', 'CH')`)
    await server.query(`INSERT INTO street VALUES (1)`)
    const cities = [
      { id: 1, name: 'Basel', country: 'CH' },
      { id: 2, name: 'Basel', country: 'CH' },
      { id: 3, name: 'Rome', country: 'IT' },
    ]
    const result = await send('city', cities, { mode: 'replace' })
    const without = await send('city', [{ id: 4, name: 'Chur', country: 'CH' }], { mode: 'replace' })
    expect({ result, without, rows: await server.query('SELECT id::int, name FROM city') }).toMatchObject({
      result: { output: { records: 1, rejected: 2 } },
      without: { code: 'validation', message: expect.stringContaining('street_city_fkey') as string },
      rows: [{ id: 1, name: 'Basel' }],
    })
  })

  it('keep the moment of a time with an offset, and text of a fixed length, in columns made by hand', async () => {
    const send = await start()
    await server.query('CREATE TABLE made (at timestamp PRIMARY KEY, code char(3), mask bit(4), n int)')
    const record = (at: string, n: number) => ({ at, code: 'ab', mask: '0101', n })
    const result = await send(
      'made',
      [
        record('2026-01-01T00:30:00.5+05:00', 1),
        record('2025-12-31T19:30:00.5Z', 2),
        record('2026-01-02 00:30:00-0100', 3),
        record('2026-01-03 00:30:00', 4),
        record('2026-01-04', 5),
      ],
      { mode: 'merge', key: ['at'] },
    )
    expect({
      result,
      rows: await server.query('SELECT at::text, code, mask::text, n FROM made ORDER BY n'),
    }).toEqual({
      result: { output: wrote(5), warnings: [] },
      rows: [
        ['2025-12-31 19:30:00.5', 2],
        ['2026-01-02 01:30:00', 3],
        ['2026-01-03 00:30:00', 4],
        ['2026-01-04 00:00:00', 5],
      ].map(([at, n]) => ({ at, code: 'ab ', mask: '0101', n })),
    })
  })

  it('are sent in parts and written in their order, whatever characters they have', async () => {
    const send = await start()
    const odd = [
      '\\.',
      '\\N',
      '',
      '"',
      "'",
      ',',
      '\t',
      '\n',
      '\r\n',
      '\u0001\u0002',
      '\u2028',
      '\\',
      '😀'.repeat(100),
    ]
    const records = Array.from({ length: 20_000 }, (_, id) => ({ id, text: odd[id % odd.length] }))
    const result = await send('odd_texts', records)
    const rows = await server.query('SELECT id::int, text FROM odd_texts')
    expect({ result, isSame: JSON.stringify(rows) === JSON.stringify(records) }).toEqual({
      result: { output: wrote(20_000), warnings: [] },
      isSame: true,
    })
  })

  it('keep integers of 64 bits when a decimal number comes, in either order', async () => {
    const send = await start()
    await send('first', asList('[{"n":9007199254740993}]'))
    await send('first', [{ n: 1.5 }])
    await send('last', [{ n: 0.1 }, { n: 1.5 }])
    await send('last', asList('[{"n":9007199254740993}]'))
    await send('small', [{ n: 1 }])
    await send('small', [{ n: 1.5 }])
    expect([
      await server.query('SELECT n::text FROM first ORDER BY n'),
      await server.query('SELECT n::text FROM last ORDER BY n'),
      await server.query('SELECT pg_typeof(n)::text AS type FROM small LIMIT 1'),
    ]).toEqual([
      [{ n: '1.5' }, { n: '9007199254740993' }],
      [{ n: '0.1' }, { n: '1.5' }, { n: '9007199254740993' }],
      [{ type: 'double precision' }],
    ])
  })
})
