import {
  createEnvVariableRoute,
  deleteEnvVariableRoute,
  listEnvVariablesRoute,
  readEnvVariableRoute,
  updateEnvVariableRoute,
} from '../../../shared/contract/env-variables.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountEnvVariables(
  app: App,
  { envVariables: variables }: Pick<Services, 'envVariables'>,
): void {
  mountRoute(app, createEnvVariableRoute, ({ body }) => variables.create(body))
  mountRoute(app, listEnvVariablesRoute, ({ query, request }) => replyPage(request, variables.list(query)))
  mountRoute(app, readEnvVariableRoute, ({ params }) => variables.read(params.id))
  mountRoute(app, updateEnvVariableRoute, ({ params, body }) => variables.update(params.id, body))
  mountRoute(app, deleteEnvVariableRoute, ({ params }) => variables.remove(params.id))
}
