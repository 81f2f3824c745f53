import { describe, expect, it } from 'vitest'
import { completionEntries, describeContext, renderTemplate } from '../../../src/template/index.ts'

describe('completion', () => {
  it('offers every filter, test, method, global and tag with a signature and one line of help', () => {
    const entries = completionEntries()
    const counts = Object.fromEntries(
      [...Map.groupBy(entries, ({ kind }) => kind)].map(([kind, group]) => [kind, group.length]),
    )
    expect(counts).toEqual({ filter: 67, test: 30, global: 9, method: expect.any(Number), tag: 15 })
    expect(entries.filter(({ name, help }) => name === '' || help === '' || help.includes('\n'))).toEqual([])
    expect(entries.find(({ name }) => name === 'truncate')).toEqual({
      kind: 'filter',
      name: 'truncate',
      aliases: [],
      signature: "length=255, killwords=false, end='...', leeway=none",
      help: 'Cuts to a length, at a word unless killwords is true.',
      types: [],
    })
    expect(entries.find(({ kind, name }) => kind === 'method' && name === 'pop')).toMatchObject({
      types: ['list'],
    })
  })

  it('offers nothing that does not exist', () => {
    const filters = completionEntries().filter(({ kind }) => kind === 'filter')
    const names = filters.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(names.map((name) => renderTemplate(`{{ '${name}' is filter }}`, {}))).toEqual(
      names.map(() => 'True'),
    )
  })

  it('describes the names of a context with types and samples', () => {
    const context = { page: 1, web1: { items: [{ id: 7, 'a-b': 'x'.repeat(100) }], ok: true }, none: null }
    expect(describeContext(context)).toEqual([
      { path: 'page', type: 'int', sample: '1' },
      { path: 'web1', type: 'dict', sample: '{items, ok}' },
      { path: 'none', type: 'NoneType', sample: 'None' },
      { path: 'web1.items', type: 'list', sample: '[1 items]' },
      { path: 'web1.ok', type: 'bool', sample: 'True' },
      { path: 'web1.items[0]', type: 'dict', sample: '{id, a-b}' },
      { path: 'web1.items[0].id', type: 'int', sample: '7' },
      { path: 'web1.items[0]["a-b"]', type: 'str', sample: `${'x'.repeat(60)}…` },
    ])
  })
})
