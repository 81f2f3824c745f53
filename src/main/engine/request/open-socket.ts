import { say, type Said } from '../../../shared/contract/base/message.ts'
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { classifyAddress } from './addresses.ts'
import { containSocket } from './contain.ts'
import { RequestError } from './request-error.ts'

export interface OpenSocketOptions {
  readonly timeoutMs: number
  /** Ports that Millrace itself listens on. */
  readonly ownPorts: () => ReadonlySet<number>
}

/**
 * Opens a connection for protocols other than HTTP under the same rules. It is checked by the IP address it connects
 * to, and never leads to metadata services or to Millrace itself.
 *
 * @throws RequestError
 */
export async function openSocket(host: string, port: number, options: OpenSocketOptions): Promise<Socket> {
  const failed = (message: Said, cause?: unknown) =>
    new RequestError('http_error', message, { delivered: false, transient: cause !== undefined, cause })
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw failed(say('{{host}}: host not found; check the name and your network', { host }), cause)
  })
  const allowed = found.filter(({ address }) => classifyAddress(address) !== 'forbidden')
  const [target] = allowed
  if (target === undefined)
    throw failed(
      say('{{where}} is a link-local or cloud metadata address, which is never called', { where: host }),
    )
  if (classifyAddress(target.address) === 'loopback' && options.ownPorts().has(port))
    throw failed(say('{{place}}, port {{port}}, is Millrace itself', { place: host, port }))
  return new Promise((resolve, reject) => {
    // Such protocols wait for a reply to each small packet, so with Nagle's algorithm each would cost 40 ms.
    const socket = connect({ host: target.address, port, noDelay: true })
    const timer = setTimeout(
      () =>
        end(
          failed(
            say('{{place}}: {{why}}', { place: `${host}:${port}`, why: say('timed out while connecting') }),
            'timeout',
          ),
        ),
      options.timeoutMs,
    )
    const end = (error: RequestError) => {
      socket.destroy()
      reject(error)
    }
    const onError = (cause: Error) => {
      clearTimeout(timer)
      end(
        failed(
          say("can't reach {{place}} ({{code}})", {
            place: `${host}:${port}`,
            code: (cause as NodeJS.ErrnoException).code ?? cause.message,
          }),
          cause,
        ),
      )
    }
    socket.once('error', onError)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', onError)
      resolve(containSocket(socket))
    })
  })
}
