import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { replayWebhookRequestsRoute } from '../../../shared/contract/reach/forwards.ts'
import { webhookHoldRoutes } from '../../../shared/contract/reach/webhook-holds.ts'
import { webhookRequestRoutes } from '../../../shared/contract/webhooks.ts'
import type { ChosenRecords } from '../../services/keeping/access/chosen-records.ts'
import { type Caller, ofReachedFlows, reachesFlow } from '../../services/kit/caller.ts'
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
  readonly chosenRecords: ChosenRecords
}

export function mountWebhookRequests(
  app: App,
  { webhooks, webhookDetails, webhookReplays, holds, chosenRecords }: WebhookRequestServices,
): void {
  /**
   * The ID of a held request. A request that the caller's token must not see is treated as if it had already been
   * decided.
   */
  function reached(caller: Caller, id: string): string {
    const held = holds.list().held.find((request) => request.id === id)
    if (held === undefined || !reachesFlow(caller, held.flow_id)) return ''
    chosenRecords.requireUse(caller, held.flow_id)
    return id
  }

  mountStream(app, replayWebhookRequestsRoute, ({ caller, body, signal }) => {
    if (body.flow_id !== undefined) chosenRecords.requireUse(caller, body.flow_id)
    else if (body.ids === undefined && caller.flowIds !== undefined)
      throw fieldErrors({ flow_id: [say('is required, because this token only reaches chosen flows')] })
    for (const id of body.ids ?? []) chosenRecords.requireRequest(caller, id)
    return webhookReplays.replay(body, signal)
  })
  mount(app, webhookRequestRoutes, {
    listPausedCountsRoute: ({ caller }) =>
      webhooks.pausedCounts().filter(({ flow_id: id }) => reachesFlow(caller, id)),
    listWebhookRequestsRoute: async ({ caller, query, request }) =>
      replyKeyedPage(request, await webhookDetails.list(ofReachedFlows(caller, query))),
    readWebhookRequestRoute: ({ params }) => webhookDetails.read(params.id),
    tryWebhookConditionRoute: ({ params, body }) => webhookDetails.tryCondition(params.id, body),
    readRunAnswerRoute: ({ params }) => webhookDetails.answerOfRun(params.id),
  })
  mount(app, webhookHoldRoutes, {
    setWebhookHoldRoute: ({ params, body }) => holds.set(params.id, body),
    removeWebhookHoldRoute: ({ params }) => holds.remove(params.id),
    listWebhookHoldsRoute: ({ caller }) => {
      const { set, held } = holds.list()
      const isReached = ({ flow_id: id }: { readonly flow_id: string }) => reachesFlow(caller, id)
      return { set: set.filter(isReached), held: held.filter(isReached) }
    },
    releaseHeldRequestRoute: ({ caller, params, body }) => holds.release(reached(caller, params.id), body),
    answerHeldRequestRoute: ({ caller, params, body }) => holds.answer(reached(caller, params.id), body),
    dropHeldRequestRoute: ({ caller, params }) => holds.drop(reached(caller, params.id)),
  })
}
