import { say, type Said } from '../../../shared/contract/base/message.ts'
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { type AddressClass, classifyAddress } from './addresses.ts'
import type { ClientCertificate } from '../ports.ts'
import { containSocket } from './contain.ts'
import { RequestError } from './request-error.ts'

/**
 * The allowed targets of a connection. `local` means everything except metadata addresses and Millrace's own ports;
 * `nearby`, the same without public addresses; `public`, only public addresses (after a redirect from one);
 * `internet`, the same from the start; `own`, also Millrace's own ports.
 */
export type NetworkReach = 'local' | 'nearby' | 'public' | 'internet' | 'own'

export interface AgentsOptions {
  readonly connectTimeoutMs: number
  /** Ports that Millrace itself listens on; read at every connection. */
  readonly ownPorts: () => ReadonlySet<number>
  /** Resolves host names. Defaults to the system's resolver. */
  readonly lookup?: Lookup | undefined
  /** Classifies addresses; tests pass their own, since they only have loopback. */
  readonly classify?: ((address: string) => AddressClass) | undefined
}

type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: Error | null, found: LookupAddress[]) => void,
) => void

export type Agents = ReturnType<typeof createAgents>

/**
 * Creates one connection pool per reach. A kept-alive connection is reused without a check, so a pool can only hold
 * connections that each of its calls could have opened.
 */
export function createAgents(options: AgentsOptions) {
  const publicOrigins = new Set<string>()
  const pools = createPools(options, publicOrigins, undefined)
  const withCertificate = new Map<ClientCertificate, Pools>()

  function poolsFor(certificate: ClientCertificate | undefined): Pools {
    if (certificate === undefined) return pools
    const known = withCertificate.get(certificate)
    if (known !== undefined) return known
    const [oldest] = withCertificate
    if (oldest !== undefined && withCertificate.size >= MOST_CERTIFICATES) {
      withCertificate.delete(oldest[0])
      void oldest[1].end()
    }
    const made = createPools(options, publicOrigins, certificate)
    withCertificate.set(certificate, made)
    return made
  }

  return {
    /** The agent that `agentFor` opened; null before that. */
    openFor: (reach: NetworkReach, certificate?: ClientCertificate) =>
      poolsFor(certificate).open.get(reach) ?? null,
    agentFor: (reach: NetworkReach, certificate?: ClientCertificate) => poolsFor(certificate).agentFor(reach),
    /** Whether this origin has ever resolved to a public address. */
    isPublic: (origin: string) => publicOrigins.has(origin) || publicOrigins.size >= MAX_ORIGINS,
    async close(): Promise<void> {
      await Promise.all([pools, ...withCertificate.values()].map((one) => one.close()))
    },
  }
}

/** The most client certificates that have connections at the same time. */
const MOST_CERTIFICATES = 50

type Pools = ReturnType<typeof createPools>

function createPools(
  options: AgentsOptions,
  publicOrigins: Set<string>,
  certificate: ClientCertificate | undefined,
) {
  const agents = new Map<NetworkReach, Promise<Agent>>()
  const open = new Map<NetworkReach, Agent>()
  return {
    open,
    agentFor(reach: NetworkReach): Promise<Agent> {
      const known = agents.get(reach)
      if (known) return known
      const agent = openAgent(reach, options, publicOrigins, certificate)
      agents.set(reach, agent)
      void agent.then(
        (opened) => open.set(reach, opened),
        () => agents.delete(reach),
      )
      return agent
    },
    /** Closes the connections after the calls in progress. */
    end: () => Promise.all([...agents.values()].map(async (agent) => (await agent).close())),
    close: () => Promise.all([...agents.values()].map(async (agent) => (await agent).destroy())),
  }
}

/** undici is large, and a process that makes no calls doesn't need it, so the first call loads it. */
async function openAgent(
  reach: NetworkReach,
  options: AgentsOptions,
  publicOrigins: Set<string>,
  certificate: ClientCertificate | undefined,
): Promise<Agent> {
  const undici = await import('undici')
  return new undici.Agent({
    connect: guardedConnector(reach, undici.buildConnector, options, publicOrigins, certificate),
    // Less than the two seconds after which some servers (gunicorn) close idle connections, so that no request is
    // written to one that is being closed.
    keepAliveTimeout: 1_500,
    keepAliveMaxTimeout: 60_000,
    allowH2: false,
  })
}

