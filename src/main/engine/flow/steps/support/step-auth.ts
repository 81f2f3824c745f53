import { say } from '../../../../../shared/contract/base/message.ts'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import { shortText } from './read-input.ts'
import type { StepScope } from '../../model/compiled-step.ts'

export interface AuthChoice {
  readonly auth_id?: string | null | undefined
  /** Must name an existing auth, because a call that needs credentials is never sent without them. */
  readonly dynamic_auth_id?: string | null | undefined
}

/**
 * The credentials that a step names; null if it names none.
 *
 * @param connectorId the connector they must belong to; null for any
 * @throws StepError if there is no such auth, or it belongs to another connector
 */
export async function findAuth(
  choice: AuthChoice,
  connectorId: string | null,
  scope: StepScope,
): Promise<OpenAuth | null> {
  const name = choice.dynamic_auth_id ? 'dynamic_auth_id' : 'auth_id'
  const template = choice[name]
  if (!template) return null
  const field = `config.${name}`
  const id = scope.evaluate(field, template)
  if (typeof id !== 'string' || id.trim() === '') {
    throw scope.fail(
      'validation',
      say('"{{name}}" must be the ID of a connector auth, got {{value}}', { name, value: shortText(id) }),
      {
        field,
      },
    )
  }
  const auth = await openAuth(id.trim(), field, scope)
  if (auth === null) {
    throw scope.fail(
      'not_found',
      say('there is no connector auth {{id}}; choose another one', { id: shortText(id) }),
      {
        field,
      },
    )
  }
  if (connectorId !== null && auth.connector_id !== connectorId) {
    throw scope.fail(
      'validation',
      say('the connector auth {{id}} belongs to another connector', { id: auth.id }),
      { field },
    )
  }
  return auth
}

async function openAuth(id: string, field: string, scope: StepScope): Promise<OpenAuth | null> {
  try {
    return await scope.ports.openAuth(id)
  } catch (error) {
    return scope.at(field, () => {
      throw error
    })
  }
}
