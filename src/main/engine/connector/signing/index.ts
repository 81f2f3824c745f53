/** Credentials that are made anew for each request, because they depend on its URL, its body or the time. */
import type { Connector } from '../../../../shared/contract/connectors.ts'
import type { Clock, OutgoingRequest, Sign } from '../../ports.ts'
import type { OpenAuth } from '../open-auth.ts'
import { signForAws } from './aws.ts'
import { signByTemplate } from './hmac.ts'
import { signWithOAuth1 } from './oauth1.ts'

export interface SigningContext {
  readonly auth: OpenAuth
  readonly connector: Pick<Connector, 'auth_config'>
  readonly clock: Pick<Clock, 'now'>
}

/** How requests with that auth are signed; null if its type has no signature, or one that needs a challenge first. */
export function signerOf(context: SigningContext): Sign | null {
  switch (context.auth.auth_type) {
    case 'aws_sigv4':
      return (request) => signForAws(request, context)
    case 'oauth1':
      return (request) => signWithOAuth1(request, context)
    case 'hmac':
      return (request) => signByTemplate(request, context)
    default:
      return null
  }
}

/** The text of a field that the connector asks for; empty if it is absent. */
export function inputOf({ user_input: input }: OpenAuth, key: string): string {
  const value = (input as Readonly<Record<string, unknown>>)[key]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** The request with these headers, in place of others of the same name. */
export function withHeaders(
  request: OutgoingRequest,
  added: readonly (readonly [name: string, value: string])[],
): OutgoingRequest {
  const names = new Set(added.map(([name]) => name.toLowerCase()))
  return {
    ...request,
    headers: [...request.headers.filter(([name]) => !names.has(name.toLowerCase())), ...added],
  }
}
