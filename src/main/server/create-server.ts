import { createApp, type AppOptions } from './create-app.ts'
import type { CoreServices } from './mount/app.ts'
import { createHostServer, type HostServer } from './listen/host-server.ts'
import type { HttpLimits } from './listen/http-server.ts'

export interface ServerOptions<S extends CoreServices> extends Omit<
  AppOptions<S>,
  'availability' | 'stopping'
> {
  /** A server that already listens; defaults to a new one. */
  readonly loopback?: HostServer
  /** Overrides of the default limits, for tests that can't wait for them. */
  readonly limits?: Partial<HttpLimits>
}

export interface Server extends Pick<HostServer, 'listen' | 'url'> {
  /** Starts serving requests. */
  ready(): void
  /** Ends the streams and closes the listening server. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

export function createServer<S extends CoreServices>(options: ServerOptions<S>): Server {
  const loopback = options.loopback ?? createHostServer(options)
  const app = createApp({ ...options, availability: loopback.availability, stopping: loopback.closing })
  return {
    listen: (port) => loopback.listen(port),
    ready: () => loopback.open(app),
    get url() {
      return loopback.url
    },
    close: (closing) => loopback.close(closing),
  }
}
