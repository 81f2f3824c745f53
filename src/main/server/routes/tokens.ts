import { tokenRoutes } from '../../../shared/contract/tokens.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { reply } from '../answer/reply.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountTokens(app: App, { tokens }: Pick<Services, 'tokens'>): void {
  mount(app, tokenRoutes, {
    createTokenRoute: ({ caller, body }) => tokens.create(caller, body),
    listTokensRoute: ({ caller, query, request }) => replyPage(request, tokens.list(caller, query)),
    checkTokenRoute: ({ body }) => {
      const { check, headers } = tokens.check(body.value)
      return reply(200, check, headers)
    },
    regenerateTokenRoute: ({ caller, params, body }) => tokens.regenerate(caller, params.id, body),
    revokeTokenRoute: ({ caller, params }) => tokens.revoke(caller, params.id),
  })
}
