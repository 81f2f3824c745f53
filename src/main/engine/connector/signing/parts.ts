import type { Connector } from '../../../../shared/contract/connectors.ts'
import type { Clock, OutgoingRequest } from '../../ports.ts'
import type { OpenAuth } from '../open-auth.ts'

export interface SigningContext {
  readonly auth: OpenAuth
  /** Only called for signatures that the connector describes. */
  readonly connector: () => Pick<Connector, 'auth_config'>
  readonly clock: Pick<Clock, 'now'>
}

/** The text of a field that the connector asks for; empty if it is absent. */
export function inputOf({ user_input: input }: OpenAuth, key: string): string {
  const value = (input as Readonly<Record<string, unknown>>)[key]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** The request with these headers, which replace others with the same name. */
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

/** Restores the line breaks that PEM loses in a single-line field or in JSON. Other strings are returned unchanged. */
export function asPem(text: string): string {
  return text
    .replaceAll(String.raw`\n`, '\n')
    .replaceAll(/(-----BEGIN [^-]+-----)([^-]+)(-----END [^-]+-----)/g, (_all, first, body: string, last) =>
      [first, ...(body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? []), last, ''].join('\n'),
    )
}
