import {
  authorizeConnectorAuthRoute,
  createConnectorAuthRoute,
  deleteConnectorAuthRoute,
  listConnectorAuthFlowsRoute,
  listConnectorAuthsRoute,
  listConnectorAuthUsesRoute,
  readConnectorAuthRoute,
  testConnectorAuthRoute,
  updateConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountConnectorAuths(
  app: App,
  {
    connectorAuths: auths,
    connectorAuthTests: tests,
    connectorAuthUses: uses,
    oauth,
  }: Pick<Services, 'connectorAuths' | 'connectorAuthTests' | 'connectorAuthUses' | 'oauth'>,
): void {
  mountRoute(app, createConnectorAuthRoute, ({ caller, body }) => auths.create(caller, body))
  mountRoute(app, listConnectorAuthsRoute, ({ caller, query, request }) =>
    replyPage(request, auths.list(caller, query)),
  )
  mountRoute(app, listConnectorAuthUsesRoute, ({ caller }) => uses.list(caller))
  mountRoute(app, readConnectorAuthRoute, ({ caller, params }) => auths.read(caller, params.id))
  mountRoute(app, updateConnectorAuthRoute, ({ caller, params, body }) =>
    auths.update(caller, params.id, body),
  )
  mountRoute(app, deleteConnectorAuthRoute, ({ caller, params, query }) =>
    auths.remove(caller, params.id, { force: query.force === 'true' }),
  )
  mountRoute(app, listConnectorAuthFlowsRoute, ({ caller, params }) => auths.flowsUsing(caller, params.id))
  mountRoute(app, authorizeConnectorAuthRoute, ({ caller, params, body }) =>
    oauth.authorize(caller, params.id, body?.origin),
  )
  mountRoute(app, testConnectorAuthRoute, ({ caller, params, body }) => tests.run(caller, params.id, body))
}
