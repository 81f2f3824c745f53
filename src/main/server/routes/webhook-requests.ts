import { listPausedCountsRoute, listWebhookRequestsRoute } from '../../../shared/contract/webhooks.ts'
import type { WebhooksService } from '../../services/webhooks.ts'
import type { App } from '../app.ts'
import { mountRoute } from '../mount.ts'
import { replyKeyedPage } from '../reply-list.ts'

export function mountWebhookRequests(app: App, { webhooks }: { readonly webhooks: WebhooksService }): void {
  mountRoute(app, listPausedCountsRoute, () => [...webhooks.pausedCounts()])
  mountRoute(app, listWebhookRequestsRoute, ({ query, request }) =>
    replyKeyedPage(request, webhooks.list(query)),
  )
}
