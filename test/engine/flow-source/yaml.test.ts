import { expect, test } from 'vitest'
import { flowSource, type FlowSource } from '../../../src/shared/contract/flow-files.ts'
import { parseInput } from '../../../src/shared/contract/base/validate.ts'
import { parseJson, writeJson } from '../../../packages/jinja/src/data/json.ts'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { normalSource, revisionOf } from '../../../src/main/engine/flow-source/normal-form.ts'
import { readYaml, writeYaml } from '../../../src/main/engine/flow-source/yaml.ts'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

const aSource = (steps: string, more = ''): FlowSource =>
  parseInput(flowSource, parseJson(`{"id": "${ID}", "name": "Odd: one", ${more} "steps": ${steps}}`))

const faultsOf = (text: string) => {
  const read = readYaml(text)
  return 'faults' in read ? read.faults.map(({ line, message }) => `${line}: ${message}`) : []
}

/** Values that YAML could read as something else, or could lose. */
const ODD = `{
  "yes": "yes", "no": "no", "null": "null", "tilde": "~", "empty": "", "blank": " ", "octal": "0o17", "hex": "0x1F",
  "date": "2026-03-01", "colon": "a: b", "hash": "a # b", "dash": "- a", "brace": "{{ order.id }}", "at": "@x",
  "tag": "!x", "anchor": "&x", "alias": "*x", "percent": "%x", "quote": "'\\"", "number": "12", "float": "1.0",
  "lines": "one\\ntwo\\n\\n  three \\n", "crlf": "one\\r\\ntwo", "cr": "one\\rtwo", "tab": "\\tone\\n\\ttwo", "only": "\\n",
  "control": "\\u0000\\u001b\\u0085\\u2028\\ufeff", "emoji": "🍏", "long": "${'word '.repeat(60)}",
  "big": 123456789012345678901234567890, "whole": 1.0, "tiny": 1e-7, "huge": 1e300, "negative": -0.5, "minus": -7,
  "list": [[], {}, [1, [2]], null, true, false], "10": "ten", "2": "two", "a b": 1, "": 0, "true": 1, "1.5": 2, "k: v": 3,
  "multi\\nline": 4
}`

test('a flow is unchanged after it is written and read', () => {
  const source = aSource(
    `[{"ref_id": "one", "type": "set", "title": "T: 1", "config": {"values": ${ODD}}},
      {"ref_id": "two", "type": "loop", "config": {"over": "{{ one.list }}"}, "steps": [
        {"ref_id": "three", "type": "switch", "config": {"value": "{{ item }}"},
         "cases": [{"label": "a", "steps": [{"ref_id": "four", "type": "delay", "config": {"seconds": 1}}]}], "default": []}]}]`,
    '"description": "First line\\nsecond", "tags": ["b", "a"], "settings": {"timeout_seconds": 60},',
  )
  const normal = normalSource(source)
  const text = writeYaml(normal)
  const read = readYaml(text)
  expect('source' in read).toBe(true)
  const again = normalSource((read as { source: FlowSource }).source)
  expect(writeJson(again)).toBe(writeJson(normal))
  expect({ text: writeYaml(again), crlf: readYaml(text.replaceAll('\n', '\r\n')) }).toEqual({
    text,
    crlf: read,
  })
})

test('a file has its keys in a fixed order, no defaults, and multi-line text on several lines', () => {
  const source = aSource(
    `[{"type": "rest", "ref_id": "call", "on_error": "stop", "config": {"body": {"z": 1, "a": 2}, "url": "https://api.example.com",
       "headers": {}, "method": "POST", "fail_on_error": true}},
      {"ref_id": "js", "type": "code", "config": {"source": "const a = 1\\nreturn a\\n"}}]`,
    '"tags": [], "settings": {"timeout_seconds": 3600, "log_all_steps": false},',
  )
  expect(writeYaml(normalSource(source))).toBe(`millrace_flow: 1
id: ${ID}
name: "Odd: one"
settings:
  log_all_steps: false
steps:
  - ref_id: call
    type: rest
    config:
      method: POST
      url: https://api.example.com
      body:
        z: 1
        a: 2
  - ref_id: js
    type: code
    config:
      source: |
        const a = 1
        return a
`)
})

