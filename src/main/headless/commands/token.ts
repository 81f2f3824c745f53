import {
  createTokenRoute,
  listTokensRoute,
  revokeTokenRoute,
  type Token,
} from '../../../shared/contract/tokens.ts'
import { EXIT, HostError } from '../../exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { formatTable } from '../support/output.ts'
import { withHost } from '../support/with-host.ts'

export interface CreateTokenOptions {
  readonly scopes: string
  readonly note: string
  readonly expiration?: string
}

/** Prints the creation record, the only one that ever holds the token. */
export async function createToken(
  { config, output }: CommandContext,
  { scopes, note, expiration }: CreateTokenOptions,
): Promise<void> {
  const body = {
    scopes: scopes.split(',').map((scope) => scope.trim()),
    note,
    expiration: expiration === undefined ? null : readDays(expiration),
  }
  const created = await withHost(config, (host) => host.call(createTokenRoute, { body }))
  output.answer(created, JSON.stringify(created, null, 2))
  output.note('Keep the token now: it is not shown again.')
}

export async function listTokens({ config, output }: CommandContext): Promise<void> {
  const tokens = await withHost(config, (host) => host.call(listTokensRoute))
  output.answer(tokens, tokens.length === 0 ? 'There are no tokens.' : describeTokens(tokens))
}

export async function revokeToken(
  { config, output }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  await withHost(config, (host) => host.call(revokeTokenRoute, { params: { id } }))
  output.answer({ id, revoked: true }, `Revoked token ${id}.`)
}

function readDays(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new HostError(EXIT.usage, `--expiration is "${text}", but must be a whole number of days`)
}

function describeTokens(tokens: readonly Token[]): string {
  return formatTable(
    ['ID', 'ENDS', 'EXPIRES', 'LAST USED', 'SCOPES', 'NOTE'],
    tokens.map(({ id, last_four, expiration, last_used, scopes, note }) => [
      id,
      `…${last_four}`,
      expiration ?? 'never',
      last_used ?? 'never',
      scopes.join(','),
      note,
    ]),
  )
}
