/** Listeners only for webhooks, which other computers can reach directly or through a tunnel. */
import { say } from '../../shared/contract/base/message.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import { AppError } from '../../shared/contract/base/errors.ts'
import type { WebhookListen } from './config.ts'
import { createPublicApp } from '../server/create-public-app.ts'
import {
  addressBehind,
  type ClientAddress,
  createAddressList,
  isLoopbackAddress,
  socketAddress,
} from '../server/gates/client-address.ts'
import { onlyWebhooks } from '../server/gates/only-webhooks.ts'
import { createHostServer } from '../server/listen/host-server.ts'
import { createWebhookHandler, listRefused } from '../server/routes/flow-webhook.ts'
import type { Services } from '../services/index.ts'
import type { Log } from '../services/kit/ports.ts'
import type { TunnelHost } from '../services/serving/tunnel/tunnel.ts'
import { systemRandom } from './machine/system.ts'

type PublicServices = Pick<Services, 'webhooks' | 'metrics' | 'settings' | 'tunnel'>

/** Creates the listener, without listening yet. */
export function createPublicListener({ host, onlyProxies }: WebhookListen, log: Log) {
  let settings: Services['settings'] | null = null
  const isProxy = (address: string) => settings !== null && proxiesOf(settings.current())(address)
  const clientOf = addressBehind(() => settings && { header: settings.current().proxy_header, isProxy })
  const gates = onlyProxies ? [onlyWebhooks, onlyFrom(isProxy)] : [onlyWebhooks]
  const server = createHostServer({ host, gate: onlyWebhooks, log, random: systemRandom })
  return {
    server,
    /** Starts serving webhooks. */
    open(services: PublicServices): void {
      settings = services.settings
      listRefused(server, services, clientOf)
      server.open(
        createPublicApp({
          gates: [...gates, server.availability],
          webhook: createWebhookHandler(services, clientOf),
          proofAt: (url) => services.tunnel.proofAt(url),
          log,
          random: systemRandom,
        }),
      )
    },
  }
}

/** Listens only on loopback, and only while a tunnel leads there. */
export function createTunnelHost(options: {
  readonly services: () => Pick<Services, 'webhooks' | 'metrics' | 'tunnel'>
  readonly ownPorts: Set<number>
  readonly log: Log
}): TunnelHost {
  const { ownPorts, log } = options
  return {
    async open({ port, clientHeader, onRequest }) {
      const server = createHostServer({ host: '127.0.0.1', gate: onlyWebhooks, log, random: systemRandom })
      const clientOf =
        clientHeader === null
          ? socketAddress
          : addressBehind(() => ({ header: clientHeader, isProxy: isLoopbackAddress }))
      const services = options.services()
      server.open(
        createPublicApp({
          gates: [onlyWebhooks, server.availability],
          webhook: createWebhookHandler(services, clientOf, ({ method = '', url = '', rawHeaders }, body) =>
            onRequest({ method, target: url, rawHeaders, body }),
          ),
          proofAt: (url) => services.tunnel.proofAt(url),
          log,
          random: systemRandom,
        }),
      )
      const bound = await server.listen(port)
      ownPorts.add(bound)
      return {
        url: server.url,
        async close() {
          await server.close()
          ownPorts.delete(bound)
        },
      }
    },
  }
}

/** The list from the settings, rebuilt when they change. */
const proxiesOf = memoized(({ trusted_proxies: entries }: Settings) => createAddressList(entries))

function memoized<A extends object, R>(make: (from: A) => R): (from: A) => R {
  const made = new WeakMap<A, R>()
  return (from) => {
    const known = made.get(from) ?? make(from)
    made.set(from, known)
    return known
  }
}

const onlyFrom = (isProxy: (address: string) => boolean) => (request: Parameters<ClientAddress>[0]) => {
  const address = socketAddress(request)
  if (!isLoopbackAddress(address) && !isProxy(address)) throw new AppError('not_found', say('Not found'))
}
