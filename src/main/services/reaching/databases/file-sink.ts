/**
 * Writes records to files. A file is replaced by one rename, or lines are added to it; a state file next to it has the
 * cursor and the change in progress, so that an interrupted change can be undone or completed.
 */
import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { CsvError, delimiterOf, readCsvRows, writeCsv } from '@millrace/jinja/csv'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  getKey,
  isDictionary,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type { MergeCounts, RecordSink, SinkState, SinkWrite } from '../../../engine/flow/model/ports.ts'
import { type Column, type ColumnTypes, otherType, widest } from '../../../engine/sql/columns.ts'
import { PARQUET_DECIMAL, scaledDecimal } from '../../../engine/sql/typed-value.ts'
import { moveFile, removeFile, syncFolder } from '../../../store/index.ts'
import { createMergeCounter } from './merge-counter.ts'
import { REJECTED, RejectedRecords } from './rejected-records.ts'
import { fileError, keyOf, linesOf, notUtf8, type StagedRecords, stageRecords } from './staged-records.ts'

export interface FileSinkOptions extends SinkWrite {
  readonly kind: 'jsonl' | 'csv' | 'parquet'
  /** The name as the user wrote it. */
  readonly name: string
  readonly path: string
}

interface FileState extends SinkState {
  /** The ID of the write that was committed last. */
  readonly id: string
}

interface Pending {
  /** The file's length before lines are added, or the identity of the file that replaces it. */
  readonly change: { readonly length: number } | { readonly file: string }
  readonly after: FileState
}

interface StoredState {
  readonly now: FileState | null
  readonly pending: Pending | null
}

export async function openFileSink(options: FileSinkOptions): Promise<RecordSink> {
  const { path, name, id, mode, key, kind } = options
  const state = await recover(path)
  const done = state?.id === id ? { cursor: state.cursor, result: state.result } : null
  const file = { path: `${path}${REJECTED}`, name: `${name}${REJECTED}` }
  const rejected = RejectedRecords.begin(file, id, options.isBadRecordFatal)
  rejected.settle(state?.id ?? null)
  const staged = await stageRecords(
    path,
    { key: mode === 'merge' ? key : [], types: kind === 'parquet' ? options.types : NO_TYPES },
    rejected,
  )
  return {
    done,
    cursor: state?.cursor ?? null,
    write: (records) =>
      staged.write(
        kind === 'parquet' ? records.filter((record) => fitsDecimals(record, options, rejected)) : records,
      ),
    reject: (item, reason) => rejected.add(item, reason),
    async commit(cursor) {
      const result = rejected.resultOf(staged.count, cursor)
      await staged.end()
      try {
        const change =
          kind === 'jsonl'
            ? await changeLines(options, staged)
            : kind === 'csv'
              ? await changeCsv(options, staged)
              : await changeParquet(options, staged, staged.columns)
        rejected.keep()
        await apply(path, state, { cursor, result, id }, change)
        rejected.publish()
        const notes = [...staged.notes(change.columns), ...rejected.notes()]
        return { result, notes, merged: change.merged ?? null }
      } catch (error) {
        throw fileError(options.name, error)
      }
    },
    close: async () => {
      await staged.remove()
      rejected.drop()
      await removeFile(`${path}.new`)
    },
  }
}

/** Sets aside a record with decimals that Parquet would round. */
function fitsDecimals(record: Dictionary, { types }: FileSinkOptions, rejected: RejectedRecords): boolean {
  for (const [field, type] of types) {
    const value = type === 'decimal' ? getKey(record, field) : undefined
    if (typeof value !== 'string' || scaledDecimal(value, ...PARQUET_DECIMAL) !== null) continue
    rejected.add(
      record,
      say('"{{field}}" is {{value}}, which a column DECIMAL({{digits}}) doesn\'t hold exactly', {
        field,
        value: value.slice(0, 80),
        digits: PARQUET_DECIMAL.join(', '),
      }),
    )
    return false
  }
  return true
}

export async function readFileCursor(path: string): Promise<Data> {
  const { now, pending } = await readState(path)
  return (pending !== null && (await isApplied(path, pending)) ? pending.after : now)?.cursor ?? null
}

