import { say } from '../../../../../shared/contract/base/message.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type ActionCall, actionContext, buildActionRequest } from '../../../connector/action-request.ts'
import { type Data, isDictionary } from '@millrace/jinja/data'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import type { ApiRequest } from '../../../request/api-request.ts'
import { isSftpAddress } from '../../../sftp/address.ts'
import type { FoundAction } from '../../model/ports.ts'
import { fetchAll, withIdempotencyKey } from '../support/outgoing-call.ts'
import { missingPlugin } from '../support/plugin-call.ts'
import { findAuth } from '../support/step-auth.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/**
 * Calls an action of a connector. The result is one flat list of all pages if it is paginated, otherwise the response
 * body.
 */
export const connectorAction: StepRunner<'connector_action'> = {
  outside: true,
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
    const { connector, action } = findAction(config, scope)
    const auth = await findAuth(config, connector.id, scope)
    const input = scope.evaluate('config.input', config.input)
    scope.showInput(input)
    if (!isDictionary(input))
      throw scope.fail('validation', say('"input" isn\'t an object'), { field: 'config.input' })
    const call: ActionCall = { connector, action, auth, input, env: scope.env, files: scope.ports }
    const name = `action "${action.name}" of connector "${connector.name}", `
    const request = buildActionRequest(call, (field, work) => scope.at(`${name}${field}`, work))
    if (isSftpAddress(request.baseUrl)) return callSftp(request, auth, scope)
    const isPaged = connector.pagination_config !== null && wantsPages(config, action, scope)
    return fetchAll(scope, {
      request: isPaged ? request : withIdempotencyKey(request, scope, ref),
      config: isPaged ? (connector.pagination_config as Data) : null,
      variables: actionContext(call),
      allowedOrigins: connector.allowed_origins,
      maxPages: config.max_pages,
      whenInDoubt: config.when_in_doubt,
      auth,
      budget: `${connector.id}/${auth?.id ?? ''}`,
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

function wantsPages(
  { retrieve_all_data: wish }: StepConfig<'connector_action'>,
  { name, supports_automatic_pagination: able }: FoundAction['action'],
  scope: StepScope,
): boolean {
  if (wish !== true || able) return wish ?? able
  throw scope.fail(
    'validation',
    say('action "{{name}}" doesn\'t support automatic pagination; turn "retrieve_all_data" off', { name }),
    {
      field: 'config.retrieve_all_data',
    },
  )
}
