import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { compareCursors, lookBackFrom } from '../../../src/main/engine/polling/cursor.ts'
import { fieldProblem } from '../../../src/main/engine/polling/entry-field.ts'
import { findNewEntries } from '../../../src/main/engine/polling/new-entries.ts'

const RULES = { key: null, cursorField: null, lookBack: 0, areColumns: false, isOrdered: false }

async function find(
  entries: readonly Data[],
  rules: Partial<typeof RULES | object> = {},
  cursor: Data = null,
  known: readonly string[] = [],
) {
  const found = await findNewEntries(entries, {
    rules: { ...RULES, ...rules },
    cursor,
    isKnown: (id) => known.includes(id),
    yieldToEventLoop: () => Promise.resolve(),
  })
  return { ...found, entries: found.fresh.map(({ entry }) => entry) }
}

describe('new entries', () => {
  it('are listed oldest first, each one once', async () => {
    const [a, b] = [{ id: 1 }, { id: 2 }]
    expect((await find([b, a, b], { key: ['id'] })).entries).toEqual([a, b])
  })

  it("are the entries with an unknown key; changed ones don't count", async () => {
    const { fresh } = await find([{ id: 1, name: 'x' }], { key: ['id'] })
    const again = await find([{ id: 2 }, { id: 1, name: 'y' }], { key: ['id'] }, null, [fresh[0]!.id])
    expect(again.entries).toEqual([{ id: 2 }])
    expect(again.known).toEqual([fresh[0]!.id])
  })

  it('without a key, include changed entries', async () => {
    const { fresh } = await find([{ id: 1, name: 'x' }])
    expect((await find([{ id: 1, name: 'y' }], {}, null, [fresh[0]!.id])).entries).toEqual([
      { id: 1, name: 'y' },
    ])
  })

  it('with a cursor, are in its order, starting at the highest known value', async () => {
    const at = (id: number, updated: string) => ({ id, updated })
    const list = [
      at(1, '2026-03-01T00:00:00Z'),
      at(3, '2026-03-03T00:00:00Z'),
      at(2, '2026-03-02T00:00:00+00:00'),
    ]
    const rules = { key: ['id'], cursorField: 'updated' }
    expect((await find(list, rules, '2026-03-02T00:00:00Z')).entries).toEqual([list[2], list[1]])
    expect((await find(list, { ...rules, lookBack: 86_400 }, '2026-03-02T00:00:00Z')).entries).toHaveLength(3)
  })

  it('with a cursor and a key, include known entries whose cursor has increased', async () => {
    const rules = { key: ['id'], cursorField: 'version' }
    const { fresh } = await find([{ id: 1, version: 1 }], rules)
    expect((await find([{ id: 1, version: 2 }], rules, 1, [fresh[0]!.id])).entries).toEqual([
      { id: 1, version: 2 },
    ])
  })

  it.each([
    [[{ id: 1 }, { name: 'x' }], { key: ['id'] }, '1 of 2 entries don\'t have the field "id"; correct "key"'],
    [[{ id: 1 }], { key: ['number'] }, 'No entry of the list has the field "number"; correct "key"'],
    [[{ id: 1 }], { cursorField: 'at' }, 'No entry of the list has the field "at"; correct "cursor_field"'],
    [['text', 4], { key: ['a.b'] }, 'No entry of the list has the field "a.b"; correct "key"'],
  ])('%j with %j is rejected', async (entries, rules, message) => {
    await expect(find(entries as Data[], rules)).rejects.toThrow(message)
  })

  it('are found in a very long list without blocking other work', async () => {
    let yields = 0
    const entries = Array.from({ length: 2_000 }, (_, id) => ({ id }))
    await findNewEntries(entries, {
      rules: { ...RULES, key: ['id'] },
      cursor: null,
      isKnown: () => false,
      yieldToEventLoop: () => Promise.resolve(void yields++),
    })
    expect(yields).toBe(4)
  })
})

describe('cursors', () => {
  it.each([
    [1, 2],
    ['9', '10'],
    ['9007199254740993', '9007199254740994'],
    [1.5, '2'],
    ['2026-03-01', '2026-03-01T00:00:01Z'],
    ['2026-03-01 10:00:00', '2026-03-01T10:00:00.5Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T09:00:00Z'],
    ['Sun, 01 Mar 2026 10:00:00 GMT', '2026-03-01T10:00:01Z'],
    ['a', 'b'],
    [null, 0],
    [{ x: 1 }, '0'],
  ])('%j is less than %j', (low, high) => {
    expect([compareCursors(low as Data, high as Data), compareCursors(high as Data, low as Data)]).toEqual([
      -1, 1,
    ])
  })

  it.each([
    [100, 10, 90],
    ['100', 10, '90'],
    ['2026-03-01T00:00:10Z', 10, '2026-03-01T00:00:00Z'],
    ['2026-03-01 00:00:10', 10, '2026-03-01 00:00:00'],
    ['2026-03-01T00:00:10.123456Z', 10, '2026-03-01T00:00:00.123Z'],
    ['2026-03-01T02:00:10+02:00', 10, '2026-03-01T02:00:00+02:00'],
    ['2026-03-01T00:00-05:00', 10, '2026-02-28T23:59-05:00'],
    ['2026-03-01', 10, '2026-02-28'],
    ['Sun, 01 Mar 2026 10:00:10 GMT', 10, '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T00:00:10Z', 0, '2026-03-01T00:00:10Z'],
    ['abc', 10, 'abc'],
    ['0000-01-01', 1e12, null],
  ])('%j minus a look-back of %d is %j', (cursor, back, expected) => {
    expect(lookBackFrom(cursor, back)).toEqual(expected)
  })

  it('a field is a name, a path or a JSONPath', () => {
    const problems = ['a.b', "$['a b']", ' ', '$['].map(fieldProblem)
    expect(problems.map((problem) => problem && englishOf(problem))).toEqual([
      null,
      null,
      'must not be empty',
      expect.stringContaining("isn't a JSONPath"),
    ])
  })
})