/** The planned change to the file: another file replaces it, or lines are added to it. */
type Change = { readonly columns: readonly Said[]; readonly merged?: MergeCounts } & (
  | { readonly replaceBy: string }
  | { readonly length: number; readonly add: AsyncIterable<string | Buffer> }
)

async function changeLines(
  { path, name, mode, key }: FileSinkOptions,
  staged: StagedRecords,
): Promise<Change> {
  const length = await lengthOf(path)
  if (mode === 'replace' || (mode === 'append' && length === 0))
    return { replaceBy: staged.path, columns: [] }
  if (mode === 'append') {
    await requireLines(path, name)
    return { length, add: await lineAfter(path, '\n', createReadStream(staged.path)), columns: [] }
  }
  const counter = createMergeCounter()
  const replaceBy = await writeNew(path, mergedLines(path, key, staged, counter))
  return { replaceBy, columns: [], merged: counter.counts }
}

/** Rejects a JSON list and text in another encoding, which added lines would corrupt. */
async function requireLines(path: string, name: string): Promise<void> {
  let start = ''
  for await (const piece of createReadStream(path, { end: START_BYTES - 1 })) start += String(piece)
  const line = start.replace(/^\ufeff/, '').trimStart()
  if (line === '' || (line.startsWith('{') && !line.includes('\0'))) return
  throw new AppError(
    'validation',
    say('"{{name}}" isn\'t a file of JSON lines: {{line}}', { name, line: line.slice(0, 60) }),
  )
}

/** Begins with a line end if the file, which may come from elsewhere, ends without one. */
async function lineAfter(
  path: string,
  lineEnd: string,
  lines: AsyncIterable<string | Buffer>,
): Promise<AsyncIterable<string | Buffer>> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    if (buffer[0] === 10) return lines
  } finally {
    await file.close()
  }
  return (async function* all() {
    yield lineEnd
    yield* lines
  })()
}

type MergeCounter = ReturnType<typeof createMergeCounter>

async function* mergedLines(
  path: string,
  key: readonly string[],
  staged: StagedRecords,
  counter: MergeCounter,
): AsyncGenerator<string> {
  if ((await lengthOf(path)) > 0) {
    for await (const line of linesOf(path)) {
      const record = line.trim() === '' ? null : readRecord(line, path)
      if (record === null) continue
      const by = staged.lastLines.get(keyOf(record, key))
      if (by === undefined) yield `${line}\n`
      else counter.replace(by, writeJson(record))
    }
  }
  let at = 0
  for await (const line of linesOf(staged.path)) {
    const record = readRecord(line, staged.path)
    if (staged.lastLines.get(keyOf(record, key)) === at) {
      counter.write(at, writeJson(record))
      yield `${line}\n`
    }
    at++
  }
  if (at !== staged.count) throw incomplete(staged.path, at, staged.count)
}

async function changeCsv(options: FileSinkOptions, staged: StagedRecords): Promise<Change> {
  const { path, mode, name, key, quotesFormulas = false } = options
  const found = staged.columns.map((column) => column.name)
  const length = mode === 'replace' ? 0 : await lengthOf(path)
  const counter = mode === 'merge' ? createMergeCounter() : null
  const counted = counter === null ? {} : { merged: counter.counts }
  if (length === 0) {
    const form = { ...NO_CSV, quotesFormulas }
    return {
      replaceBy: await writeNew(path, csvOf(name, found, form, key, staged, counter)),
      columns: [],
      ...counted,
    }
  }
  const old = { ...(await openCsv(path, name)), quotesFormulas }
  const { header } = old
  const twice = header.find((column, at) => found.includes(column) && header.indexOf(column) !== at)
  if (twice !== undefined)
    throw new AppError(
      'validation',
      say('"{{path}}" has two columns named "{{column}}", so records can\'t be added', {
        path: name,
        column: twice,
      }),
    )
  const added = found.filter((column) => !header.includes(column))
  const columns =
    added.length === 0
      ? []
      : [say('New columns in "{{table}}": {{names}}', { table: name, names: added.join(', ') })]
  if (mode === 'append' && added.length === 0) {
    // Throws if the file isn't UTF-8, because added lines would garble it.
    let quotes = 0
    for await (const piece of textOf(path, name)) quotes += piece.split('"').length - 1
    // An unclosed quoted field would swallow the added lines.
    if (quotes % 2 !== 0) for await (const _ of readRows(path, name, old.delimiter));
    const lines = csvLines(header, staged, old, () => true)
    return { length, add: await lineAfter(path, old.lineEnd, lines), columns }
  }
  return {
    replaceBy: await writeNew(path, csvOf(name, [...header, ...added], old, key, staged, counter)),
    columns,
    ...counted,
  }
}

