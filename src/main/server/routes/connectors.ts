import { tryActionRoute } from '../../../shared/contract/action-tries.ts'
import {
  exportConnectorRoute,
  importConnectorRoute,
  planImportRoute,
} from '../../../shared/contract/connector-imports.ts'
import {
  copyConnectorRoute,
  createActionRoute,
  createConnectorRoute,
  deleteActionRoute,
  deleteConnectorRoute,
  listActionsRoute,
  listConnectorsRoute,
  readActionRoute,
  readConnectorRoute,
  searchConnectorRoute,
  updateActionRoute,
  updateConnectorRoute,
} from '../../../shared/contract/connectors.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountConnectors(
  app: App,
  {
    connectors,
    connectorFiles: files,
    actions,
    actionTries,
    remoteSearch,
  }: Pick<Services, 'connectors' | 'connectorFiles' | 'actions' | 'actionTries' | 'remoteSearch'>,
): void {
  mountRoute(app, planImportRoute, ({ body }) => files.plan(body.source))
  mountRoute(app, importConnectorRoute, ({ body }) => files.make(body))
  mountRoute(app, exportConnectorRoute, ({ params }) => files.export(params.id))
  mountRoute(app, createConnectorRoute, ({ body }) => connectors.create(body))
  mountRoute(app, listConnectorsRoute, ({ query, request }) => replyPage(request, connectors.list(query)))
  mountRoute(app, readConnectorRoute, ({ params }) => connectors.read(params.id))
  mountRoute(app, updateConnectorRoute, ({ params, body }) => connectors.update(params.id, body))
  mountRoute(app, deleteConnectorRoute, ({ params }) => connectors.remove(params.id))
  mountRoute(app, copyConnectorRoute, ({ params, body }) => connectors.copy(params.id, body))
  mountRoute(app, searchConnectorRoute, ({ caller, params, body }) =>
    remoteSearch.search(caller, params.id, body),
  )

  mountRoute(app, createActionRoute, ({ body }) => actions.create(body))
  mountRoute(app, listActionsRoute, ({ query, request }) => replyPage(request, actions.list(query)))
  mountRoute(app, readActionRoute, ({ params }) => actions.read(params.id))
  mountRoute(app, updateActionRoute, ({ params, body }) => actions.update(params.id, body))
  mountRoute(app, deleteActionRoute, ({ params }) => actions.remove(params.id))
  mountRoute(app, tryActionRoute, ({ caller, params, body }) => actionTries.run(caller, params.id, body))
}
