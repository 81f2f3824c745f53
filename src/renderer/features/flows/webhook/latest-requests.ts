import { listWebhookRequestsRoute } from '../../../../shared/contract/webhooks.ts'
import { resource } from '../../../api/resource.ts'

/** What reached the webhook of a flow last, newest first. */
export const latestRequestsOf = (flowId: string) =>
  resource(listWebhookRequestsRoute, {
    nouns: ['webhook_request'],
    concerns: ({ flow_id: id }) => id === flowId,
    query: { filter: `flow_id,eq,${flowId}`, per_page: '20' },
  })