interface CsvForm extends OldCsv {
  readonly quotesFormulas: boolean
}

interface OldCsv {
  readonly mark: string
  readonly delimiter: string
  readonly lineEnd: '\n' | '\r\n'
  readonly header: readonly string[]
  readonly rows: AsyncIterable<readonly string[]>
}

const NO_CSV: OldCsv = {
  mark: '',
  delimiter: ',',
  lineEnd: '\r\n',
  header: [],
  rows: (async function* none() {})(),
}

/** Detects how the file is written: its delimiter, line ends and byte-order mark. */
async function openCsv(path: string, name: string): Promise<OldCsv> {
  let start = ''
  for await (const piece of textOf(path, name)) {
    start += piece
    if (start.includes('\n') || start.length > MOST_HEADER) break
  }
  const delimiter = delimiterOf(start.replace(/^\ufeff/, ''))
  const rows = readRows(path, name, delimiter)
  const { value: header = [] } = (await rows.next()) as { value?: readonly string[] }
  const lineEnd = /^[^\n]*[^\r\n]\n/.test(start) ? '\n' : '\r\n'
  return { mark: start.startsWith('\ufeff') ? '\ufeff' : '', delimiter, lineEnd, header, rows }
}

async function* readRows(path: string, name: string, delimiter: string): AsyncGenerator<readonly string[]> {
  try {
    yield* readCsvRows(textOf(path, name), delimiter)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new AppError(
      'validation',
      say('"{{name}}" isn\'t CSV: {{error}}', { name, error: sentenceOf(error) }),
      { cause: error },
    )
  }
}

/** The first piece begins with the byte-order mark, if there is one. */
async function* textOf(path: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw notUtf8(name, cause)
    }
  }
  for await (const piece of createReadStream(path, { highWaterMark: 262_144 })) yield decode(piece as Buffer)
  yield decode()
}

async function* csvOf(
  name: string,
  columns: readonly string[],
  old: CsvForm,
  key: readonly string[],
  staged: StagedRecords,
  /** Null if it isn't a merge. */
  counter: MergeCounter | null,
): AsyncGenerator<string> {
  const { mark, delimiter, lineEnd, rows, quotesFormulas } = old
  yield mark + writeCsv([columns], delimiter, lineEnd)
  const keyAt = key.map((name) => columns.indexOf(name))
  // Values of a CSV file are text.
  const textKey = (cells: readonly string[]) => writeJson(keyAt.map((at) => cells[at] ?? ''))
  const last = new Map<string, number>()
  if (counter !== null) {
    let index = 0
    for await (const record of stagedRecords(staged))
      last.set(textKey(cellsOf(record, columns, quotesFormulas)), index++)
  }
  let kept: string[][] = []
  let at = 2
  for await (const row of rows) {
    requireNoMore(row, old.header, name, at++)
    const cells = columns.map((_, index) => row[index] ?? '')
    const by = last.get(textKey(row))
    if (by === undefined) kept.push(cells)
    else counter?.replace(by, writeJson(cells))
    if (kept.length < PORTION) continue
    yield writeCsv(kept, delimiter, lineEnd)
    kept = []
  }
  yield writeCsv(kept, delimiter, lineEnd)
  yield* csvLines(columns, staged, old, (cells, at) => {
    if (counter === null) return true
    const isLast = last.get(textKey(cells)) === at
    if (isLast) counter.write(at, writeJson(cells))
    return isLast
  })
}

