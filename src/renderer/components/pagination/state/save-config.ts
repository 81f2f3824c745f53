import {
  copyConnectorRoute,
  createActionRoute,
  createConnectorRoute,
  updateActionRoute,
  updateConnectorRoute,
} from '../../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { Api } from '../../../api/create-api.ts'
import { t } from '../../../lib/i18n.ts'
import { readConfigText, withActionConfig } from './config-text.ts'
import type { TestForm } from './test-form.ts'
import { actionsOf } from '../../../api/lists.ts'
import { cached } from '../../../api/resource.ts'

type UsedApi = Pick<Api, 'call' | 'list' | 'live'>

/** The place to save a working configuration in. */
export interface SaveWish {
  /** For all actions of the connector, for this action only (first in the connector's list), or in a new connector. */
  readonly scope: 'connector' | 'action' | 'new'
  /** The name of the copy or of the new connector. */
  readonly name: string
}

interface Tested {
  readonly form: TestForm
  readonly connector: Connector | null
  readonly action: Action | null
}

/** Saves the configuration in its connector, in a copy of a built-in one, or in a new one. */
export async function saveConfig(
  api: UsedApi,
  wish: SaveWish,
  { form, connector, action }: Tested,
): Promise<Connector> {
  const config = configOf(form)
  if (wish.scope === 'new' || connector === null) return await createFrom(api, wish.name, form, config)
  const own = connector.built_in
    ? await api.call(copyConnectorRoute, { params: { id: connector.id }, body: { name: wish.name } })
    : connector
  const saved = await api.call(updateConnectorRoute, {
    params: { id: own.id },
    body: { pagination_config: savedConfig(wish, own, action, config) as Connector['pagination_config'] },
  })
  if (action !== null && !action.supports_automatic_pagination) await switchOn(api, own, action)
  return saved
}

/** The connector's configuration after saving, for the dialog that asks and for the request that saves it. */
export function savedConfig(
  { scope }: Pick<SaveWish, 'scope'>,
  connector: Pick<Connector, 'pagination_config'>,
  action: Pick<Action, 'endpoint'> | null,
  config: unknown,
): unknown {
  if (scope !== 'action' || action === null) return config
  return withActionConfig(connector.pagination_config, action.endpoint, config)
}

/** Without this an action sends one request, whatever the configuration says. */
async function switchOn(api: UsedApi, connector: Connector, { name }: Action): Promise<void> {
  const actions = await cached(api, actionsOf(connector.id)).read()
  const own = actions.find((one) => one.name === name)
  if (own === undefined) return
  const body = { supports_automatic_pagination: true }
  await api.call(updateActionRoute, { params: { id: own.id }, body })
}

async function createFrom(
  api: Pick<Api, 'call'>,
  name: string,
  form: TestForm,
  config: unknown,
): Promise<Connector> {
  const connector = await api.call(createConnectorRoute, {
    body: {
      name,
      base_domain: form.baseUrl,
      pagination_config: config as Connector['pagination_config'],
    },
  })
  const headers = Object.entries(form.headers).map(([key, value]) => [key, String(value)])
  await api.call(createActionRoute, {
    body: {
      connector_id: connector.id,
      name: actionName(form.endpoint),
      title: t('List {{endpoint}}', {
        endpoint: form.endpoint.split(/[/?]/).findLast((part) => part !== '') ?? t('records'),
      }),
      method: form.method as Action['method'],
      endpoint: form.endpoint,
      query: form.query,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: form.body,
      supports_automatic_pagination: true,
    },
  })
  return connector
}

function actionName(endpoint: string): string {
  const words = endpoint.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return ['list', ...words].join('_').slice(0, 100)
}

function configOf(form: TestForm): unknown {
  const read = readConfigText(form.configText)
  return 'value' in read ? read.value : null
}
