/** Runs an action for its author, and shows the calls and the result. Stores nothing. */
import { SAID, say, type Said, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type { ActionTry, ActionTryBody, ConnectorTryBody } from '../../../../shared/contract/action-tries.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Exchange as ExchangeRecord } from '../../../../shared/contract/flow-runs.ts'
import {
  type ActionCall,
  actionContext,
  buildActionRequest,
} from '../../../engine/connector/action-request.ts'
import type { Data } from '@millrace/jinja/data'
import { toExchangeRecord } from '../../../engine/request/exchange-record.ts'
import { type ApiRequest, errorOf, paginate } from '../../../engine/pagination/index.ts'
import type { Exchange } from '../../../engine/ports.ts'
import { isSftpAddress } from '../../../engine/sftp/address.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import { isCallFailure, namingField } from '../sending/call-failure.ts'
import { asAction } from './actions.ts'
import type { UserCall, UserCalls } from '../auths/user-calls.ts'
import { sentKeys } from '../../kit/patch.ts'
import { redactExchange } from '../../../engine/redaction/redacted-exchange.ts'
import type { SftpService } from '../sending/sftp.ts'
import { redactAndTruncate, redactSpoken } from '../../../engine/redaction/redacted-value.ts'

export interface ActionTriesOptions {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly userCalls: Pick<UserCalls, 'open'>
  readonly sftp: SftpService
}

/** Short, because a user is waiting. */
const TIMEOUT_MS = 30_000
const LONGEST_MS = 60_000
const LIMITS = { max_attempts: 1, max_wait_ms: 5_000 }

interface Subject extends ActionCall, UserCall {
  readonly maxPages: number
}

interface Tried {
  readonly connector: Connector
  readonly action: Action
}

type TryWishes = Pick<ActionTryBody, 'auth_id' | 'input' | 'max_pages'>

interface TryOutcome {
  readonly output: Data
  readonly recordCount: number | null
  readonly stopReason: ActionTry['stop_reason']
  readonly complete: ActionTry['complete']
  readonly warnings: ActionTry['warnings']
}

export function createActionTriesService(options: ActionTriesOptions) {
  const { store, userCalls, sftp } = options

  async function callSftp(
    request: ApiRequest,
    { auth }: Subject,
    onExchange: (exchange: Exchange) => void,
  ): Promise<TryOutcome> {
    const output = await sftp.run({
      address: request.baseUrl,
      auth,
      body: request.body.kind === 'json' ? request.body.value : null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      onExchange,
    })
    return { ...NOTHING, output }
  }

  async function callHttp(
    request: ApiRequest,
    subject: Subject,
    onExchange: (exchange: Exchange) => void,
  ): Promise<TryOutcome> {
    const { connector, action, ports, redactor, maxPages } = subject
    const isPaged = connector.pagination_config !== null && action.supports_automatic_pagination
    const events = paginate({
      action: request,
      supportsPagination: isPaged,
      config: isPaged ? (connector.pagination_config as Data) : null,
      variables: actionContext(subject),
      allowedOrigins: connector.allowed_origins,
      maxPages,
      limits: LIMITS,
      signal: AbortSignal.timeout(LONGEST_MS),
      ports: { ...ports, onExchange, send: { timeoutMs: TIMEOUT_MS } },
    })
    const records: Data[] = []
    const warnings: ActionTry['warnings'] = []
    let outcome: TryOutcome = { ...NOTHING, output: records, recordCount: 0, warnings }
    for await (const event of events) {
      if (event.type === 'failed') throw errorOf(event)
      if (event.type === 'records') records.push(...event.records)
      if (event.type === 'output') outcome = { ...NOTHING, output: event.value }
      if (event.type === 'warning') {
        const { code, message, in_doubt: inDoubt, [SAID]: said } = event
        const shown = redactSpoken({ message, [SAID]: said }, redactor)
        warnings.push({ code, ...shown, ...(inDoubt ? { in_doubt: true } : {}) })
      }
      if (event.type === 'done' && outcome.recordCount !== null) {
        const { stop_reason: stopReason, complete } = event
        outcome = { output: records, recordCount: records.length, stopReason, complete, warnings }
      }
    }
    return outcome
  }

  async function tryOut(caller: Caller, tried: Tried, wishes: TryWishes): Promise<ActionTry> {
    const { auth_id: authId, input = {}, max_pages: maxPages } = wishes
    const call = await userCalls.open(caller, tried.connector, authId)
    const subject: Subject = { ...call, ...tried, input, maxPages }
    const { redactor } = subject
    const { clock } = subject.ports
    const http: ExchangeRecord[] = []
    const onExchange = (exchange: Exchange) => {
      http.push(redactExchange(toExchangeRecord(exchange, null), redactor))
    }
    const startedAt = clock.monotonic()
    const tell = (
      ok: boolean,
      said: Said,
      { output, recordCount, stopReason, complete, warnings }: TryOutcome,
    ): ActionTry => {
      const shown = redactAndTruncate(output, redactor)
      return {
        ok,
        status: http.at(-1)?.response?.status || null,
        ...redactSpoken(spoken(said), redactor),
        duration_ms: clock.monotonic() - startedAt,
        http,
        output: shown.value as ActionTry['output'],
        record_count: recordCount,
        stop_reason: stopReason,
        complete,
        warnings: [...warnings],
        truncated: shown.isCut,
      }
    }
    try {
      const request = buildActionRequest(subject, namingField(subject.action))
      const outcome = isSftpAddress(request.baseUrl)
        ? await callSftp(request, subject, onExchange)
        : await callHttp(request, subject, onExchange)
      return tell(true, acceptance(subject, outcome), outcome)
    } catch (error) {
      if (!isCallFailure(error)) throw error
      return tell(false, sentenceOf(error), NOTHING)
    }
  }

  return {
    /**
     * The result of the call; a failure is a normal result too.
     *
     * @throws AppError `not_found` (action, auth), `validation` (an auth of another connector), `forbidden`
     */
    async run(caller: Caller, id: string, { draft = {}, ...wishes }: ActionTryBody): Promise<ActionTry> {
      const action = store.actions.get(id)
      const connector = action && store.connectors.get(action.connector_id)
      if (action === null || connector === null) {
        throw new AppError('not_found', say('There is no action "{{id}}"', { id: id.slice(0, 60) }))
      }
      return tryOut(caller, { connector, action: { ...action, ...sentKeys(draft) } }, wishes)
    },
    /**
     * Tries an action that does not have to be saved, with unsaved changes of its connector.
     *
     * @throws AppError `not_found` (connector, auth), `validation` (an auth of another connector), `forbidden`
     */
    async runDraft(
      caller: Caller,
      connectorId: string,
      { action, connector: draft = {}, ...wishes }: ConnectorTryBody,
    ): Promise<ActionTry> {
      const connector = store.connectors.get(connectorId)
      if (connector === null) {
        throw new AppError(
          'not_found',
          say('There is no connector "{{id}}"', { id: connectorId.slice(0, 60) }),
        )
      }
      return tryOut(
        caller,
        { connector: { ...connector, ...sentKeys(draft) }, action: asAction(connector.id, action) },
        wishes,
      )
    },
  }
}

const NOTHING: TryOutcome = {
  output: null,
  recordCount: null,
  stopReason: null,
  complete: null,
  warnings: [],
}

function acceptance({ connector, action }: Subject, { recordCount: count }: TryOutcome): Said {
  const values = { connector: connector.name, action: action.name }
  if (count === null) return say('"{{connector}}" accepted the call of "{{action}}"', values)
  return count === 1
    ? say('"{{connector}}" accepted the call of "{{action}}" and returned 1 record', values)
    : say('"{{connector}}" accepted the call of "{{action}}" and returned {{count}} records', {
        ...values,
        count,
      })
}