/** Rejects values without a column, because they would be lost, or end up in a new column. */
function requireNoMore(row: readonly string[], header: readonly string[], name: string, at: number): void {
  if (row.length <= header.length || row.slice(header.length).every((cell) => cell === '')) return
  throw new AppError(
    'validation',
    say('"{{path}}" can\'t be rewritten: row {{row}} has {{values}} values, but the header has {{columns}}', {
      path: name,
      row: at,
      values: row.length,
      columns: header.length,
    }),
  )
}

async function* csvLines(
  columns: readonly string[],
  staged: StagedRecords,
  { delimiter, lineEnd, quotesFormulas }: CsvForm,
  isWanted: (cells: readonly string[], at: number) => boolean,
): AsyncGenerator<string> {
  let cells: string[][] = []
  let at = 0
  for await (const record of stagedRecords(staged)) {
    const row = cellsOf(record, columns, quotesFormulas)
    if (isWanted(row, at++)) cells.push(row)
    if (cells.length < PORTION) continue
    yield writeCsv(cells, delimiter, lineEnd)
    cells = []
  }
  yield writeCsv(cells, delimiter, lineEnd)
}

function cellsOf(record: Dictionary, columns: readonly string[], quotesFormulas: boolean): string[] {
  return columns.map((name) => {
    const value = getKey(record, name) ?? null
    if (value === null) return ''
    if (typeof value !== 'string') return writeJson(value)
    return quotesFormulas && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  })
}

/** Rewrites the whole file, because the end of a Parquet file says where its columns are. */
async function changeParquet(
  { path, mode, name, key, types }: FileSinkOptions,
  staged: StagedRecords,
  found: readonly Column[],
): Promise<Change> {
  const { parquetCell, parquetType, readParquet, writeParquet } = await import('./parquet-file.ts')
  const old = mode === 'replace' || (await lengthOf(path)) === 0 ? null : await readParquet(path, name)
  const kinds = new Map((old?.columns ?? []).map((column) => [column.name, column.kind]))
  for (const column of found) {
    const known = kinds.get(column.name)
    kinds.set(column.name, known === undefined ? column.kind : widest(known, column.kind))
  }
  if (kinds.size === 0 && staged.count > 0)
    throw new AppError('validation', say("the records have no fields, so they can't be written as Parquet"))
  const columns = [...kinds].map(([column, kind]) => ({ name: column, kind }))

  // Converts values to the types of their columns, because a number column can have become text.
  const textIn = (record: Dictionary, fields: Iterable<string>) =>
    writeJson(
      [...fields].map((field) => {
        const cell = parquetCell(getKey(record, field), kinds.get(field) ?? null)
        return cell instanceof Uint8Array ? Buffer.from(cell).toString() : cell
      }),
    )
  const last = new Map<string, number>()
  const counter = mode === 'merge' ? createMergeCounter() : null
  if (counter !== null) {
    let at = 0
    for await (const record of stagedRecords(staged)) last.set(textIn(record, key), at++)
  }
  async function* records(): AsyncGenerator<Dictionary> {
    for await (const record of old?.rows ?? []) {
      const by = counter === null ? undefined : last.get(textIn(record, key))
      if (by === undefined) yield record
      else counter?.replace(by, textIn(record, kinds.keys()))
    }
    let at = 0
    for await (const record of stagedRecords(staged)) {
      const isWritten = counter === null || last.get(textIn(record, key)) === at
      if (isWritten) {
        counter?.write(at, textIn(record, kinds.keys()))
        yield record
      }
      at++
    }
  }

  await writeParquet(`${path}.new`, columns, records())
  const added =
    old === null ? [] : found.filter((column) => !old.columns.some((one) => one.name === column.name))
  const wider = (old?.columns ?? []).flatMap(({ name: column, kind }) => {
    const [before, after] = [parquetType(kind), parquetType(kinds.get(column) ?? null)]
    return kind === null || before === after ? [] : [`${column} (${before} to ${after})`]
  })
  const unlike = columns.flatMap(({ name: column, kind }) => {
    const type = types.get(column)
    const wanted = type === undefined ? null : parquetType(type)
    return wanted === null || type === kind ? [] : [otherType(name, column, parquetType(kind), wanted)]
  })
  return {
    replaceBy: `${path}.new`,
    ...(counter === null ? {} : { merged: counter.counts }),
    columns: [
      ...(added.length === 0
        ? []
        : [
            say('New columns in "{{table}}": {{names}}', {
              table: name,
              names: added.map((one) => one.name).join(', '),
            }),
          ]),
      ...unlike,
      ...(wider.length === 0
        ? []
        : [say('Wider columns in "{{table}}": {{names}}', { table: name, names: wider.join(', ') })]),
    ],
  }
}

