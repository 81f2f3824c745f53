import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recognize } from '../../../../src/renderer/components/imports/recognize.ts'

const postman = {
  info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item: [{ name: 'Folder', item: [{ request: {} }, { request: {} }] }, { request: {} }],
}
const yaml = `
# of the shop
"openapi": '3.1.0'
info:
  description: |
    /not/a/path:
paths:
    # comments, and deeper keys

    /orders:
        get:
            x-routes:
                /deeper: 1
    "/orders/{id}": {}
components:
  /none: 1
`

test.each([
  ['OpenAPI 3.1, 2 paths', 'connectors', JSON.stringify({ openapi: '3.1.0', paths: { '/a': {}, '/b': {} } })],
  ['OpenAPI 3.1, 2 paths', 'connectors', yaml],
  ['Swagger 2.0, 1 path', 'connectors', '\uFEFF{"swagger": "2.0", "paths": {"/a": {}}}'],
  ['Swagger 2.0, 0 paths', 'connectors', 'swagger: "2.0"\ninfo: {}'],
  ['Postman collection, 3 requests', 'connectors', JSON.stringify(postman)],
  ['2 curl commands', 'connectors', 'curl http://a.example/x\ncurl -X POST http://a.example/y'],
  [
    'Millrace connector “Shop”, 1 action',
    'connectors',
    JSON.stringify({ format: 'millrace-connector', connector: { name: 'Shop' }, actions: [{}] }),
  ],
  [
    'Millrace flow “Greet”, 2 steps',
    'flows',
    JSON.stringify({ format: 'millrace-flow', flows: [{ name: 'Greet', steps: [{}, {}] }] }),
  ],
  [
    'Millrace flow “Greet”, 0 steps, including 1 flow',
    'flows',
    JSON.stringify({ format: 'millrace-flow', flows: [{ name: 'Greet', steps: [] }, {}] }),
  ],
  ['n8n workflow, 2 nodes', 'flows', JSON.stringify([{ nodes: [{}, {}], connections: {} }])],
])('%s', (label, list, source) => {
  expect(recognize(source)).toEqual({ list, label })
})

test("text that can't be imported, or isn't complete yet, isn't recognized", () => {
  const sources = ['', '  ', 'hello', '{"openapi": "3.1', '[1, 2]', 'null', '{"a": 1}', 'curl', '<xml/>']
  expect(sources.map(recognize)).toEqual(sources.map(() => null))
})

test('every sample of Millrace is recognized as a flow', () => {
  const lists = globSync(join(import.meta.dirname, '../../../../resources/samples/*.json')).map(
    (path) => recognize(readFileSync(path, 'utf8'))?.list,
  )
  expect(new Set(lists)).toEqual(new Set(['flows']))
})
