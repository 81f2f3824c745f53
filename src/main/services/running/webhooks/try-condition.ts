/** Tries a condition of a webhook on the latest requests that were kept. */
import { englishOf, SAID } from '../../../../shared/contract/base/message.ts'
import type {
  tryWebhookConditionRoute,
  TriedCondition,
  WebhookRequest,
} from '../../../../shared/contract/webhooks.ts'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import { dictionaryOf } from '@millrace/jinja/data'
import type { z } from 'zod'
import { parseWebhookInput } from '../../../engine/webhook/parse-input.ts'
import type { Store } from '../../../store/index.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import { readStart, type RunStart } from '../execution/resume-log.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import type { RunnableFlows } from '../execution/runnable-flows.ts'
import { conditionNames, reasonOf } from './door.ts'
import { queryOf } from './webhook-call.ts'

export interface TryConditionOptions {
  readonly store: Pick<Store, 'webhookRequests' | 'runStates'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly env: EnvValues
  readonly secrets: KnownSecrets
}

const MOST_TRIED = 20
/** More than the number that is tried, because some requests were rejected or are no longer kept. */
const MOST_LOOKED_AT = 100

type Condition = z.output<typeof tryWebhookConditionRoute.body>

export function createTryCondition({ store, runnable, env, secrets }: TryConditionOptions) {
  async function startOf(request: WebhookRequest): Promise<RunStart | null> {
    try {
      if (request.flow_run_id === null)
        return request.outcome === 'filtered' ? await startOfFiltered(request) : null
      const state = store.runStates.firstOf(request.flow_run_id)
      return state === null ? null : readStart([state])
    } catch {
      return null // sealed with a key that isn't available now, or cut off
    }
  }

  async function startOfFiltered({
    id,
    method,
    path,
    headers,
    size,
  }: WebhookRequest): Promise<RunStart | null> {
    const body = store.webhookRequests.rejectedBodyOf(id)
    if (body === null || body.length < size) return null
    const payload = {
      body,
      contentType: headers['content-type'],
      contentEncoding: headers['content-encoding'],
      query: queryOf(path),
    }
    const { input, decodedBody } = await parseWebhookInput(payload, () =>
      Promise.resolve({ file_id: '', size: 0 }),
    )
    const webhook = dictionaryOf([
      ['method', method],
      ['headers', dictionaryOf(Object.entries(headers))],
      ['raw_body', decodedBody.toString('utf8')],
    ])
    return { input, webhook }
  }

  /** @throws AppError `not_found` */
  return async (flowId: string, { condition, ref_id: given }: Condition): Promise<TriedCondition> => {
    const flow = runnable.get(flowId)
    if (flow === null) throw flowNotFound(flowId)
    const ref = given ?? flow.compiled.trigger?.ref ?? 'input'
    const filters = [{ field: 'flow_id', operator: 'eq', value: flowId }] as const
    const { records } = store.webhookRequests.list({ filters, perPage: MOST_LOOKED_AT })
    let [tried, met] = [0, 0]
    let problem: TemplateError | null = null
    for (const request of records) {
      if (tried === MOST_TRIED) break
      const start = await startOf(request)
      if (start === null) continue
      tried++
      try {
        if (jinja.evaluateCondition(condition, conditionNames(env, ref, start))) met++
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        problem ??= error
      }
    }
    if (problem === null) return { tried, met, problem }
    const reason = reasonOf(problem, secrets.redactor())
    return typeof reason === 'string'
      ? { tried, met, problem: reason }
      : { tried, met, problem: englishOf(reason), [SAID]: reason }
  }
}