async function* stagedRecords(staged: StagedRecords): AsyncGenerator<Dictionary> {
  let count = 0
  for await (const line of linesOf(staged.path)) {
    count++
    yield readRecord(line, staged.path)
  }
  if (count !== staged.count) throw incomplete(staged.path, count, staged.count)
}

function readRecord(line: string, path: string): Dictionary {
  let record: Data = null
  try {
    record = parseJson(line, OWN_JSON_LIMITS)
  } catch {
    // Reported below.
  }
  if (isDictionary(record)) return record
  throw new AppError(
    'validation',
    say('"{{path}}" isn\'t a file of JSON lines: {{line}}', { path, line: line.slice(0, 60) }),
  )
}

async function writeNew(path: string, texts: AsyncIterable<string>): Promise<string> {
  const target = `${path}.new`
  await pipeline(texts, createWriteStream(target, { mode: 0o600, flush: true }))
  return target
}

/** Writes to disk in this order: the plan, the change, the result. */
async function apply(path: string, now: FileState | null, after: FileState, change: Change): Promise<void> {
  if ('replaceBy' in change) {
    await writeState(path, { now, pending: { change: { file: await identityOf(change.replaceBy) }, after } })
    await moveFile(change.replaceBy, path)
    syncFolder(dirname(path))
  } else {
    await writeState(path, { now, pending: { change: { length: change.length }, after } })
    await pipeline(change.add, createWriteStream(path, { flags: 'a', flush: true }))
  }
  await writeState(path, { now: after, pending: null })
}

function incomplete(path: string, found: number, expected: number): AppError {
  return new AppError(
    'unavailable',
    say('"{{path}}" has {{found}} of {{expected}} records: another program changed it; run the flow again', {
      path,
      found,
      expected,
    }),
  )
}

/** Undoes or completes a change that was cut short. */
async function recover(path: string): Promise<FileState | null> {
  const { now, pending } = await readState(path)
  if (pending === null) return now
  const settled = (await isApplied(path, pending)) ? pending.after : now
  if ('length' in pending.change && (await lengthOf(path)) > pending.change.length)
    await truncate(path, pending.change.length)
  await writeState(path, { now: settled, pending: null })
  return settled
}

/**
 * Whether the change was completed. Added lines count as incomplete and are removed, because some of them may be
 * missing.
 */
async function isApplied(path: string, { change }: Pending): Promise<boolean> {
  return 'file' in change && (await identityOf(path)) === change.file
}

async function identityOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? '' : `${found.dev}:${found.ino}:${found.size}`
}

async function lengthOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function readState(path: string): Promise<StoredState> {
  const text = await readFile(stateFile(path), 'utf8').catch(() => null)
  if (text === null) return { now: null, pending: null }
  try {
    return parseJson(text, OWN_JSON_LIMITS) as unknown as StoredState
  } catch (cause) {
    throw new AppError(
      'validation',
      say('"{{path}}" is damaged; delete it to start over', { path: stateFile(path) }),
      { cause },
    )
  }
}

async function writeState(path: string, state: StoredState): Promise<void> {
  const target = stateFile(path)
  const file = await open(`${target}.new`, 'w', 0o600)
  try {
    await file.writeFile(writeJson(dictionaryOf(Object.entries(state as unknown as Record<string, Data>))))
    await file.sync()
  } finally {
    await file.close()
  }
  await moveFile(`${target}.new`, target)
  syncFolder(dirname(path))
}

const stateFile = (path: string) => `${path}.state.json`

const NO_TYPES: ColumnTypes = new Map()
const PORTION = 500
const MOST_HEADER = 1_000_000
const START_BYTES = 65_536
