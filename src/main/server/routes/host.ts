import { eventsRoute, healthRoute, hostRoutes } from '../../../shared/contract/host.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountStream } from '../mount/mount-stream.ts'
import { mount, mountRoute } from '../mount/mount-route.ts'

export function mountHost(
  app: App,
  { host, events, metrics }: Pick<Services, 'host' | 'events' | 'metrics'>,
): void {
  mountRoute(app, healthRoute, () => host.health())
  mount(app, hostRoutes, {
    metaRoute: () => host.meta(),
    openapiRoute: async () => {
      const { createOpenApiDocument } = await import('../openapi/document.ts')
      return { ...createOpenApiDocument(host.meta().version), openapi: '3.1.0' as const }
    },
    metricsRoute: () => metrics.read(),
    stopRoute: () => host.stop(),
  })
  mountStream(app, eventsRoute, ({ caller, signal }) => events.subscribe(caller, signal))
}
