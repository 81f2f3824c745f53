import { tryActionRoute, tryConnectorRoute } from '../../../shared/contract/action-tries.ts'
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
  readConnectorImageRoute,
  readConnectorRoute,
  searchConnectorRoute,
  updateActionRoute,
  updateConnectorRoute,
} from '../../../shared/contract/connectors.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
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
  }: Pick<Services, 'connectors' | 'connectorFiles' | 'actions' | 'actionTries' | 'remoteSearch'>,
): void {
  mountRoute(app, planImportRoute, ({ caller, body }) => files.plan(caller, body))
  mountRoute(app, importConnectorRoute, ({ caller, body }) => files.make(caller, body))
  mountRoute(app, exportConnectorRoute, ({ params }) => files.export(params.id))
  mountRoute(app, createConnectorRoute, ({ caller, body }) => connectors.create(caller, body))
  mountRoute(app, listConnectorsRoute, ({ query, request }) => replyPage(request, connectors.list(query)))
  mountRoute(app, readConnectorRoute, ({ params }) => connectors.read(params.id))
  mountRoute(app, readConnectorImageRoute, ({ params }) => connectors.image(params.id))
  mountRoute(app, updateConnectorRoute, ({ caller, params, body, query }) =>
    connectors.update(caller, params.id, body, toReentry(query)),
  )
  mountRoute(app, deleteConnectorRoute, ({ params }) => connectors.remove(params.id))
  mountRoute(app, copyConnectorRoute, ({ params, body }) => connectors.copy(params.id, body))
  mountRoute(app, searchConnectorRoute, ({ caller, params, body }) =>
    remoteSearch.search(caller, params.id, body),
  )

  mountRoute(app, createActionRoute, ({ caller, body, query }) =>
    actions.create(caller, body, toReentry(query)),
  )
  mountRoute(app, listActionsRoute, ({ query, request }) => replyPage(request, actions.list(query)))
  mountRoute(app, readActionRoute, ({ params }) => actions.read(params.id))
  mountRoute(app, updateActionRoute, ({ caller, params, body, query }) =>
    actions.update(caller, params.id, body, toReentry(query)),
  )
  mountRoute(app, deleteActionRoute, ({ params }) => actions.remove(params.id))
  mountRoute(app, tryActionRoute, ({ caller, params, body }) => actionTries.run(caller, params.id, body))
  mountRoute(app, tryConnectorRoute, ({ caller, params, body }) =>
    actionTries.runDraft(caller, params.id, body),
  )
}
