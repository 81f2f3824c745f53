import { listCallsRoute, listLogsRoute } from '../../../shared/contract/logs.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountLogs(app: App, { logs, calls }: Pick<Services, 'logs' | 'calls'>): void {
  mountRoute(app, listLogsRoute, ({ query }) => logs.list(query))
  mountRoute(app, listCallsRoute, async ({ query }) => ({ entries: await calls.list(query) }))
}
