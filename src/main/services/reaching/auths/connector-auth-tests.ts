/**
 * Tests credentials, stored or just entered, by calling the connector's test action or by signing in to the database or
 * mail server.
 */
import { englishOf, say, type Said, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type { z } from 'zod'
import type {
  ConnectorAuthTest,
  testConnectorAuthRoute,
  testNewConnectorAuthRoute,
} from '../../../../shared/contract/connector-auths.ts'
import {
  type Action,
  type Connector,
  type ServerKind,
  serverKindOf,
} from '../../../../shared/contract/connectors.ts'
import type { Exchange } from '../../../../shared/contract/flow-runs.ts'
import { adviceFor } from '../../../../shared/sign-in/index.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { buildActionRequest } from '../../../engine/connector/action-request.ts'
import { dictionaryOf, JsonError, parseJson } from '@millrace/jinja/data'
import { JsonPathError, selectJsonPath } from '@millrace/jinja/jsonpath'
import { toExchangeRecord } from '../../../engine/request/exchange-record.ts'
import { addressRules, firstRequest } from '../../../engine/pagination/index.ts'
import { writeBody } from '../../../engine/request/body.ts'
import { RequestError } from '../../../engine/request/request-error.ts'
import { sendWithRetry } from '../../../engine/request/send-with-retry.ts'
import { isSftpAddress } from '../../../engine/sftp/address.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import { isCallFailure, namingField } from '../sending/call-failure.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { ChangedAuth, ConnectorAuthsService } from './connector-auths.ts'
import type { UserCall, UserCalls } from './user-calls.ts'
import type { SftpService } from '../sending/sftp.ts'
import { redactSpoken } from '../../../engine/redaction/redacted-value.ts'
import { redactExchange } from '../../../engine/redaction/redacted-exchange.ts'

/** Signs in, and returns a sentence with the name of the server that it reached. */
export type ServerTry = (auth: OpenAuth, signal: AbortSignal) => Promise<Said>

type AuthTestBody = z.output<typeof testConnectorAuthRoute.body>
type AuthTestCall = Omit<AuthTestBody, 'changes'>
type NewAuthTestBody = z.output<typeof testNewConnectorAuthRoute.body>

export interface ConnectorAuthTestsOptions {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'read' | 'requireOpen' | 'openChanged' | 'openNew'>
  readonly userCalls: UserCalls
  readonly sftp: SftpService
  /** Servers that aren't reached by HTTP. */
  readonly servers: Readonly<Record<Exclude<ServerKind, 'sftp'>, ServerTry>>
  readonly onTested: (authId: string, ok: boolean) => void
  /** Called when a server that isn't reached by HTTP has accepted the stored login. */
  readonly onLogin: (authId: string) => void
}

export function createConnectorAuthTestsService(options: ConnectorAuthTestsOptions) {
  const { store, connectorAuths, userCalls, sftp, servers } = options

  /** The action to call, the server to sign in to, or the reason why there is neither. */
  function targetOf(
    connector: Connector,
    auth: OpenAuth,
    { action: named, url }: AuthTestCall,
  ): Action | ServerTry | Said {
    if (url !== undefined) return getOf(connector, url)
    const { id, name, test_action: own } = connector
    if (named === undefined) {
      const kind = serverKindOf(id, auth.api_endpoint || connector.base_domain)
      if (kind !== null && kind !== 'sftp') return servers[kind]
      // The connector's test action doesn't exist on other servers.
      if (kind === 'sftp' && (own === null || own === '' || !isSftpAddress(connector.base_domain)))
        return listOf(connector)
    }
    const wanted = named ?? own
    if (wanted === null || wanted === '')
      return say('The connector "{{name}}" has no test_action; choose one of its actions', { name })
    const found = store.actions.ofConnector(id).find((action) => action.name === wanted)
    if (found !== undefined) return found
    return named === undefined
      ? say('The connector "{{name}}" has no action "{{wanted}}", which is set as its test_action', {
          name,
          wanted,
        })
      : say('The connector "{{name}}" has no action "{{wanted}}"', { name, wanted })
  }

  async function call(
    opened: UserCall<OpenAuth>,
    connector: Connector,
    body: AuthTestCall,
    typed: ChangedAuth | null,
  ): Promise<ConnectorAuthTest> {
    const { auth, ports, redactor } = opened
    const action = targetOf(connector, auth, body)
    if ('key' in action) return refusal(action)
    const { clock } = ports
    const startedAt = clock.monotonic()
    const http: Exchange[] = []
    const answer = (
      ok: boolean,
      status: number | null,
      sentence: Said,
      body?: Uint8Array,
    ): ConnectorAuthTest => {
      const said = body === undefined ? '' : Buffer.from(body).toString('utf8')
      const account = ok ? accountIn(said, connector) : null
      return {
        ok,
        status,
        ...redactSpoken(spoken(sentence), redactor),
        account: account === null ? null : redactor.redactText(account),
        advice: ok ? null : adviceFor(connector, `${englishOf(sentence)} ${said}`),
        duration_ms: clock.monotonic() - startedAt,
        http,
      }
    }
    try {
      if (typeof action === 'function') {
        const signal = AbortSignal.timeout(TIMEOUT_MS)
        const said = await action(auth, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
          throw new AppError(
            'timeout',
            say("The server didn't respond within {{seconds}} s", { seconds: TIMEOUT_MS / 1_000 }),
          )
        })
        return answer(true, null, said)
      }
      const names = { connector: connector.name, action: action.name }
      const request = buildActionRequest(
        { ...opened, connector, action, input: dictionaryOf([]) },
        namingField(action),
      )
      if (isSftpAddress(request.baseUrl)) {
        const body = request.body.kind === 'json' ? request.body.value : null
        await sftp.run({
          address: request.baseUrl,
          auth,
          body,
          isAllowed: typed?.isAllowed,
          signal: AbortSignal.timeout(TIMEOUT_MS),
          onExchange: (exchange) => http.push(redactExchange(toExchangeRecord(exchange, null), redactor)),
        })
        return answer(
          true,
          null,
          say('"{{connector}}" accepted the login and the call of "{{action}}"', names),
        )
      }
      const rules = addressRules(request.baseUrl, request.endpoint, connector.allowed_origins)
      const wire = firstRequest({ action: request, rules })
      const { response, refusal } = await sendWithRetry(
        { ...wire, body: writeBody(wire.body) },
        {
          ...ports,
          policy: { maxAttempts: 1, maxWaitMs: LONGEST_WAIT_MS },
          send: { timeoutMs: TIMEOUT_MS, trustedOrigins: rules.origins },
          onExchange: (exchange) => http.push(redactExchange(toExchangeRecord(exchange, null), redactor)),
        },
      )
      if (refusal !== null) return answer(false, response.status, sentenceOf(refusal), response.body)
      return answer(
        true,
        response.status,
        say('"{{connector}}" accepted the call of "{{action}}"', names),
        response.body,
      )
    } catch (error) {
      if (!isCallFailure(error)) throw error
      const status = error instanceof RequestError ? (error.status ?? null) : null
      return answer(false, status, sentenceOf(error))
    }
  }

  /** The call, or the reason why the auth has no access token. */
  async function openWithToken(
    caller: Caller,
    connector: Connector,
    id: string,
  ): Promise<UserCall<OpenAuth> | Said> {
    try {
      return await userCalls.openStored(caller, connector, id)
    } catch (error) {
      if (error instanceof AppError) return sentenceOf(error)
      throw error
    }
  }

  return {
    /**
     * The API's verdict on the credentials; a failed call is a normal result too.
     *
     * @throws AppError `not_found`, `conflict` if the secrets have to be entered again
     */
    async run(caller: Caller, id: string, { changes, ...body }: AuthTestBody): Promise<ConnectorAuthTest> {
      const { connector_id: connectorId } = connectorAuths.read(caller, id)
      const connector = store.connectors.get(connectorId)
      if (connector === null) throw new Error(`The connector of the auth ${id} was deleted`)
      const typed = changes === undefined ? null : await connectorAuths.openChanged(caller, id, changes)
      // The result for typed credentials isn't recorded for the stored ones.
      if (typed !== null)
        return await call(userCalls.openChanged(caller, connector, typed), connector, body, typed)
      connectorAuths.requireOpen(caller.userId, id)
      const opened = await openWithToken(caller, connector, id)
      const result = 'key' in opened ? refusal(opened) : await call(opened, connector, body, null)
      options.onTested(id, result.ok)
      if (result.ok && result.status === null) options.onLogin(id)
      return result
    },
    /**
     * The same for credentials that aren't stored yet; doesn't store them.
     *
     * @throws AppError `validation` as creating the auth would
     */
    async runNew(caller: Caller, { auth, ...body }: NewAuthTestBody): Promise<ConnectorAuthTest> {
      const opened = await connectorAuths.openNew(caller, auth)
      const connector = store.connectors.get(auth.connector_id)
      if (connector === null) throw new Error(`The connector ${auth.connector_id} was deleted`)
      return await call(userCalls.openChanged(caller, connector, opened), connector, body, opened)
    },
  }
}

