/**
 * Calls that users try out while editing. Decides which credentials and variables these calls can use, and which
 * secrets are redacted in their output.
 */
import { budgetKey, policyOf, type RateBudget } from '../../../engine/request/rate-budget.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { can } from '../../../../shared/contract/base/route.ts'
import type { Connector } from '../../../../shared/contract/connectors.ts'
import type { BodyFiles } from '../../../engine/connector/action-request.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { Data } from '@millrace/jinja/data'
import type { PaginatePorts } from '../../../engine/pagination/index.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import type { Authorization } from '../../keeping/access/authorization.ts'
import { baseUrlOf } from './destinations.ts'
import type { Outgoing } from '../sending/outgoing.ts'
import type { Env } from '../../keeping/env/env.ts'
import { authNotFound } from '../../keeping/access/chosen-records.ts'
import { type Caller, may, reachesAuth } from '../../kit/caller.ts'
import { createCallRedactor } from '../../keeping/secrets/call-redactor.ts'
import type { SecretReader } from '../../keeping/secrets/secret-reader.ts'
import type { ChangedAuth } from './connector-auths.ts'
import type { OAuthService } from './oauth.ts'

export type UserCalls = ReturnType<typeof createUserCalls>

export interface UserCall<A extends OpenAuth | null = OpenAuth | null> {
  readonly auth: A
  /** The place in a request where the auth's connector puts credentials. */
  readonly placement: Placement
  /** Variables that the caller can use. */
  readonly env: Readonly<Record<string, Data>>
  readonly files: BodyFiles
  readonly redactor: Redactor
  /** Shares its rate budget with all other calls that use these credentials. */
  readonly ports: Omit<PaginatePorts, 'onExchange' | 'send'>
}

type Placement = Pick<Connector, 'header' | 'url_token_extension'>

export interface UserCallsOptions {
  readonly store: Pick<Store, 'connectors' | 'connectorAuths'>
  readonly authorization: Pick<Authorization, 'authorize'>
  readonly oauth: Pick<OAuthService, 'open' | 'senderFor' | 'senderOf'>
  readonly outgoing: Outgoing
  readonly env: Pick<Env, 'valuesFor' | 'secrets'>
  readonly vaults: Pick<SecretReader, 'values'>
  readonly bodyFiles: BodyFiles
}

const NO_PLACEMENT: Placement = { header: null, url_token_extension: null }

export function createUserCalls(options: UserCallsOptions) {
  const { store, authorization, oauth, outgoing, env, vaults, bodyFiles } = options

  async function openAuth(caller: Caller, authId: string): Promise<OpenAuth> {
    authorization.authorize(can('connector_auths', 'read'), caller)
    if (!reachesAuth(caller, authId)) throw authNotFound(authId)
    return await oauth.open(caller.userId, authId)
  }

  function callWith<A extends OpenAuth | null>(
    caller: Caller,
    placement: Placement,
    auth: A,
    sender: { readonly budget: RateBudget | null; readonly changed?: ChangedAuth },
  ): UserCall<A> {
    const { clock, random, sleep } = outgoing
    const { budget, changed } = sender
    const secrets =
      changed?.secrets ?? (auth === null ? [] : Object.values(store.connectorAuths.secretsOf(auth.id)))
    const redactor = createCallRedactor(placement, auth, [...secrets, ...env.secrets(), ...vaults.values()])
    return {
      auth,
      placement,
      env: env.valuesFor(may(caller, 'env_variables', 'read')),
      files: bodyFiles,
      redactor,
      ports: {
        clock,
        random,
        sleep,
        sendRequest: changed?.bound(oauth.senderOf(changed.auth)) ?? oauth.senderFor(auth),
        budget: budget ?? undefined,
        redactor,
      },
    }
  }

  function budgetOf(caller: Caller, connector: Connector, auth: OpenAuth | null): RateBudget {
    const address = baseUrlOf(connector, auth, env.valuesFor(may(caller, 'env_variables', 'read')))
    return outgoing.budgetFor(budgetKey(address, auth), policyOf(connector))
  }

  /** Opens a call with stored credentials, with the same checks. */
  async function openStored(
    caller: Caller,
    connector: Connector,
    authId: string,
  ): Promise<UserCall<OpenAuth>> {
    const auth = await openAuth(caller, authId)
    if (auth.connector_id !== connector.id) {
      throw new AppError(
        'validation',
        say('The connector auth "{{id}}" doesn\'t belong to "{{connector}}"', {
          id: authId,
          connector: connector.name,
        }),
        {
          data: { auth_id: ['belongs to another connector'] },
        },
      )
    }
    return callWith(caller, connector, auth, { budget: budgetOf(caller, connector, auth) })
  }

  return {
    /**
     * @param called a connector, which can have unsaved changes, or the base URL of a typed request
     * @param authId absent or null for a call without credentials
     * @throws AppError `forbidden` without the scope to read auths, `not_found` if the user can't see that auth,
     *   `validation` if it is for another connector, `conflict` if somebody has to sign in or enter its secrets
     */
    async open(caller: Caller, called: Connector | string, authId: string | null = null): Promise<UserCall> {
      if (typeof called === 'string') {
        if (authId === null) return callWith(caller, NO_PLACEMENT, null, { budget: null })
        const auth = await openAuth(caller, authId)
        const placement = store.connectors.get(auth.connector_id) ?? NO_PLACEMENT
        const budget = outgoing.budgetFor(budgetKey(called, auth))
        return callWith(caller, placement, auth, { budget })
      }
      if (authId !== null) return openStored(caller, called, authId)
      return callWith(caller, called, null, { budget: budgetOf(caller, called, null) })
    },
    openStored,
    /** Opens a call with credentials that aren't stored. */
    openChanged: (caller: Caller, connector: Connector, changed: ChangedAuth) =>
      callWith(caller, connector, changed.auth, {
        budget: budgetOf(caller, connector, changed.auth),
        changed,
      }),
  }
}
