import { expect, test } from 'vitest'
import {
  findDuplicates,
  pageOfRecord,
} from '../../../../src/renderer/components/pagination/state/duplicates.ts'
import { EXPORTS } from '../../../../src/renderer/features/pagination-tests/records/export-records.ts'
import { JsonLines } from '../../../../src/renderer/features/pagination-tests/records/json-lines.ts'
import type { PageLine } from '../../../../src/renderer/components/pagination/state/test-progress.ts'
import {
  columnNames,
  sortedPlaces,
} from '../../../../src/renderer/features/pagination-tests/records/record-columns.ts'
import {
  appendRecords,
  NO_RECORDS,
  recordsOf,
} from '../../../../src/renderer/components/pagination/state/record-log.ts'
import { formatJson } from '../../../../src/renderer/lib/json.ts'

test('appending to a list of records leaves older lists and other branches unchanged', () => {
  const one = appendRecords(NO_RECORDS, [1, 2])
  const two = appendRecords(one, [3])
  const branch = appendRecords(one, [4])
  expect([one, two, branch, NO_RECORDS].map(recordsOf)).toEqual([[1, 2], [1, 2, 3], [1, 2, 4], []])
})

test('duplicates are detected by id, otherwise by the whole record, with the page of each', () => {
  const byId = findDuplicates([{ id: 1 }, { id: 2 }, { id: 1, more: true }, { id: 2 }, { id: 1 }])
  const whole = findDuplicates([{ a: 1 }, { a: 2 }, { a: 1 }])
  expect({ byId, whole, different: findDuplicates([{ id: 1 }, { id: 2 }]).count }).toEqual({
    byId: {
      key: 'id',
      groups: [
        [0, 2, 4],
        [1, 3],
      ],
      count: 3,
    },
    whole: { key: null, groups: [[0, 2]], count: 1 },
    different: 0,
  })
  const pages = [0, 10, 10, 20].map((firstRecord, page) => ({ page, firstRecord }) as PageLine)
  expect([0, 9, 10, 19, 20].map((index) => pageOfRecord(pages, index))).toEqual([0, 0, 2, 2, 3])
})

test('exports keep every record, every key and every digit', () => {
  const records = [
    { id: 12345678901234567890n, name: 'Ada "the first", Lind' },
    { id: 2, tags: ['a', 1] },
    null,
  ]
  expect({
    json: EXPORTS.json.write(records),
    ndjson: EXPORTS.ndjson.write(records),
    csv: EXPORTS.csv.write(records),
  }).toEqual({
    json: formatJson(records),
    ndjson: '{"id":12345678901234567890,"name":"Ada \\"the first\\", Lind"}\n{"id":2,"tags":["a",1]}\nnull\n',
    csv: 'id,name,tags,value\r\n12345678901234567890,"Ada ""the first"", Lind",,\r\n2,,"[""a"",1]",\r\n,,,\r\n',
  })
})

test('single lines of a list are the lines of its JSON, whatever its values', () => {
  const records = [{ a: 1, b: { c: [] } }, 5, 'x', {}, [1, [2]], null]
  for (const list of [records, [], [1]]) {
    const lines = new JsonLines(list)
    expect(Array.from({ length: lines.count }, (_, index) => lines.line(index)).join('\n')).toBe(
      formatJson(list),
    )
  }
})

test('a column sorts 100,000 records in well under a second, missing values last', () => {
  const few = [{ a: 3 }, {}, { a: 1 }, { a: 2 }]
  expect({
    ascending: [...sortedPlaces(few, 'a', false)],
    descending: [...sortedPlaces(few, 'a', true)],
  }).toEqual({ ascending: [2, 3, 0, 1], descending: [0, 3, 2, 1] })
  const many = Array.from({ length: 100_000 }, (_, index) => ({ id: (index * 7919) % 100_000 }))
  const places = sortedPlaces(many, 'id', false)
  expect({
    firstPlace: places[0],
    lastId: many[places[99_999] ?? 0]?.id,
    columns: columnNames(many),
  }).toEqual({ firstPlace: 0, lastId: 99_999, columns: ['id'] })
})
