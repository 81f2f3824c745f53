import { canonicalScope, scopeList, SCOPES } from '../../../shared/contract/base/scopes.ts'
import { englishOf } from '../../../shared/contract/base/message.ts'
import { mustBe } from '../../../shared/contract/base/validate.ts'
import {
  checkTokenRoute,
  createTokenRoute,
  listTokensRoute,
  revokeTokenRoute,
  type Token,
  type TokenCheck,
} from '../../../shared/contract/tokens.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findAuth, findFlow } from '../support/find-record.ts'
import { formatTable } from '../support/output.ts'
import { readText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

export interface CreateTokenOptions {
  readonly scopes: string
  readonly note: string
  readonly expiration?: string
  readonly flow?: readonly string[]
  readonly auth?: readonly string[]
  /** False if the token must not reach any connector auths. */
  readonly auths: boolean
}

/** Prints the created record, the only one that ever contains the token. */
export async function createToken(
  { config, output }: CommandContext,
  { scopes, note, expiration, flow, auth = [], auths }: CreateTokenOptions,
): Promise<void> {
  const body = {
    scopes: readScopes(scopes),
    note,
    expiration: expiration === undefined ? null : readDays(expiration),
  }
  if (!auths && auth.length > 0)
    throw new HostError(EXIT.usage, '--auth and --no-auths exclude each other; use one of them')
  const created = await withHost(config, async (host) => {
    const chosen: { flow_ids?: string[]; auth_ids?: string[] } = {}
    if (flow !== undefined) chosen.flow_ids = await idsOf(flow, (one) => findFlow(host, one))
    if (!auths || auth.length > 0) chosen.auth_ids = await idsOf(auth, (one) => findAuth(host, one))
    return await host.call(createTokenRoute, { body: { ...body, ...chosen } })
  })
  output.answer(created, JSON.stringify(created, null, 2))
  output.note("Save the token now: it won't be shown again.")
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

/**
 * Identifies a value and shows what it can do. Reads it from stdin by default, because other users can see arguments.
 */
export async function checkToken(
  { config, output }: CommandContext,
  _options: unknown,
  given?: string,
): Promise<ExitCode> {
  const value = (given === undefined || given === '-' ? readText('-') : given).trim()
  if (value === '') throw new HostError(EXIT.usage, 'No token was given: pass it as the argument or on stdin')
  const check = await withHost(config, (host) => host.call(checkTokenRoute, { body: { value } }))
  output.answer(check, describeCheck(check))
  return check.state === 'valid' ? EXIT.ok : EXIT.failed
}

function describeCheck({ state, message, token, user, flow }: TokenCheck): string {
  const lines = [`${state}: ${message}`]
  if (token !== null) {
    lines.push(`id: ${token.id}`, `scopes: ${token.scopes.join(', ')}`, `note: ${token.note}`)
    lines.push(`reaches: ${describeReach(token)}`)
    lines.push(`expires: ${token.expiration ?? 'never'}`, `last used: ${token.last_used ?? 'never'}`)
  }
  if (user !== null) lines.push(`user: ${user.name}`)
  if (flow !== null) lines.push(`flow: ${flow.name} (${flow.id})`)
  return lines.join('\n')
}

async function idsOf(
  wanted: readonly string[],
  find: (wanted: string) => Promise<{ readonly id: string }>,
): Promise<string[]> {
  return (await Promise.all(wanted.map(find))).map(({ id }) => id)
}

function readScopes(text: string): string[] {
  const names = text.split(',').map((scope) => scope.trim())
  const unknown = names.find((name) => canonicalScope(name) === null)
  if (unknown !== undefined) throw new HostError(EXIT.usage, `--scopes ${englishOf(mustBe(SCOPES, unknown))}`)
  const parsed = scopeList.safeParse(names)
  if (parsed.success) return parsed.data
  throw new HostError(EXIT.usage, `--scopes ${parsed.error.issues[0]?.message ?? 'is not valid'}`)
}

function readDays(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new HostError(EXIT.usage, `--expiration is "${text}", but must be a whole number of days`)
}

function describeReach({ flow_ids: flows, auth_ids: auths }: Pick<Token, 'flow_ids' | 'auth_ids'>): string {
  if (flows === null && auths === null) return 'everything'
  const counted = (ids: readonly string[] | null, noun: string) =>
    ids === null ? `all ${noun}s` : `${ids.length} ${noun}${ids.length === 1 ? '' : 's'}`
  return `${counted(flows, 'flow')}, ${counted(auths, 'auth')}`
}

function describeTokens(tokens: readonly Token[]): string {
  return formatTable(
    ['ID', 'TOKEN', 'EXPIRES', 'LAST USED', 'SCOPES', 'REACHES', 'NOTE'],
    tokens.map(({ id, last_four, expiration, last_used, scopes, note, ...reach }) => [
      id,
      `…${last_four}`,
      expiration ?? 'never',
      last_used ?? 'never',
      scopes.join(','),
      describeReach(reach),
      note,
    ]),
  )
}
