import { createApp, type AppOptions } from './create-app.ts'
import type { CoreServices } from './mount/app.ts'
import { createDoor, type Door } from './listen/loopback-server.ts'
import type { ListenerLimits } from './listen/http-server.ts'

export interface ServerOptions<S extends CoreServices> extends Omit<
  AppOptions<S>,
  'availability' | 'stopping'
> {
  /** One that listens already; absent: the server's own. */
  readonly door?: Door
  /** In place of the ordinary ones, where a test cannot wait for them. */
  readonly limits?: Partial<ListenerLimits>
}

export interface Server extends Pick<Door, 'listen' | 'url'> {
  /** From now on requests are served. */
  ready(): void
  /** Ends the streams, and closes the door. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

export function createServer<S extends CoreServices>(options: ServerOptions<S>): Server {
  const door = options.door ?? createDoor(options)
  const app = createApp({ ...options, availability: door.availability, stopping: door.closing })
  return {
    listen: (port) => door.listen(port),
    ready: () => door.open(app),
    get url() {
      return door.url
    },
    close: (closing) => door.close(closing),
  }
}
