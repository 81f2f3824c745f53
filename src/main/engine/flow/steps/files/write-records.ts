import { say, Message, type Said } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  Float,
  getKey,
  isDictionary,
} from '@millrace/jinja/data'
import type { ColumnTypes } from '../../../sql/columns.ts'
import { integerOf } from '../../../sql/to-data.ts'
import { typedValue } from '../../../sql/typed-value.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { isEmpty } from '../support/compare.ts'
import { createHighest } from '../support/highest.ts'
import { atField, readList, shortText } from '../support/read-input.ts'
import { readSinkTarget } from '../support/sink-target.ts'

type Config = StepConfig<'write_records'>

/**
 * Writes a list, or the pages of the previous step as they arrive. The target changes once, together with the cursor.
 * A resumed run begins its list again, or finds that it was committed.
 */
export const writeRecords: StepRunner<'write_records'> = {
  outside: true,
  async run({ config }, scope) {
    const target = await readSinkTarget(config, scope)
    const { mode, key, cursor: cursorField } = config
    const shown = 'path' in target ? target.path : target.table
    scope.showInput(
      dictionaryOf([
        ['target', target.kind],
        ['to', shown],
        ['mode', mode],
      ]),
    )
    const field = 'auth' in target ? 'config.auth_id' : 'config.path'
    const { signal } = scope
    const isBadRecordFatal = config.on_bad_record === 'fail'
    const types = new Map(HAVE_TYPES.has(target.kind) ? Object.entries(config.types) : [])
    const write = {
      id: `${scope.runId}/${scope.key}`,
      mode,
      key,
      isBadRecordFatal,
      types,
      quotesFormulas: config.formulas === 'quote',
      signal,
    }
    const sink = await atField(scope, field, scope.ports.sinks.open(target, write))
    try {
      let count = 0
      let cut = 0
      const highest = createHighest()
      for await (const items of batchesOf(config, scope)) {
        // The records were written before the run was resumed.
        if (sink.done !== null) continue
        const records = items.flatMap((item, at) => {
          const plain = checkRecord(item, count + at, config)
          const checked = plain instanceof Message ? plain : withTypes(plain, count + at, types)
          if (!(checked instanceof Message)) {
            if (checked.isCut) cut++
            return [checked.record]
          }
          if (isBadRecordFatal) throw scope.fail('validation', checked, { field: 'config.records' })
          sink.reject(item, checked)
          return []
        })
        // Rejected records move the cursor too. Otherwise they would be read, and rejected, again.
        if (cursorField !== undefined)
          for (const item of items) if (isDictionary(item)) highest.add(getKey(item, cursorField))
        await atField(scope, field, sink.write(records))
        count += items.length
      }
      if (sink.done !== null) {
        warnAgain(sink.done.result, scope)
        warnOfDoubt(scope)
        return sink.done.result
      }
      requireWholeList(config, scope)
      const { cursor, ignored } = highest.after(sink.cursor)
      const { result, notes, merged } = await atField(scope, field, sink.commit(cursor))
      if (merged) scope.showMerged(merged)
      for (const { code, said } of notes) scope.warn(code, said)
      if (cut > 0)
        scope.warn(
          'times_cut',
          say("In {{count}} record(s), times have digits after the microseconds, which weren't stored", {
            count: cut,
          }),
        )
      if (ignored !== undefined && cursorField !== undefined)
        scope.warn('cursor_ignored', strayIn(cursorField, ignored))
      warnOfDoubt(scope)
      return result
    } finally {
      await sink.close()
    }
  },
}

/** A list that may be incomplete must not replace a complete one. */
function requireWholeList({ mode, when_in_doubt: wish }: Config, scope: StepScope): void {
  const doubt = scope.listInDoubt
  if (doubt === null || (wish ?? (mode === 'replace' ? 'fail' : 'warn')) === 'warn') return
  throw scope.fail(
    'list_in_doubt',
    say(
      'nothing was written, because a list of this run may be incomplete. {{doubt}}. Correct its pagination and run the flow again, or set "when_in_doubt" to "warn" in this step',
      { doubt },
    ),
    { field: 'config.when_in_doubt' },
  )
}

