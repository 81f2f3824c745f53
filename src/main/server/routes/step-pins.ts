import { listStepPinsRoute, pinStepRoute, unpinStepRoute } from '../../../shared/contract/step-pins.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountStepPins(app: App, { stepPins }: Pick<Services, 'stepPins'>): void {
  mountRoute(app, listStepPinsRoute, ({ params }) => [...stepPins.list(params.id)])
  mountRoute(app, pinStepRoute, ({ caller, params, body }) =>
    stepPins.pin(caller, params.id, params.ref_id, body),
  )
  mountRoute(app, unpinStepRoute, ({ params }) => stepPins.unpin(params.id, params.ref_id))
}
