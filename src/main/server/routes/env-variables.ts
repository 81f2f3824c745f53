import { envVariableRoutes } from '../../../shared/contract/env-variables.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { toReentry } from '../../../shared/contract/base/reentry.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountEnvVariables(
  app: App,
  { envVariables: variables }: Pick<Services, 'envVariables'>,
): void {
  mount(app, envVariableRoutes, {
    createEnvVariableRoute: ({ caller, body, query }) => variables.create(caller, body, toReentry(query)),
    listEnvVariablesRoute: ({ query, request }) => replyPage(request, variables.list(query)),
    readEnvVariableRoute: ({ params }) => variables.read(params.id),
    updateEnvVariableRoute: ({ caller, params, body, query }) =>
      variables.update(caller, params.id, body, toReentry(query)),
    deleteEnvVariableRoute: ({ caller, params, query }) =>
      variables.remove(caller, params.id, toReentry(query)),
  })
}
