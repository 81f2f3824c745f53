import { changePortRoute, readPortRoute } from '../../../shared/contract/port.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountPort(app: App, { port }: Pick<Services, 'port'>): void {
  mountRoute(app, readPortRoute, () => port.read())
  mountRoute(app, changePortRoute, ({ body }) => port.change(body.port))
}
