/** Reads and writes records as Parquet, a group of rows at a time, so that files of any size need little memory. */
import { say } from '../../../../shared/contract/base/message.ts'
import { type FileHandle, open } from 'node:fs/promises'
import {
  asyncBufferFromFile,
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  estimateBytes,
  Float,
  getKey,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type { Column, ColumnKind } from '../../../engine/sql/columns.ts'
import { PARQUET_DECIMAL, scaledDecimal } from '../../../engine/sql/typed-value.ts'

export interface ParquetFile {
  readonly columns: readonly Column[]
  readonly rows: AsyncIterable<Dictionary>
}

/** @throws AppError if it isn't Parquet, or has columns of other types than `writeParquet` writes */
export async function readParquet(path: string, name: string): Promise<ParquetFile> {
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    return { columns: columnsOf(metadata, name), rows: rowsOf(file, metadata, name) }
  } catch (error) {
    throw unreadable(name, error)
  }
}

async function* rowsOf(file: AsyncBuffer, metadata: FileMetaData, name: string): AsyncGenerator<Dictionary> {
  const kinds = new Map(columnsOf(metadata, name).map((column) => [column.name, column.kind]))
  let at = 0
  for (const group of metadata.row_groups) {
    const end = at + Number(group.num_rows)
    if (group.total_byte_size > MOST_GROUP_BYTES) throw tooLarge(name)
    const rows = await parquetReadObjects({
      file,
      metadata: withWholeDecimals(metadata),
      rowStart: at,
      rowEnd: end,
      parsers: PARSERS,
    }).catch((error: unknown) => {
      throw unreadable(name, error)
    })
    for (const row of rows) {
      yield dictionaryOf(
        Object.entries(row).map(([column, value]) => [column, toData(value, kinds.get(column) ?? null)]),
      )
    }
    at = end
  }
}

/** Text keeps its byte-order mark, and JSON stays text until it is parsed without rounding its numbers. */
const asText = (bytes: Uint8Array) =>
  bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes
const PARSERS = {
  jsonFromBytes: asText,
  stringFromBytes: asText,
  dateFromDays: (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10),
  timestampFromMicroseconds: (micros: bigint) => {
    const fraction = ((micros % MILLION) + MILLION) % MILLION
    const seconds = Number((micros - fraction) / MILLION)
    return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(fraction).padStart(6, '0')}Z`
  },
}

/** Removes the annotation of decimals, which the library would convert to doubles. */
function withWholeDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map(({ converted_type: converted, ...element }) =>
    converted === undefined || converted === 'DECIMAL' ? element : { ...element, converted_type: converted },
  )
  return { ...metadata, schema }
}

function toData(value: unknown, kind: ColumnKind): Data {
  if (value === null || value === undefined) return null
  if (kind === 'decimal') return decimalIn(value as Uint8Array)
  if (kind === 'json') return parseJson(value as string, OWN_JSON_LIMITS)
  if (typeof value !== 'bigint') return value as Data
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function decimalIn(bytes: Uint8Array): string {
  const units = BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
  const [, scale] = PARQUET_DECIMAL
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const part = trimEnd(digits.slice(-scale), '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}${part === '' ? '' : `.${part}`}`
}

function columnsOf(metadata: FileMetaData, name: string): Column[] {
  const { schema, key_value_metadata: more } = metadata
  const empty = more?.find(({ key }) => key === EMPTY_COLUMNS)?.value
  const onlyNulls = new Set(empty === undefined ? [] : (JSON.parse(empty) as string[]))
  return schema.slice(1).map((element, at) => {
    const kind = onlyNulls.has(element.name) ? null : kindOf(element, name)
    return { name: element.name, kind: kind === 'long' && hasBig(metadata, at) ? 'big' : kind }
  })
}

/** Whether a column has, or may have, integers that a double would round. */
function hasBig({ row_groups: groups }: FileMetaData, at: number): boolean {
  const isSafe = (value: unknown) => Number.isSafeInteger(Number(value))
  return groups.some(({ columns }) => {
    const { statistics: found, num_values: count } = columns[at]?.meta_data ?? {}
    const [low, high] = [found?.min_value ?? found?.min, found?.max_value ?? found?.max]
    if (low === undefined || high === undefined) return found?.null_count !== count
    return !isSafe(low) || !isSafe(high)
  })
}

function kindOf({ name, type, ...element }: SchemaElement, file: string): ColumnKind {
  const { converted_type: converted, logical_type: logical } = element
  const meaning = meaningOf(logical) ?? converted
  const isList = element.repetition_type === 'REPEATED' || type === undefined
  const kind = isList ? undefined : KINDS.get(`${type} ${meaning ?? ''}`.trim())
  if (kind !== undefined) return kind
  throw new AppError(
    'validation',
    say(
      '"{{path}}" has the column "{{column}}" of type {{type}}, which can\'t be added to; use replace, or another file',
      { path: file, column: name, type: meaning ?? type ?? 'group' },
    ),
  )
}

function meaningOf(logical: SchemaElement['logical_type']): string | undefined {
  if (logical?.type === 'TIMESTAMP')
    return `TIMESTAMP ${logical.unit}${logical.isAdjustedToUTC ? ' in UTC' : ''}`
  return logical?.type === 'DECIMAL' ? `DECIMAL(${logical.precision}, ${logical.scale})` : logical?.type
}

