import {
  readTunnelRoute,
  startTunnelRoute,
  stopTunnelRoute,
  updateTunnelRoute,
} from '../../../shared/contract/reach/tunnel.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountTunnel(app: App, { tunnel }: Pick<Services, 'tunnel'>): void {
  mountRoute(app, readTunnelRoute, () => tunnel.read())
  mountRoute(app, updateTunnelRoute, ({ body }) => tunnel.change(body))
  mountRoute(app, startTunnelRoute, ({ body }) => tunnel.start(body))
  mountRoute(app, stopTunnelRoute, () => tunnel.stop())
}
