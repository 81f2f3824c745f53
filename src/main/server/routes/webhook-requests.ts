import { replayWebhookRequestsRoute } from '../../../shared/contract/reach/forwards.ts'
import { webhookHoldRoutes } from '../../../shared/contract/reach/webhook-holds.ts'
import { webhookRequestRoutes } from '../../../shared/contract/webhooks.ts'
import type { ReplaysService } from '../../services/running/webhooks/replays.ts'
import type { WebhookDetailsService } from '../../services/running/webhooks/request-details.ts'
import type { HoldsService } from '../../services/running/webhooks/holds.ts'
import type { WebhooksService } from '../../services/running/webhooks/webhooks.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { mountStream } from '../mount/mount-stream.ts'
import { replyKeyedPage } from '../answer/reply-list.ts'

interface WebhookRequestServices {
  readonly webhooks: WebhooksService
  readonly webhookDetails: WebhookDetailsService
  readonly webhookReplays: ReplaysService
  readonly holds: HoldsService
}

export function mountWebhookRequests(
  app: App,
  { webhooks, webhookDetails, webhookReplays, holds }: WebhookRequestServices,
): void {
  mountStream(app, replayWebhookRequestsRoute, ({ body, signal }) => webhookReplays.replay(body, signal))
  mount(app, webhookRequestRoutes, {
    listPausedCountsRoute: () => [...webhooks.pausedCounts()],
    listWebhookRequestsRoute: async ({ query, request }) =>
      replyKeyedPage(request, await webhookDetails.list(query)),
    readWebhookRequestRoute: ({ params }) => webhookDetails.read(params.id),
    tryWebhookConditionRoute: ({ params, body }) => webhookDetails.tryCondition(params.id, body),
    readRunAnswerRoute: ({ params }) => webhookDetails.answerOfRun(params.id),
  })
  mount(app, webhookHoldRoutes, {
    setWebhookHoldRoute: ({ params, body }) => holds.set(params.id, body),
    removeWebhookHoldRoute: ({ params }) => holds.remove(params.id),
    listWebhookHoldsRoute: () => holds.list(),
    releaseHeldRequestRoute: ({ params, body }) => holds.release(params.id, body),
    answerHeldRequestRoute: ({ params, body }) => holds.answer(params.id, body),
    dropHeldRequestRoute: ({ params }) => holds.drop(params.id),
  })
}
