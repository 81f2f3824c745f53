import {
  exportDataKeysRoute,
  importDataKeysRoute,
  readDataFolderRoute,
  restoreBackupRoute,
  writeBackupRoute,
} from '../../../shared/contract/data-folder.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountDataFolder(app: App, { dataFolder }: Pick<Services, 'dataFolder'>): void {
  mountRoute(app, readDataFolderRoute, () => dataFolder.read())
  mountRoute(app, writeBackupRoute, ({ body }) => dataFolder.backUp(body))
  mountRoute(app, restoreBackupRoute, ({ body }) => dataFolder.restore(body))
  mountRoute(app, exportDataKeysRoute, () => dataFolder.exportKeys())
  mountRoute(app, importDataKeysRoute, ({ body }) => dataFolder.importKeys(body.keys))
}
