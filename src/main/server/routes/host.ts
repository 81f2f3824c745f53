import { eventsRoute, healthRoute, metaRoute, openapiRoute } from '../../../shared/contract/host.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountStream } from '../mount/mount-stream.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountHost(app: App, { host, events }: Pick<Services, 'host' | 'events'>): void {
  mountRoute(app, healthRoute, () => host.health())
  mountRoute(app, metaRoute, () => host.meta())
  mountRoute(app, openapiRoute, async () => {
    const { createOpenApiDocument } = await import('../openapi/document.ts')
    return { ...createOpenApiDocument(host.meta().version), openapi: '3.1.0' as const }
  })
  mountStream(app, eventsRoute, ({ caller, signal }) => events.subscribe(caller, signal))
}
