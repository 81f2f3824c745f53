import { listLogsRoute } from '../../../shared/contract/logs.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountLogs(app: App, { logs }: Pick<Services, 'logs'>): void {
  mountRoute(app, listLogsRoute, ({ query }) => logs.list(query))
}
