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
    listWebhookRequestsRoute: ({ query: { preview, ...query }, request }) => {
      const { records, ...page } = webhooks.list(query)
      const shown = records.map((one) =>
        preview === 'true' ? { ...one, preview: webhookDetails.previewOf(one) } : one,
      )
      return replyKeyedPage(request, { ...page, records: shown })
    },
    readWebhookRequestRoute: ({ params }) => webhookDetails.read(params.id),
    readRunAnswerRoute: ({ params }) => webhookDetails.answerOfRun(params.id),
  })
}
