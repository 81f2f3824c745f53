import { expect, test } from 'vitest'
import {
  declaredNode,
  describedNode,
  nodeOf,
  resolvePath,
  searchScope,
} from '../../../src/renderer/lib/scope.ts'

const order = {
  lines: [{ sku: 'A-1' }, { sku: 'B-2' }],
  'first name': 'Ada',
  total: 12,
  open: true,
  none: null,
}

test('a value is a tree of paths as templates write them, with types and samples', () => {
  expect(
    nodeOf('web1', order)
      .children()
      .map(({ path, name, type, sample }) => [path, name, type, sample]),
  ).toEqual([
    ['web1.lines', 'lines', 'list', '2 items'],
    ["web1['first name']", "['first name']", 'text', 'Ada'],
    ['web1.total', 'total', 'number', '12'],
    ['web1.open', 'open', 'boolean', 'true'],
    ['web1.none', 'none', 'null', 'null'],
  ])
})

test('a path leads to its node, and with a missing index to the first item', () => {
  const roots = [nodeOf('web1', order), declaredNode('later', {})]
  expect(
    [
      'web1.lines[1].sku',
      'web1.lines[9].sku',
      "web1['first name']",
      'web1["first name"]',
      'later.x',
      'no',
    ].map((path) => resolvePath(roots, path)?.sample),
  ).toEqual(['B-2', 'A-1', 'Ada', 'Ada', undefined, undefined])
})

test('names that the program described become the same kind of tree', () => {
  const names = [
    { path: 'item', type: 'dict', sample: '{sku}' },
    { path: 'item.sku', type: 'str', sample: 'A-1' },
    { path: 'item["a b"]', type: 'int', sample: '1' },
    { path: 'index', type: 'int', sample: '0' },
    { path: 'token', type: null, sample: null },
  ]
  const item = describedNode('item', names)
  expect({
    type: item.type,
    children: item.children().map(({ path, name, type }) => [path, name, type]),
    unknown: describedNode('token', names).type,
  }).toEqual({
    type: 'dictionary',
    children: [
      ['item.sku', 'sku', 'text'],
      ['item["a b"]', '["a b"]', 'number'],
    ],
    unknown: 'unknown',
  })
})

test('the search covers paths and values, and lists near ones first', () => {
  const roots = [nodeOf('web1', order)]
  expect({
    byKey: searchScope(roots, 'sku', 10).map(({ path }) => path),
    byValue: searchScope(roots, 'ada', 10).map(({ path }) => path),
    all: searchScope(roots, '', 2).length,
  }).toEqual({ byKey: ['web1.lines[0].sku', 'web1.lines[1].sku'], byValue: ["web1['first name']"], all: 2 })
})
