import { readSettingsRoute, updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountSettings(app: App, { settings }: Pick<Services, 'settings'>): void {
  mountRoute(app, readSettingsRoute, () => settings.current())
  mountRoute(app, updateSettingsRoute, ({ body, caller }) => settings.update(body, caller))
}
