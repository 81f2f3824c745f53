import { say } from '../../../../../shared/contract/base/message.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type ActionCall, actionContext, buildActionRequest } from '../../../connector/action-request.ts'
import { type Data, isDictionary } from '@millrace/jinja/data'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import type { ApiRequest } from '../../../request/api-request.ts'
import { policyOf } from '../../../request/rate-budget.ts'
import { isSftpAddress } from '../../../sftp/address.ts'
import type { FoundAction } from '../../model/ports.ts'
import { fetchAll, withIdempotencyKey } from '../support/outgoing-call.ts'
import { missingPlugin } from '../support/plugin-call.ts'
import { findAuth } from '../support/step-auth.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/**
 * Calls an action of a connector. The result is one flat list of all pages if the action is paginated, or else the
 * response body.
 */
export const connectorAction: StepRunner<'connector_action'> = {
  outside: true,
  commits(config, ports) {
    const found = ports.findAction(config.connector_id, config.action)
    // Other URLs can lead to file servers, where a call may write.
    const isHttp = found !== null && /^https?:/i.test(found.connector.base_domain)
    return isHttp && isPaged(config, found) ? 'soon' : 'around'
  },
  check(config, findAction) {
    const { connector_id: connectorId, action: name } = config
    const problems: FieldProblem[] = []
    if (config.auth_id && config.dynamic_auth_id)
      problems.push(['config.dynamic_auth_id', say('can\'t be combined with "auth_id"; use one of the two')])
    const action = findAction(connectorId, name)
    if (config.retrieve_all_data === true && action && !action.supports_automatic_pagination) {
      problems.push([
        'config.retrieve_all_data',
        say(
          'is true, but action "{{name}}" doesn\'t support automatic pagination; turn this off, or turn on the action\'s flag',
          { name },
        ),
      ])
    }
    return problems
  },
  async run({ config, ref }, scope) {
    const found = findAction(config, scope)
    const { connector, action } = found
    const auth = await findAuth(config, connector.id, scope)
    const input = scope.evaluate('config.input', config.input)
    scope.showInput(input)
    if (!isDictionary(input))
      throw scope.fail('validation', say('"input" isn\'t an object'), { field: 'config.input' })
    const call: ActionCall = { connector, action, auth, input, env: scope.env, files: scope.ports }
    const name = `action "${action.name}" of connector "${connector.name}", `
    const request = buildActionRequest(call, (field, work) => scope.at(`${name}${field}`, work))
    if (isSftpAddress(request.baseUrl)) return callSftp(request, auth, scope)
    if (connector.pagination_config !== null) requirePageable(config, action, scope)
    const paged = isPaged(config, found)
    return fetchAll(scope, {
      request: paged ? request : withIdempotencyKey(request, scope, ref),
      config: paged ? (connector.pagination_config as Data) : null,
      variables: actionContext(call),
      allowedOrigins: connector.allowed_origins,
      maxPages: config.max_pages,
      whenInDoubt: config.when_in_doubt,
      auth,
      limit: policyOf(connector),
    })
  },
}

function callSftp({ baseUrl, body }: ApiRequest, auth: OpenAuth | null, scope: StepScope): Promise<Data> {
  return scope.ports.callSftp({
    address: baseUrl,
    auth,
    body: body.kind === 'json' ? body.value : null,
    signal: scope.signal,
    onExchange: (exchange) => scope.showExchange(exchange, null),
  })
}

function findAction(config: StepConfig<'connector_action'>, scope: StepScope): FoundAction {
  const { connector_id: connectorId, action } = config
  const found = scope.ports.findAction(connectorId, action)
  if (found === null) {
    const connector = scope.ports.findConnector(connectorId)
    const missing = missingPlugin(connectorId, (name) => scope.ports.plugins.find(name))
    if (missing !== null) throw scope.fail('plugin_unavailable', missing, { field: 'config.connector_id' })
    throw connector === null
      ? scope.fail('not_found', say('there is no connector {{id}}', { id: connectorId }), {
          field: 'config.connector_id',
        })
      : scope.fail(
          'not_found',
          say('connector "{{connector}}" has no action "{{action}}"', { connector: connector.name, action }),
          {
            field: 'config.action',
          },
        )
  }
  const { name } = found.connector
  if (found.connector.status === 'paused')
    throw scope.fail('validation', say('the connector "{{name}}" is paused; make it active', { name }))
  if (found.action.status === 'paused')
    throw scope.fail('validation', say('the action "{{action}}" is paused; make it active', { action }))
  return found
}

function isPaged(
  { retrieve_all_data: wish }: StepConfig<'connector_action'>,
  { connector, action }: FoundAction,
): boolean {
  const able = action.supports_automatic_pagination
  return connector.pagination_config !== null && able && wish !== false
}

function requirePageable(
  { retrieve_all_data: wish }: StepConfig<'connector_action'>,
  { name, supports_automatic_pagination: able }: FoundAction['action'],
  scope: StepScope,
): void {
  if (wish !== true || able) return
  throw scope.fail(
    'validation',
    say('action "{{name}}" doesn\'t support automatic pagination; turn "retrieve_all_data" off', { name }),
    {
      field: 'config.retrieve_all_data',
    },
  )
}