test('equal content has the same revision, however it is written', () => {
  const short = aSource('[{"ref_id": "call", "type": "rest", "config": {"url": "https://a.example"}}]')
  const long = aSource(
    '[{"type": "rest", "ref_id": "call", "title": "", "disabled": false, "config": {"method": "GET", "body": null, "url": "https://a.example"}}]',
    '"settings": {"concurrency": null},',
  )
  const other = aSource('[{"ref_id": "call", "type": "rest", "config": {"url": "https://b.example"}}]')
  const [one, same, different] = [short, long, other].map((source) => revisionOf(normalSource(source)))
  expect(same).toBe(one)
  expect(different).not.toBe(one)
})

test('an error is reported with its line', () => {
  const head = `millrace_flow: 1\nid: ${ID}\nname: Broken\n`
  expect({
    syntax: faultsOf(`${head}steps:\n  - ref_id: a\n    type: [set\n`),
    twice: faultsOf(`${head}name: Again\nsteps: []\n`),
    tab: faultsOf(`${head}steps:\n\t- a\n`).length > 0,
    field: faultsOf(`${head}steps:\n  - ref_id: a b\n    type: set\n  - type: set\n`),
    unknown: faultsOf(`${head}status: active\nsteps: []\n`),
    newer: faultsOf(`${head.replace(': 1', ': 2')}steps: []\n`),
    other: faultsOf('services:\n  web: {}\n'),
    text: faultsOf('just text'),
    nothing: faultsOf(''),
    documents: faultsOf(`${head}steps: []\n---\n${head}`),
    alias: faultsOf(`${head}steps: &a\n  - *a\n`),
    tag: faultsOf(`${head}steps:\n  - !!js/function 'x'\n`).length > 0,
    infinite: faultsOf(`${head}steps:\n  - ref_id: a\n    type: set\n    config: { values: { x: .inf } }\n`),
    deep: faultsOf(`${head}steps: ${'['.repeat(20_000)}`),
    merge: faultsOf(`${head}<<: { a: 1 }\nsteps: []\n`),
  }).toMatchInlineSnapshot(`
    {
      "alias": [
        "5: an alias (*) is not supported; write the value again",
      ],
      "deep": [
        "1: is nested more than 64 deep",
      ],
      "documents": [
        "5: a second document begins here; use one file for each flow",
      ],
      "field": [
        "5: steps[0].ref_id must begin with a letter or _, then letters, digits and _, got "a b"",
        "7: steps[1].ref_id is required",
      ],
      "infinite": [
        "7: is not a number that JSON has",
      ],
      "merge": [
        "4: << is unknown; remove it or use one of id, name, description, tags, settings, steps",
      ],
      "newer": [
        "1: has version 2 of the format, which this Millrace doesn't know; update Millrace",
      ],
      "nothing": [
        "1: isn't a flow: "millrace_flow: 1" is expected first",
      ],
      "other": [
        "1: isn't a flow: "millrace_flow: 1" is missing",
      ],
      "syntax": [
        "7: Flow sequence in block collection must be sufficiently indented and end with a ]",
      ],
      "tab": true,
      "tag": true,
      "text": [
        "1: isn't a flow: "millrace_flow: 1" is expected first",
      ],
      "twice": [
        "4: Map keys must be unique",
      ],
      "unknown": [
        "4: status is unknown; remove it or use one of id, name, description, tags, settings, steps",
      ],
    }
  `)
})

test('keys that could reach a prototype are only data', () => {
  const text = writeYaml(normalSource(aSource('[]'))).replace(
    'steps: []',
    'steps:\n  - ref_id: a\n    type: set\n    config: { values: { __proto__: { x: 1 }, constructor: 1 } }',
  )
  const read = readYaml(text) as { source: FlowSource }
  expect(writeJson(read.source.steps[0]?.config as Data)).toBe('{"values":{"constructor":1}}')
  expect(({} as { x?: unknown }).x).toBe(undefined)
})