function warnOfDoubt(scope: StepScope): void {
  const doubt = scope.listInDoubt
  if (doubt !== null)
    scope.warn(
      'list_in_doubt',
      say('was written although a list of this run may be incomplete. {{doubt}}', { doubt }),
      true,
    )
}

/** Repeats the warning of a run that was killed right after the target had changed. */
function warnAgain(result: Data, scope: StepScope): void {
  const file = isDictionary(result) ? getKey(result, 'rejected_file') : undefined
  if (typeof file === 'string')
    scope.warn(
      'records_rejected',
      say('Records that can\'t be written were set aside in "{{file}}"', { file }),
    )
}

function strayIn(field: string, value: Data): Said {
  return say(
    'The cursor field "{{field}}" has the value {{value}}, whose type differs from the others, so it doesn\'t move the cursor',
    { field, value: shortText(value) },
  )
}

async function* batchesOf(config: Config, scope: StepScope): AsyncGenerator<readonly Data[]> {
  const { pages } = scope
  if (pages !== null) {
    if (pages.isBegun)
      throw scope.fail('validation', say("has started on the first pages, so it can't be retried as a whole"))
    for await (const { items, from } of pages.batches()) yield* portions(items, from, scope)
    if (pages.count > 0) return
  }
  yield* portions(readList('records', config.records, scope), 0, scope)
}

/** A list in a file is read record by record. */
async function* portions(
  items: readonly Data[],
  from: number,
  scope: StepScope,
): AsyncGenerator<readonly Data[]> {
  for (let at = from; at < items.length; at += PORTION) {
    await scope.yieldIfDue()
    yield at === 0 && items.length <= PORTION ? items : items.slice(at, at + PORTION)
  }
}

/** The record to write, or the problem with it. */
function checkRecord(item: Data, index: number, { key, mode }: Config): Dictionary | Message {
  if (!isDictionary(item))
    return say('record {{number}} is {{value}}; records must be objects', {
      number: index + 1,
      value: shortText(item),
    })
  const missing = key.find((name) => isEmpty(getKey(item, name) ?? null))
  if (missing !== undefined)
    return say('record {{number}} has no "{{key}}", which is part of the key', {
      number: index + 1,
      key: missing,
    })
  return mode === 'merge' ? withPlainKey(item, key) : item
}

/** Writes `1` instead of `1.0`, because columns and files would treat them as different keys. */
function withPlainKey(record: Dictionary, key: readonly string[]): Dictionary {
  if (!key.some((name) => isWholeFloat(getKey(record, name)))) return record
  return dictionaryOf(
    entriesOf(record).map(([name, value]) => [
      name,
      key.includes(name) && isWholeFloat(value) ? integerOf(String(BigInt(value.value))) : value,
    ]),
  )
}

/** The record with strings of the declared types, or the problem with it. */
function withTypes(
  record: Dictionary,
  index: number,
  types: ColumnTypes,
): { readonly record: Dictionary; readonly isCut: boolean } | Message {
  const texts = new Map<string, Data>()
  let isCut = false
  for (const [field, type] of types) {
    const value = getKey(record, field)
    if (value === undefined) continue
    const typed = typedValue(value, type)
    if (typed === null)
      return say('record {{number}} has {{value}} as "{{field}}", which is not a {{type}}', {
        number: index + 1,
        value: shortText(value),
        field,
        type,
      })
    texts.set(field, typed.text)
    isCut ||= typed.isCut
  }
  if (texts.size === 0) return { record, isCut }
  const entries = entriesOf(record).map(
    ([name, value]) => [name, texts.has(name) ? (texts.get(name) ?? null) : value] as const,
  )
  return { record: dictionaryOf(entries), isCut }
}

const isWholeFloat = (value: Data | undefined): value is Float =>
  value instanceof Float && Number.isInteger(value.value)

/** Targets whose columns can have a declared type. */
const HAVE_TYPES: ReadonlySet<string> = new Set(['parquet', 'sqlite', 'postgres', 'mysql'])
const PORTION = 500