const getOf = (connector: Connector, url: string) =>
  actionOf(connector, { name: url, method: 'GET', endpoint: url, body: null })

const listOf = (connector: Connector) =>
  actionOf(connector, {
    name: 'list',
    method: 'POST',
    endpoint: '',
    body: { operation: 'list', path: '' },
  })

function actionOf(
  { id, created_at, updated_at }: Connector,
  given: Pick<Action, 'name' | 'method' | 'endpoint' | 'body'>,
): Action {
  return {
    id: '',
    connector_id: id,
    ...given,
    title: '',
    status: 'active',
    query: {},
    headers: {},
    ui_form_schema: [],
    supports_automatic_pagination: false,
    short_description: '',
    tag: '',
    external_docs: '',
    created_at,
    updated_at,
  }
}

/** A user is waiting, so a test that can't run now fails at once. */
const TIMEOUT_MS = 30_000
const LONGEST_WAIT_MS = 5_000

function refusal(said: Said): ConnectorAuthTest {
  return { ok: false, status: null, ...spoken(said), account: null, advice: null, duration_ms: 0, http: [] }
}

/** The first string that the connector's path selects. */
function accountIn(body: string, { auth_config: config }: Connector): string | null {
  const path = config['account']
  if (typeof path !== 'string' || path === '') return null
  try {
    const found = selectJsonPath(path, parseJson(body))
    const name = found.find((value) => typeof value === 'string' && value !== '')
    return typeof name === 'string' ? name.slice(0, 200) : null
  } catch (error) {
    if (error instanceof JsonError || error instanceof JsonPathError) return null
    throw error
  }
}
