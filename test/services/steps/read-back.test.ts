/**
 * Seeded random records, written in a random order of modes to every kind of target and read back by a program other
 * than Millrace. `npm run test:read-back` writes many more.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse as parseCsvText } from 'csv-parse/sync'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { duckDb } from '../../helpers/duckdb.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { randomFrom } from '../../helpers/random.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const isLong = process.env.MODE === 'long'
const ROUNDS = isLong ? 150 : 8

/** A JSON value as it was spelled, because JSON.parse would round its numbers. */
type Value = null | boolean | string | Digits | Fields | readonly Value[]
interface Digits {
  readonly digits: string
}
interface Fields {
  readonly fields: readonly (readonly [string, Value])[]
}
type Row = ReadonlyMap<string, Value>

const isNumber = (value: Value): value is Digits =>
  typeof value === 'object' && value !== null && 'digits' in value
const isObject = (value: Value): value is Fields =>
  typeof value === 'object' && value !== null && 'fields' in value
const number = (digits: string): Value => ({ digits })

function spell(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (isNumber(value)) return value.digits
  if (isObject(value))
    return `{${value.fields.map(([name, one]) => `${JSON.stringify(name)}:${spell(one)}`).join(',')}}`
  return `[${value.map(spell).join(',')}]`
}

/** What JSON.parse reads, with numbers as they are spelled. */
function readJson(text: string): Value {
  // TypeScript doesn't know the third argument yet.
  const parse = JSON.parse as (
    source: string,
    revive: (key: string, value: unknown, at: { source?: string }) => unknown,
  ) => unknown
  const parsed = parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' ? { digits: source } : value,
  )
  return fromParsed(parsed)
}

function fromParsed(value: unknown): Value {
  if (Array.isArray(value)) return value.map(fromParsed)
  if (typeof value !== 'object' || value === null) return value as Value
  if ('digits' in value) return value as Digits
  return { fields: Object.entries(value).map(([name, one]) => [name, fromParsed(one)] as const) }
}

/** The same text for the same value, however it is spelled; strings as targets can hold them. */
function canonical(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed().replaceAll('\0', '\ufffd'))
  if (isNumber(value)) return decimal(value.digits)
  if (isObject(value))
    return `{${value.fields
      .map(([name, one]) => `${canonical(name)}:${canonical(one)}`)
      .toSorted()
      .join(',')}}`
  return `[${value.map(canonical).join(',')}]`
}

