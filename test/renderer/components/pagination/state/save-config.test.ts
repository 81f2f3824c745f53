import { expect, test } from 'vitest'
import { EMPTY_FORM } from '../../../../../src/renderer/components/pagination/state/test-form.ts'
import { saveConfig } from '../../../../../src/renderer/components/pagination/state/save-config.ts'
import type { Action, Connector } from '../../../../../src/shared/contract/connectors.ts'
import { pageApiOf } from '../../../../helpers/page-api.ts'
import { startTestApp } from '../../../../helpers/test-app.ts'

test('a configuration of the last of more than 200 actions makes that action read all pages', async () => {
  const app = await startTestApp()
  const post = async <T>(path: string, body: object) => (await app.call('POST', path, body)).json as T
  const connector = await post<Connector>('/v1/connectors', { name: 'Large', base_domain: 'http://x.test' })
  const actions: Action[] = []
  for (let n = 0; n < 205; n += 1)
    actions.push(
      await post<Action>('/v1/connector-actions', {
        connector_id: connector.id,
        name: `action_${n}`,
        title: `Action ${n}`,
        method: 'GET',
        endpoint: `/things/${n}`,
      }),
    )
  const isOn = async () =>
    await Promise.all(
      [actions[0], actions[204]].map(
        async (one) =>
          ((await app.call('GET', `/v1/connector-actions/${one?.id}`)).json as Action)
            .supports_automatic_pagination,
      ),
    )
  const before = await isOn()
  const action = actions[204] as Action
  const form = {
    ...EMPTY_FORM,
    connectorId: connector.id,
    action: action.name,
    configText: '{"response_jsonpath": "$.items", "query": "{\\"page\\": {{ page + 1 }}}"}',
  }
  await saveConfig(pageApiOf(app), { scope: 'action', name: '' }, { form, connector, action })
  expect({ before, after: await isOn() }).toEqual({ before: [false, false], after: [false, true] })
})
