import { testAlarmRoute } from '../../../shared/contract/alarms.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountAlarms(app: App, { alarms }: Pick<Services, 'alarms'>): void {
  mountRoute(app, testAlarmRoute, ({ body }) => alarms.test(body.flow_id))
}