function guardedConnector(
  reach: NetworkReach,
  build: typeof buildConnector,
  { connectTimeoutMs, ownPorts, lookup = systemLookup, classify = classifyAddress }: AgentsOptions,
  publicOrigins: Set<string>,
  certificate: ClientCertificate | undefined,
): buildConnector.connector {
  const refusalOf = (address: string, host: string, port: number) =>
    refuse(classify(address), address, host, port, reach, ownPorts())
  const connectTo = (port: number) =>
    build({
      allowH2: false,
      timeout: connectTimeoutMs,
      lookup: guardedLookup(lookup, refusalOf, port),
      ...tlsOf(certificate),
    })
  const connectors = new Map<number, buildConnector.connector>()

  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    // Host names are checked when they are resolved; IP addresses are never looked up, so they are checked here.
    const refusal = isIP(target.hostname) === 0 ? null : refusalOf(target.hostname, target.hostname, port)
    if (refusal) return callback(refusal, null)
    let connect = connectors.get(port)
    if (!connect) connectors.set(port, (connect = connectTo(port)))
    connect(target, (...[error, socket]: buildConnector.CallbackArgs) => {
      if (error) return callback(error, null)
      const origin = new URL(`${target.protocol}//${target.host}`).origin
      const isPublic = socket.remoteAddress !== undefined && classify(socket.remoteAddress) === 'public'
      if (isPublic && publicOrigins.size < MAX_ORIGINS) publicOrigins.add(origin)
      callback(null, containSocket(socket))
    })
  }
}

function tlsOf(certificate: ClientCertificate | undefined) {
  if (certificate === undefined) return {}
  const { pfx, ...pem } = certificate
  return { ...pem, ...(pfx === undefined ? {} : { pfx: Buffer.from(pfx) }) }
}

/** Above this many origins, which no desktop reaches, every origin counts as public. */
const MAX_ORIGINS = 100_000

type Refusal = (address: string, host: string, port: number) => RequestError | null

function refuse(
  kind: AddressClass,
  address: string,
  host: string,
  port: number,
  reach: NetworkReach,
  ownPorts: ReadonlySet<number>,
): RequestError | null {
  const where = host === address ? address : `${host} (${address})`
  if (kind === 'forbidden') {
    return refusal(
      say('{{where}} is a link-local or cloud metadata address, which is never called', { where }),
    )
  }
  if (reach === 'public' && kind !== 'public') {
    return refusal(
      say(
        "A public server redirected to {{where}}, an address of your computer or network; the redirect wasn't followed",
        { where },
      ),
    )
  }
  if (reach === 'internet' && kind !== 'public') {
    return refusal(
      say("{{where}} is an address of your computer or network, which can't be called from here", { where }),
    )
  }
  if (reach === 'nearby' && kind === 'public') {
    return refusal(
      say('{{where}} is a public address; only URLs of this machine and its network are read here', {
        where,
      }),
    )
  }
  if (reach !== 'own' && kind === 'loopback' && ownPorts.has(port)) {
    return refusal(
      say('{{place}}, port {{port}}, is Millrace itself; use the connector "Millrace" to call it', {
        place: where,
        port,
      }),
    )
  }
  return null
}

function refusal(message: Said): RequestError {
  return new RequestError('http_error', message, { delivered: false })
}

/** Resolves a name and keeps the addresses that can be called; an error if none is left. */
function guardedLookup(lookup: Lookup, refusalOf: Refusal, port: number): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const allowed: LookupAddress[] = []
      let refused: RequestError | null = null
      for (const entry of found) {
        const refusal = refusalOf(entry.address, hostname, port)
        if (refusal) refused = refusal
        else allowed.push(entry)
      }
      const [first] = allowed
      if (!first) return callback(refused ?? noAddress(hostname), '', 0)
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function noAddress(hostname: string): Error {
  return new RequestError('http_error', say('The host name {{name}} has no IP address', { name: hostname }), {
    transient: true,
    delivered: false,
  })
}