/** The digits without zeros around them, and the position of the decimal point. */
function decimal(digits: string): string {
  const [, sign, whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? []
  if (whole === '') return `no number: ${digits}`
  const all = (whole + part).replace(/^0+/, '')
  const short = all.replace(/0+$/, '')
  return short === '' ? '0' : `${sign}${short}e${Number(power) - part.length + all.length - short.length}`
}

const TEXTS = [
  '', ' ', 'plain', 'ä ö ü ß', '😀 emoji', 'line\u2028and\u2029paragraph', 'a\0b', 'half \ud83d pair', '\udc00', 'tab\tand\r\nlines\nend\n',
  'quote " and \' and ,;|', '007', '1', '1.0', '-5', '1e5', 'NaN', 'Infinity', 'null', 'true', '\\N', '\\u0000', '\\', '=1+1', '@x', '\ufeffmark',
  '2026-01-02', '2026-01-02T03:04:05.123456Z', '0x10', '{"a":1}', '[1]', '\u0085next', 'x'.repeat(3_000), '"', '""', '\u200f\u202e',
] // prettier-ignore
const NAMES = [
  'name', 'Id', 'ID', 'ctid', 'xmin', 'order', 'select', 'with "quotes"', 'with space', 'ä', 'Ä', '😀', 'line\u2028end', 'a.b', 'constructor',
  'toString', '', '0', '7', 'ü'.repeat(40), `${'ü'.repeat(40)}2`, 'NULL', "it's", 'seq', 'record', 'r', 'value', 'oid', 'rowid', '_rowid_', 'tableoid',
] // prettier-ignore

type Random = (below: number) => number
const pick = <T>(list: readonly T[], random: Random): T => list[random(list.length)]!

const KINDS: Readonly<Record<string, (random: Random) => Value>> = {
  small: (random) => number(String(random(200) - 100)),
  long: (random) => number(String((random(2) ? 1 : -1) * (2 ** 31 + random(2 ** 31) * 1_000))),
  big: (random) => number(`${random(2) ? '' : '-'}90071992547409${random(90) + 10}`),
  most: (random) => number(pick(['9223372036854775807', '-9223372036854775808', '9007199254740993'], random)),
  huge: (random) => number(`1234567890123456789${random(1_000) + 1_000}`),
  whole: (random) => number(`${random(1_000)}.${'0'.repeat(1 + random(2))}`),
  decimal: (random) => number(`${random(2) ? '' : '-'}${random(1_000)}.${random(99) + 1}`),
  precise: (random) =>
    number(
      pick(
        [
          '0.30000000000000004',
          '1.7976931348623157e308',
          '5e-324',
          '123456789.12345679',
          '-0.1',
          '1e21',
          '4.35',
        ],
        random,
      ),
    ),
  text: (random) => pick(TEXTS, random),
  boolean: (random) => random(2) === 1,
  nothing: () => null,
  nested: (random) => nested(random, 3),
}

function nested(random: Random, depth: number): Value {
  const value = () => (depth > 0 && random(3) === 0 ? nested(random, depth - 1) : scalar(random))
  if (random(2) === 0) return Array.from({ length: random(4) }, value)
  const names = new Set(
    Array.from({ length: random(4) }, () => pick(['a', 'b', '', '1', 'ä', 'x y', '\0', 'toString'], random)),
  )
  return { fields: [...names].map((name) => [name, value()] as const) }
}

const scalar = (random: Random): Value =>
  KINDS[pick(['small', 'big', 'whole', 'decimal', 'text', 'boolean', 'nothing'], random)]!(random)

/** Most fields have values of one kind, some of two or more. */
function fieldsOf(random: Random): [string, Make][] {
  const names = new Set(Array.from({ length: 2 + random(6) }, () => pick(NAMES, random)))
  const kinds = Object.keys(KINDS)
  return [...names].map((name) => {
    const own = Array.from({ length: pick([1, 1, 1, 2, 3], random) }, () => pick(kinds, random))
    return [name, (more) => KINDS[pick(own, more)]!(more)]
  })
}
type Make = (random: Random) => Value

/** The key as people and forms spell it: `1`, `1.0` and `"1"` are the same. */
const keyValue = (id: number, random: Random): Value =>
  pick([number(String(id)), number(String(id)), number(`${id}.0`), String(id)], random)

const keyOf = (row: Row) => {
  const key = row.get('k') ?? null
  return isNumber(key) ? String(Number(key.digits)) : (key as string)
}

const MODES = ['append', 'append', 'merge', 'merge', 'replace'] as const

interface Write {
  readonly mode: (typeof MODES)[number]
  readonly rows: readonly Row[]
}

function writesOf(random: Random): Write[] {
  const fields = fieldsOf(random)
  const keyed = random(2) === 1
  let n = 0
  return Array.from({ length: 2 + random(3) }, () => {
    const mode = keyed
      ? 'merge'
      : pick(
          MODES.filter((one) => one !== 'merge'),
          random,
        )
    const some = fields.filter(() => random(5) > 0)
    const rows = Array.from({ length: random(12) }, (): Row => {
      const own = some.filter(() => random(6) > 0).map(([name, of]) => [name, of(random)] as const)
      const at = random(own.length + 1)
      const key = ['k', keyValue(random(8), random)] as const
      return new Map<string, Value>([['n', number(String(n++))], ...own.slice(0, at), key, ...own.slice(at)])
    })
    return { mode, rows }
  })
}

/** What a target must contain in the end, by a model so simple that it is certainly right. */
function expectedAfter(writes: readonly Write[]): Row[] {
  let rows: Row[] = []
  for (const { mode, rows: given } of writes) {
    if (mode === 'replace') rows = [...given]
    else if (mode === 'append') rows = [...rows, ...given]
    else for (const row of given) rows = [...rows.filter((one) => keyOf(one) !== keyOf(row)), row]
  }
  return rows
}

/** A cell as the reader returns it, and how its target writes values. */
type Cell = Value | { readonly text: string } | { readonly json: string } | undefined

/** Whether the reader got the same value. In tables that mix kinds of values, it is text. */
function isSame(value: Value, cell: Cell, target: string): boolean {
  if (cell === undefined || cell === null) return value === null
  if (typeof cell === 'object' && 'json' in cell) return canonical(readJson(cell.json)) === canonical(value)
  if (typeof cell === 'object' && 'text' in cell) {
    const { text } = cell
    if (value === null) return target === 'csv' && text === ''
    if (typeof value === 'string') return JSON.stringify(text) === canonical(value)
    if (typeof value === 'boolean')
      return text === String(value) || (target === 'sqlite' && text === (value ? '1' : '0'))
    if (isNumber(value)) return decimal(text) === decimal(value.digits)
    return canonical(readJson(text)) === canonical(value)
  }
  if (typeof value === 'boolean' && target === 'sqlite')
    return canonical(cell) === canonical(number(value ? '1' : '0'))
  return canonical(cell) === canonical(value)
}

type Reader = (table: string) => Promise<Map<string, Cell>[]>

let server: TestPostgres
let app: FlowApp
let allowed: string
let authId: string

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const READERS: Readonly<Record<string, Reader>> = {
  async jsonl(table) {
    const text = readFileSync(join(allowed, `${table}.jsonl`), 'utf8')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => new Map((readJson(line) as { fields: readonly (readonly [string, Value])[] }).fields))
  },
  async csv(table) {
    const [header = [], ...rows] = parseCsvText(readFileSync(join(allowed, `${table}.csv`)), {
      bom: true,
      skip_empty_lines: true,
    })
    return rows.map((row) => new Map(header.map((name, at) => [name, { text: row[at] ?? '' }])))
  },
  async parquet(table) {
    const file = join(allowed, `${table}.parquet`)
    // DuckDB itself renames columns that differ only in case.
    const names = (await duckDb(`SELECT name FROM parquet_schema('${file}') OFFSET 1`)).flat()
    const described = await duckDb(`DESCRIBE SELECT * FROM read_parquet('${file}')`)
    const rows = await duckDb(`SELECT hex(encode(COLUMNS(*)::VARCHAR)) FROM read_parquet('${file}')`)
    return rows.map(
      (row) =>
        new Map(
          described.map(([, type], at) => {
            const bytes = row[at]
            // Its client drops a byte-order mark.
            const cell = typeof bytes === 'string' ? Buffer.from(bytes, 'hex').toString() : null
            return [String(names[at]), cell === null ? null : typed(cell, String(type))]
          }),
        ),
    )
  },
  async sqlite(table) {
    const db = new Database(join(allowed, 'a.db'))
    try {
      const read = db.prepare(`SELECT * FROM "${table}"`).safeIntegers(true).raw()
      const names = read.columns().map(({ name }) => name)
      return (read.all() as (string | bigint | number | null)[][]).map(
        (row) =>
          new Map(
            names.map((name, at): [string, Cell] => {
              const cell = row[at] ?? null
              if (cell === null) return [name, null]
              return [name, typeof cell === 'string' ? { text: cell } : number(String(cell))]
            }),
          ),
      )
    } finally {
      db.close()
    }
  },
  async postgres(table) {
    const url = new URL(server.url)
    const client = new Client({
      host: url.hostname, port: Number(url.port), user: server.user, password: server.password, database: 'postgres',
      types: { getTypeParser: () => (text: string) => text },
    }) // prettier-ignore
    await client.connect()
    try {
      const { rows, fields } = await client.query({ text: `SELECT * FROM "${table}"`, rowMode: 'array' })
      const OIDS: Readonly<Record<number, string>> = {
        16: 'BOOLEAN',
        20: 'BIGINT',
        701: 'DOUBLE',
        1700: 'NUMERIC',
        3802: 'JSON',
      }
      return (rows as (string | null)[][]).map(
        (row) =>
          new Map(
            fields.map(({ name, dataTypeID }, at): [string, Cell] => {
              const cell = row[at] ?? null
              const type = OIDS[dataTypeID] ?? 'VARCHAR'
              return [
                name,
                cell === null
                  ? null
                  : typed(type === 'BOOLEAN' ? (cell === 't' ? 'true' : 'false') : cell, type),
              ]
            }),
          ),
      )
    } finally {
      await client.end()
    }
  },
}

