import { listFlowSamplesRoute, plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountFlowSamples(app: App, { flowSamples }: Pick<Services, 'flowSamples'>): void {
  mountRoute(app, listFlowSamplesRoute, () => [...flowSamples.list()])
  mountRoute(app, plantFlowSampleRoute, ({ caller, params }) => flowSamples.plant(caller, params.id))
}
