import {
  checkTokenRoute,
  createTokenRoute,
  listTokensRoute,
  regenerateTokenRoute,
  revokeTokenRoute,
} from '../../../shared/contract/tokens.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { reply } from '../answer/reply.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountTokens(app: App, { tokens }: Pick<Services, 'tokens'>): void {
  mountRoute(app, createTokenRoute, ({ caller, body }) => tokens.create(caller, body))
  mountRoute(app, listTokensRoute, ({ caller, query, request }) =>
    replyPage(request, tokens.list(caller, query)),
  )
  mountRoute(app, checkTokenRoute, ({ body }) => {
    const { check, headers } = tokens.check(body.value)
    return reply(200, check, headers)
  })
  mountRoute(app, regenerateTokenRoute, ({ caller, params, body }) =>
    tokens.regenerate(caller, params.id, body),
  )
  mountRoute(app, revokeTokenRoute, ({ caller, params }) => tokens.revoke(caller, params.id))
}
