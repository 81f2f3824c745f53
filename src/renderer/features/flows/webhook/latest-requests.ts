import { listWebhookRequestsRoute } from '../../../../shared/contract/webhooks.ts'
import { resource } from '../../../api/resource.ts'

/** The latest requests to the webhook of a flow, newest first. */
export const latestRequestsOf = (flowId: string) =>
  resource(listWebhookRequestsRoute, {
    nouns: ['webhook_request'],
    concerns: ({ flow_id: id }) => id === flowId,
    query: { filter: `flow_id,eq,${flowId}`, per_page: '20' },
  })
