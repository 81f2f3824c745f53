import {
  listPausedCountsRoute,
  listWebhookRequestsRoute,
  readRunAnswerRoute,
  readWebhookRequestRoute,
} from '../../../shared/contract/webhooks.ts'
import type { WebhookDetailsService } from '../../services/webhooks/request-details.ts'
import type { WebhooksService } from '../../services/webhooks/webhooks.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyKeyedPage } from '../answer/reply-list.ts'

interface WebhookRequestServices {
  readonly webhooks: WebhooksService
  readonly webhookDetails: WebhookDetailsService
}

export function mountWebhookRequests(app: App, { webhooks, webhookDetails }: WebhookRequestServices): void {
  mountRoute(app, listPausedCountsRoute, () => [...webhooks.pausedCounts()])
  mountRoute(app, listWebhookRequestsRoute, ({ query: { preview, ...query }, request }) => {
    const { records, ...page } = webhooks.list(query)
    const shown = records.map((one) =>
      preview === 'true' ? { ...one, preview: webhookDetails.previewOf(one) } : one,
    )
    return replyKeyedPage(request, { ...page, records: shown })
  })
  mountRoute(app, readWebhookRequestRoute, ({ params }) => webhookDetails.read(params.id))
  mountRoute(app, readRunAnswerRoute, ({ params }) => webhookDetails.answerOfRun(params.id))
}
