/**
 * Requests that a webhook answers without running its flow: checks of its URL, and requests that its condition filters
 * out.
 */
import { englishOf, type Said, say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { StepConfig } from '../../../../shared/contract/step-types/index.ts'
import type { Data } from '@millrace/jinja/data'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { answerHandshake } from '../../../engine/webhook/handshake.ts'
import { SANDBOX_HEADERS } from '../../../engine/webhook/response-headers.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { WebhookReply } from './await-answer.ts'
import type { Deliveries } from './deliveries.ts'
import { type Listing, queryOf, type WebhookCall, type WebhookHead } from './webhook-call.ts'

export type Door = ReturnType<typeof createDoor>

type Config = StepConfig<'webhook'>

export interface DoorOptions {
  readonly deliveries: Pick<Deliveries, 'secretOf'>
  readonly env: EnvValues
}

interface Answered {
  readonly answer: WebhookReply
  readonly listing: Listing
}

export function createDoor({ deliveries, env }: DoorOptions) {
  return {
    /**
     * Null if the request isn't a check of the URL by the service that the webhook names.
     *
     * @param body null if it hasn't been read yet
     * @throws AppError if it is such a check but a wrong one
     */
    answerHandshake(head: WebhookHead, config: Config, body: Buffer | null): Answered | null {
      const { handshake: service, signature, verify_token: verifyToken = '' } = config
      if (service === undefined) return null
      const request = { method: head.method, query: queryOf(head.target), body }
      const answer = answerHandshake(service, request, {
        secret: () => deliveries.secretOf(signature?.secret ?? ''),
        verifyToken: () => deliveries.secretOf(verifyToken),
      })
      if (answer === null) return null
      const reason = say('URL check of {{service}}, answered without running the flow', { service })
      const listing = {
        status: answer.status,
        reason,
        size: body?.length ?? 0,
        outcome: 'handshake',
      } as const
      return { answer, listing }
    },
    /**
     * Null if the request meets the condition of the webhook, or there is none.
     *
     * @throws AppError `flow_error` if the condition can't be evaluated
     */
    filter(
      { redactor }: Pick<WebhookCall, 'redactor'>,
      { config, ref, start, body }: { config: Config; ref: string; start: RunStart; body: Buffer },
    ): Answered | null {
      const {
        run_if: condition = '',
        filtered_status_code: status = 200,
        filtered_body: text = DEFAULT_BODY,
      } = config
      if (condition.trim() === '') return null
      const names = conditionNames(env, ref, start)
      if (isMet(condition, names, redactor, RUN_IF_FAILED)) return null
      const type = /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain; charset=utf-8'
      return {
        answer: { status, headers: { 'content-type': type, ...SANDBOX_HEADERS }, body: text },
        listing: { status, reason: FILTERED, size: body.length, rejectedBody: body, outcome: 'filtered' },
      }
    },
  }
}

const DEFAULT_BODY = '{"status": "filtered"}'
const FILTERED = say('Filtered: it doesn\'t meet the condition in "run_if"')

const RUN_IF_FAILED = (why: Said | string) =>
  say('The condition in "run_if" failed, so nothing ran. {{why}}', { why })

/**
 * @param failed builds the message for a condition that can't be evaluated, from the reason without secrets
 * @throws AppError `flow_error` with that message
 */
export function isMet(
  condition: string,
  names: Readonly<Record<string, Data>>,
  redactor: Pick<Redactor, 'redactText'>,
  failed: (why: Said | string) => Said,
): boolean {
  try {
    return jinja.evaluateCondition(condition, names)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new AppError('flow_error', failed(reasonOf(error, redactor)))
  }
}

/** The values that a condition's templates can read. `ref` is the trigger's name, under which they find the input. */
export function conditionNames(
  env: EnvValues,
  ref: string,
  { input, webhook }: RunStart,
): Readonly<Record<string, Data>> {
  const names: Record<string, Data> = Object.setPrototypeOf({ ...env() }, null)
  names[ref] = input
  return webhook ? Object.assign(names, { webhook }) : names
}

/** The reason why a template failed. A sentence that contains a secret becomes plain text without the secret. */
export function reasonOf(error: TemplateError, redactor: Pick<Redactor, 'redactText'>): Said | string {
  const english = englishOf(sentenceOf(error))
  const shown = redactor.redactText(english)
  return shown === english ? sentenceOf(error) : shown
}
