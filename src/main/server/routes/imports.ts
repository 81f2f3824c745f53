import { readImportUrlRoute } from '../../../shared/contract/import-sources.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountImports(app: App, { importUrls }: Pick<Services, 'importUrls'>): void {
  mountRoute(app, readImportUrlRoute, ({ body }) => importUrls.read(body.url))
}