const KINDS: ReadonlyMap<string, ColumnKind> = new Map([
  ['BOOLEAN', 'boolean'],
  ['INT32', 'integer'],
  ['INT64', 'long'],
  // Annotations that other programs write.
  ...['INT_8', 'INT_16', 'INT_32', 'INTEGER', 'UINT_8', 'UINT_16'].map(
    (meaning) => [`INT32 ${meaning}`, 'integer'] as const,
  ),
  ['INT64 INT_64', 'long'],
  ['INT64 INTEGER', 'long'],
  ['FLOAT', 'number'],
  ['DOUBLE', 'number'],
  ['BYTE_ARRAY UTF8', 'text'],
  ['BYTE_ARRAY STRING', 'text'],
  ['BYTE_ARRAY JSON', 'json'],
  ['INT32 DATE', 'date'],
  ['INT64 TIMESTAMP MICROS in UTC', 'timestamp'],
  [`FIXED_LEN_BYTE_ARRAY DECIMAL(${PARQUET_DECIMAL.join(', ')})`, 'decimal'],
])

/** Types of columns, by kind. A column that only had nulls has no kind yet and can get any type later. */
const TYPES: Readonly<
  Record<NonNullable<ColumnKind>, Omit<SchemaElement, 'name' | 'repetition_type' | 'num_children'>>
> = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  long: { type: 'INT64' },
  big: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  // No Parquet type holds both 64-bit integers and decimal numbers of any scale.
  exact: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: PARQUET_DECIMAL[0],
    scale: PARQUET_DECIMAL[1],
    logical_type: { type: 'DECIMAL', precision: PARQUET_DECIMAL[0], scale: PARQUET_DECIMAL[1] },
  },
}

export const parquetType = (kind: ColumnKind): string => {
  const { type, converted_type: converted, logical_type: logical } = TYPES[kind ?? 'text']
  return converted === 'UTF8' ? 'STRING' : (logical?.type ?? type ?? '')
}

/** The value in the form in which a column of this kind holds it. */
export function parquetCell(value: Data | undefined, kind: ColumnKind): Data | Uint8Array {
  if (value === null || value === undefined) return null
  switch (kind) {
    case 'integer':
    case 'long':
    case 'big':
      return BigInt(value as number)
    case 'number':
      return value instanceof Float ? value.value : Number(value)
    case 'date':
      return Date.parse(value as string) / DAY_MS
    case 'timestamp':
      return microsOf(value as string)
    case 'decimal':
      return scaledDecimal(value as string, ...PARQUET_DECIMAL)
    case 'json':
      return Buffer.from(writeJson(value))
    case 'exact':
    case 'text':
    case null:
      return typeof value === 'string' ? value : writeJson(value)
    default:
      return value
  }
}

/** Microseconds since 1970, for a time as `typedValue` writes it. */
const microsOf = (text: string) =>
  BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1_000n + BigInt(text.slice(20, 26))

/** Everything is on disk when it resolves. */
export async function writeParquet(
  path: string,
  columns: readonly Column[],
  records: AsyncIterable<Dictionary>,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }): SchemaElement => ({
        name,
        ...TYPES[kind ?? 'text'],
        repetition_type: 'OPTIONAL',
      })),
    ]
    const onlyNulls = columns.filter(({ kind }) => kind === null).map(({ name }) => name)
    const writer = new ParquetWriter({
      writer: writerInto(file),
      schema,
      createdBy: 'Millrace',
      kvMetadata: [{ key: EMPTY_COLUMNS, value: JSON.stringify(onlyNulls) }],
    })
    for await (const rows of groupsOf(records)) {
      const columnData = columns.map(({ name, kind }) => ({
        name,
        data: rows.map((row) => parquetCell(getKey(row, name), kind)),
        // The library doesn't shorten statistics of JSON.
        statistics: kind !== 'json',
      }))
      await writer.write({ columnData, rowGroupSize: rows.length })
    }
    // Older readers recognize JSON only by `converted_type`. It is set last, because with it the writer would encode
    // the text again.
    for (const element of schema) if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON'
    await writer.finish()
    await file.sync()
  } finally {
    await file.close()
  }
}

async function* groupsOf(records: AsyncIterable<Dictionary>): AsyncGenerator<readonly Dictionary[]> {
  let rows: Dictionary[] = []
  let bytes = 0
  for await (const record of records) {
    rows.push(record)
    bytes += estimateBytes(record, BYTES_A_GROUP)
    if (rows.length < ROWS_A_GROUP && bytes < BYTES_A_GROUP) continue
    yield rows
    rows = []
    bytes = 0
  }
  if (rows.length > 0) yield rows
}

/** Holds one group of rows in memory until it is flushed. */
function writerInto(file: FileHandle): ByteWriter & { flush(): Promise<void> } {
  const writer = new ByteWriter()
  const flush = async () => {
    await file.writeFile(new Uint8Array(writer.buffer, 0, writer.index))
    writer.index = 0
  }
  return Object.assign(writer, { flush, finish: flush })
}

function tooLarge(name: string): AppError {
  return new AppError(
    'too_large',
    say('"{{path}}" has groups that exceed the limit of {{bytes}} bytes; use replace, or another file', {
      path: name,
      bytes: MOST_GROUP_BYTES,
    }),
  )
}

function unreadable(name: string, error: unknown): unknown {
  if (error instanceof AppError || (error as NodeJS.ErrnoException).syscall !== undefined) return error
  return new AppError(
    'validation',
    say('"{{name}}" can\'t be read as Parquet: {{value}}', {
      name,
      value: (error as Error).message.slice(0, 200),
    }),
    { cause: error },
  )
}

const DAY_MS = 86_400_000
const MILLION = 1_000_000n
const EMPTY_COLUMNS = 'millrace.columns_with_nulls_only'
/** Encoding a group takes some ten milliseconds, during which nothing else runs. */
const ROWS_A_GROUP = 2_000
/** Large records make smaller groups, because a whole group is in memory, several times over while it is encoded. */
const BYTES_A_GROUP = 8_000_000
const MOST_GROUP_BYTES = 500_000_000
