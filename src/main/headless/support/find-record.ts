/** Finds records by id or name. */
import type { Flow } from '../../../shared/contract/flows.ts'
import { listFlowsRoute, readFlowRoute } from '../../../shared/contract/flows.ts'
import {
  type ConnectorAuth,
  listConnectorAuthsRoute,
  readConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { HostClient } from './host-client.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const MOST_A_PAGE = 200

/** @throws HostError if there is none, or more than one */
export async function findFlow(host: HostClient, wanted: string): Promise<Flow> {
  if (UUID.test(wanted)) return host.call(readFlowRoute, { params: { id: wanted } })
  const found = await host.call(listFlowsRoute, { query: { filter: named(wanted), per_page: '10' } })
  return theOnly(found, { noun: 'flow', wanted, list: 'flow list' })
}

/** @throws HostError if there is none, or more than one */
export async function findAuth(host: HostClient, wanted: string): Promise<ConnectorAuth> {
  if (UUID.test(wanted)) return host.call(readConnectorAuthRoute, { params: { id: wanted } })
  const found = await host.call(listConnectorAuthsRoute, { query: { filter: named(wanted) } })
  return theOnly(found, { noun: 'connector auth', wanted, list: 'auth list' })
}

export async function listAllFlows(host: HostClient): Promise<Flow[]> {
  const all: Flow[] = []
  for (let page = 1; ; page++) {
    const query = { page: String(page), per_page: String(MOST_A_PAGE) }
    const some = await host.call(listFlowsRoute, { query })
    all.push(...some)
    if (some.length < MOST_A_PAGE) return all
  }
}

const named = (name: string) => [`name,eq,${JSON.stringify(name)}`]

interface Wanted {
  readonly noun: string
  readonly wanted: string
  /** The command that lists names and ids. */
  readonly list: string
}

function theOnly<T extends { readonly id: string; readonly status?: string }>(
  found: readonly T[],
  { noun, wanted, list }: Wanted,
): T {
  const [first, ...more] = found
  if (first !== undefined && more.length === 0) return first
  const ids = found.map(({ id, status }) => (status === undefined ? id : `${id} (${status})`)).join(', ')
  const message =
    first === undefined
      ? `No ${noun} has the name "${wanted}"; "millrace ${list}" shows names and IDs`
      : `Several ${noun}s have the name "${wanted}"; give the ID of one: ${ids}`
  throw new HostError(EXIT.failed, message)
}
