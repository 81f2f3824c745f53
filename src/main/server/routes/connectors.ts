import { importSourceRoutes } from '../../../shared/contract/import-sources.ts'
import { actionTryRoutes } from '../../../shared/contract/action-tries.ts'
import { connectorImportRoutes } from '../../../shared/contract/connector-imports.ts'
import { connectorRoutes, actionRoutes } from '../../../shared/contract/connectors.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { toReentry } from '../../../shared/contract/base/reentry.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountConnectors(
  app: App,
  {
    connectors,
    connectorFiles: files,
    actions,
    actionTries,
    remoteSearch,
    importUrls,
  }: Pick<
    Services,
    'importUrls' | 'connectors' | 'connectorFiles' | 'actions' | 'actionTries' | 'remoteSearch'
  >,
): void {
  mount(app, connectorImportRoutes, {
    planImportRoute: ({ caller, body }) => files.plan(caller, body),
    importConnectorRoute: ({ caller, body }) => files.make(caller, body),
    exportConnectorRoute: ({ params }) => files.export(params.id),
  })
  mount(app, connectorRoutes, {
    createConnectorRoute: ({ caller, body }) => connectors.create(caller, body),
    listConnectorsRoute: ({ query, request }) => replyPage(request, connectors.list(query)),
    readConnectorRoute: ({ params }) => connectors.read(params.id),
    readConnectorImageRoute: ({ params }) => connectors.image(params.id),
    updateConnectorRoute: ({ caller, params, body, query }) =>
      connectors.update(caller, params.id, body, toReentry(query)),
    deleteConnectorRoute: ({ params }) => connectors.remove(params.id),
    copyConnectorRoute: ({ params, body }) => connectors.copy(params.id, body),
    searchConnectorRoute: ({ caller, params, body }) => remoteSearch.search(caller, params.id, body),
  })

  mount(app, actionRoutes, {
    createActionRoute: ({ caller, body, query }) => actions.create(caller, body, toReentry(query)),
    listActionsRoute: ({ query, request }) => replyPage(request, actions.list(query)),
    readActionRoute: ({ params }) => actions.read(params.id),
    updateActionRoute: ({ caller, params, body, query }) =>
      actions.update(caller, params.id, body, toReentry(query)),
    deleteActionRoute: ({ params }) => actions.remove(params.id),
  })
  mount(app, actionTryRoutes, {
    tryActionRoute: ({ caller, params, body }) => actionTries.run(caller, params.id, body),
    tryConnectorRoute: ({ caller, params, body }) => actionTries.runDraft(caller, params.id, body),
  })
  mount(app, importSourceRoutes, {
    readImportUrlRoute: ({ body }) => importUrls.read(body.url),
  })
}
