import {
  eventsRoute,
  healthRoute,
  metaRoute,
  metricsRoute,
  openapiRoute,
  stopRoute,
} from '../../../shared/contract/host.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountStream } from '../mount/mount-stream.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountHost(
  app: App,
  { host, events, metrics }: Pick<Services, 'host' | 'events' | 'metrics'>,
): void {
  mountRoute(app, healthRoute, () => host.health())
  mountRoute(app, metaRoute, () => host.meta())
  mountRoute(app, openapiRoute, async () => {
    const { createOpenApiDocument } = await import('../openapi/document.ts')
    return { ...createOpenApiDocument(host.meta().version), openapi: '3.1.0' as const }
  })
  mountRoute(app, metricsRoute, () => metrics.read())
  mountRoute(app, stopRoute, () => host.stop())
  mountStream(app, eventsRoute, ({ caller, signal }) => events.subscribe(caller, signal))
}
