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
import { toReentry } from '../../../shared/contract/base/reentry.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountEnvVariables(
  app: App,
  { envVariables: variables }: Pick<Services, 'envVariables'>,
): void {
  mountRoute(app, createEnvVariableRoute, ({ caller, body, query }) =>
    variables.create(caller, body, toReentry(query)),
  )
  mountRoute(app, listEnvVariablesRoute, ({ query, request }) => replyPage(request, variables.list(query)))
  mountRoute(app, readEnvVariableRoute, ({ params }) => variables.read(params.id))
  mountRoute(app, updateEnvVariableRoute, ({ caller, params, body, query }) =>
    variables.update(caller, params.id, body, toReentry(query)),
  )
  mountRoute(app, deleteEnvVariableRoute, ({ caller, params, query }) =>
    variables.remove(caller, params.id, toReentry(query)),
  )
}
