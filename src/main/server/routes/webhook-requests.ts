import { webhookRequestRoutes } from '../../../shared/contract/webhooks.ts'
import type { WebhookDetailsService } from '../../services/running/webhooks/request-details.ts'
import type { WebhooksService } from '../../services/running/webhooks/webhooks.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { replyKeyedPage } from '../answer/reply-list.ts'

interface WebhookRequestServices {
  readonly webhooks: WebhooksService
  readonly webhookDetails: WebhookDetailsService
}

export function mountWebhookRequests(app: App, { webhooks, webhookDetails }: WebhookRequestServices): void {
  mount(app, webhookRequestRoutes, {
    listPausedCountsRoute: () => [...webhooks.pausedCounts()],
    listWebhookRequestsRoute: async ({ query, request }) =>
      replyKeyedPage(request, await webhookDetails.list(query)),
    readWebhookRequestRoute: ({ params }) => webhookDetails.read(params.id),
    readRunAnswerRoute: ({ params }) => webhookDetails.answerOfRun(params.id),
  })
}
