import { useNavigate } from '@tanstack/react-router'
import { type FlowSample, plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { FLOWS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { t, translateSampleText } from '../../lib/i18n.ts'
import { rememberSampleInput } from '../runs/sample-input.ts'
import { announce } from '../screen/toast.tsx'

/** Creates a flow from a sample and opens it. */
export function usePlantSample(): (sample: FlowSample) => Promise<void> {
  const navigate = useNavigate()
  const api = useApi()
  return async ({ id, name, sample_request: request }) => {
    const flow = await cached(api, FLOWS)
      .getState()
      .after(api.call(plantFlowSampleRoute, { params: { id } }))
    rememberSampleInput(flow.id, request)
    announce(t('Flow created from sample “{{name}}”', { name: translateSampleText(name) }))
    await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
  }
}
