import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  toEndpoint,
  toPath,
  withPathFields,
} from '../../../../src/renderer/features/connectors/path-parameters.ts'

const stored = (name: string) => `{{ input.${name} | urlencode | replace('/', '%2F') }}`

test('a parameter in braces is stored as a template that encodes it, and read back', () => {
  const endpoint = `users/${stored('id')}/orders/${stored('orderId')}?v={{ input.v }}`
  expect(toEndpoint('users/{id}/orders/{orderId}?v={{ input.v }}', '')).toBe(endpoint)
  expect(toPath(endpoint)).toBe('users/{id}/orders/{orderId}?v={{ input.v }}')
})

test('every other template, even an incomplete one, stays unchanged', () => {
  const texts = [
    '',
    'users/{',
    'users/{i',
    '{{',
    '{{id}}',
    '{{ id }',
    '{{ {"a": 1}["a"] }}',
    '{1}',
    '{a b}',
    '{}',
  ]
  const paths = texts.map((text) => toPath(toEndpoint(text, '')))
  expect({ paths, stored: texts.map((text) => toEndpoint(text, '')) }).toEqual({
    paths: texts,
    stored: texts,
  })
})

test('literal braces that were stored stay literal when the path is edited', () => {
  expect([toPath('a/{b}'), toEndpoint('a/{b}/c', 'a/{b}')]).toEqual(['a/{b}', 'a/{b}/c'])
})

test('the endpoints of all built-in connectors are unchanged after they are converted to paths and back', () => {
  const files = globSync(join(import.meta.dirname, '../../../../resources/connectors/*.json'))
  const endpoints = files.flatMap((path) => {
    const { actions } = JSON.parse(readFileSync(path, 'utf8')) as { actions: { endpoint: string }[] }
    return actions.map(({ endpoint }) => endpoint)
  })
  expect(endpoints.length).toBeGreaterThan(100)
  expect(endpoints.filter((endpoint) => toEndpoint(toPath(endpoint), endpoint) !== endpoint)).toEqual([])
})

test('each parameter gets exactly one field, and existing fields stay', () => {
  const action = {
    endpoint: toEndpoint('users/{userId}/orders/{order_id}/{userId}', ''),
    ui_form_schema: [{ name: 'order_id', label: 'Number' }],
  }
  const { ui_form_schema: fields } = withPathFields(action)
  expect(fields).toEqual([
    { name: 'userId', label: 'User id', type: 'text', required: true },
    { name: 'order_id', label: 'Number' },
  ])
})
