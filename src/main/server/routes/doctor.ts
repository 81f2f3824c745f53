import { examineRoute } from '../../../shared/contract/doctor.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountDoctor(app: App, { doctor }: Pick<Services, 'doctor'>): void {
  mountRoute(app, examineRoute, () => doctor.examine())
}
