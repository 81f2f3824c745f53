import { connectorAuthRoutes, signInByCodeRoute } from '../../../shared/contract/connector-auths.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { mountStream } from '../mount/mount-stream.ts'
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
  mount(app, connectorAuthRoutes, {
    createConnectorAuthRoute: ({ caller, body }) => auths.create(caller, body),
    listConnectorAuthsRoute: ({ caller, query, request }) => replyPage(request, auths.list(caller, query)),
    listConnectorAuthUsesRoute: ({ caller }) => uses.list(caller),
    testNewConnectorAuthRoute: ({ caller, body }) => tests.runNew(caller, body),
    readConnectorAuthRoute: ({ caller, params }) => auths.read(caller, params.id),
    updateConnectorAuthRoute: ({ caller, params, body }) => auths.update(caller, params.id, body),
    deleteConnectorAuthRoute: ({ caller, params, query }) =>
      auths.remove(caller, params.id, { force: query.force === 'true' }),
    listConnectorAuthFlowsRoute: ({ caller, params }) => auths.flowsUsing(caller, params.id),
    listRateLimitsRoute: ({ caller, params }) => auths.rateLimits(caller, params.id),
    authorizeConnectorAuthRoute: ({ caller, params, body }) =>
      oauth.authorize(caller, params.id, body?.origin),
    testConnectorAuthRoute: ({ caller, params, body }) => tests.run(caller, params.id, body),
  })
  mountStream(app, signInByCodeRoute, ({ caller, params, signal }) =>
    oauth.signInByCode(caller, params.id, signal),
  )
}