function typed(cell: string, type: string): Cell {
  if (type === 'JSON') return { json: cell }
  if (type === 'BOOLEAN') return cell === 'true'
  return type === 'VARCHAR' ? { text: cell } : number(cell)
}

it.each(Object.keys(READERS))('every value is read back: %s', { timeout: 20 * 60_000 }, async (target) => {
  allowed = join(temporaryFolder(), 'allowed')
  mkdirSync(allowed)
  app = await startFlowApp({ settings: { file_folders: [allowed] } })
  const { json } = await app.call('POST', '/v1/connector-auths', {
    connector_id: SQL_CONNECTOR_ID, name: 'Shop', auth_type: 'username_password', username: server.user, password: server.password,
    api_endpoint: server.url,
  }) // prettier-ignore
  authId = (json as { id: string }).id
  const counts = { writes: 0, records: 0, values: 0 }
  const wrong: object[] = []
  for (let seed = 1; seed <= ROUNDS && wrong.length < 5; seed++) {
    const table = `t${seed}`
    const writes = writesOf(randomFrom(Math.imul(seed, 2_654_435_761) >>> 0))
    const columns = new Map<string, string>()
    const failed = []
    for (const { mode, rows } of writes) {
      const records = `[${rows.map((row) => spell({ fields: [...row] })).join(',')}]`
      const result = await write(target, table, {
        mode,
        key: mode === 'merge' ? ['k'] : [],
        records: `{{ ${JSON.stringify(records)} | parse_json }}`,
      })
      if ('code' in result) failed.push(result)
      else {
        for (const message of result.warnings) {
          const [, field, name] = /The field "(.*)" is in the column "(.*)"$/s.exec(message) ?? []
          if (field !== undefined && name !== undefined) columns.set(field, name)
        }
      }
    }
    counts.writes += writes.length
    if (failed.length > 0) {
      wrong.push({ seed, failed })
      continue
    }
    const expected = expectedAfter(writes)
    const found = expected.length === 0 ? [] : await READERS[target]!(table)
    const byNumber = new Map(found.map((row) => [canonicalCell(row.get('n')), row]))
    if (found.length !== expected.length) wrong.push({ seed, found: found.length, expected: expected.length })
    const names = new Set(expected.flatMap((row) => [...row.keys()]))
    for (const row of expected) {
      const other = byNumber.get(canonical(row.get('n') ?? null))
      counts.records++
      for (const name of names) {
        const value = row.get(name) ?? null
        const cell = other?.get(columns.get(name) ?? name)
        counts.values++
        if (!isSame(value, cell, target)) wrong.push({ seed, name, value: spell(value), cell })
      }
    }
  }
  process.stdout.write(
    `read back from ${target}: ${Object.entries(counts)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')}, wrong ${wrong.length}\n`,
  )
  expect(wrong).toEqual([])
})

const canonicalCell = (cell: Cell) =>
  cell !== undefined && cell !== null && typeof cell === 'object' && 'text' in cell
    ? decimal(cell.text)
    : canonical((cell ?? null) as Value)

async function write(target: string, table: string, config: Record<string, unknown>) {
  const place =
    target === 'postgres'
      ? { auth_id: authId, table }
      : target === 'sqlite'
        ? { path: 'a.db', table }
        : { path: `${table}.${target}` }
  const { flow } = await app.addFlow([
    { ref_id: 'it', type: 'write_records', config: { target, ...place, ...config } },
  ])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const run = app.runs().find(({ flow_id: id }) => id === flow.id)!
  return run.error ?? { warnings: run.warnings.map(({ message }) => message) }
}
