import { expect, test } from 'vitest'
import { startTestApp } from '../helpers/test-app.ts'

const FORM = [
  { name: 'text', type: 'text', label: 'Text', required: true, placeholder: 'x', help: 'y' },
  { name: 'textarea', type: 'textarea' },
  { name: 'number', type: 'number' },
  { name: 'email', type: 'email' },
  { name: 'password', type: 'password' },
  { name: 'one', type: 'select', options: [{ value: 'a', label: 'A' }, { value: 1 }, 'b'] },
  { name: 'many', type: 'select', multiple: true, allowCreate: true, options: [] },
  { name: 'switch', type: 'switch' },
  { name: 'date', type: 'date' },
  { name: 'datetime', type: 'datetime' },
  { name: 'range', type: 'daterange' },
  { name: 'nested', type: 'nested_object', fields: [{ name: 'inner', type: 'text', shown_if: 'x' }] },
]

test('a form can have fields of every type, and is kept as it was sent', async () => {
  const app = await startTestApp()
  const shop = await app.call('POST', '/v1/connectors', { name: 'Shop', auth_config: { auth_form: FORM } })
  expect({ status: shop.status, authConfig: (shop.json as { auth_config: object }).auth_config }).toEqual({
    status: 201,
    authConfig: { auth_form: FORM },
  })
  const { id } = shop.json as { id: string }
  const action = { connector_id: id, name: 'a', method: 'GET', endpoint: '/', ui_form_schema: FORM }
  const made = await app.call('POST', '/v1/connector-actions', action)
  expect({ status: made.status, uiFormSchema: (made.json as typeof action).ui_form_schema }).toEqual({
    status: 201,
    uiFormSchema: FORM,
  })
})

test('an invalid form field is reported by its position, at any depth', async () => {
  const app = await startTestApp()
  const deep = (left: number): object => (left === 0 ? {} : { name: 'x', fields: [deep(left - 1)] })
  const cases: [object, string][] = [
    [{ type: 'text' }, 'ui_form_schema[0].name'],
    [{ name: '' }, 'ui_form_schema[0].name'],
    [{ name: 'a\0b' }, 'ui_form_schema[0].name'],
    [{ name: 'x', type: 'slider' }, 'ui_form_schema[0].type'],
    [{ name: 'x', required: 'yes' }, 'ui_form_schema[0].required'],
    [{ name: 'x', type: 'select', options: 'a,b' }, 'ui_form_schema[0].options'],
    [{ name: 'x', type: 'select', options: [{ label: 'A' }] }, 'ui_form_schema[0].options[0]'],
    [{ name: 'x', allowCreate: 1 }, 'ui_form_schema[0].allowCreate'],
    [{ name: 'x', type: 'nested_object', fields: {} }, 'ui_form_schema[0].fields'],
    [{ name: 'x', fields: [{ name: 'y' }, { type: 'text' }] }, 'ui_form_schema[0].fields[1].name'],
    [deep(9), 'ui_form_schema[0].fields[0].fields[0].fields'],
  ]
  const named = await Promise.all(
    cases.map(async ([field]) => {
      const body = { connector_id: 'x', name: 'a', method: 'GET', endpoint: '/', ui_form_schema: [field] }
      const { status, json } = await app.call('POST', '/v1/connector-actions', body)
      return [status, Object.keys((json as { data?: object }).data ?? {})[0]]
    }),
  )
  expect(named).toEqual(
    cases.map(([, place]) => [
      400,
      expect.stringMatching(new RegExp(`^${place.replaceAll(/[[\].]/g, '\\$&')}`)),
    ]),
  )
})
