import { createStore } from 'zustand/vanilla'
import { previewScheduleRoute } from '../../../shared/contract/flows.ts'
import type { SchedulePreview } from '../../../shared/contract/flows.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface ScheduleTimesState {
  /** Of the configuration that was asked for last; stays until the next answer, so that nothing jumps. */
  readonly preview: { readonly flowId: string; readonly times: SchedulePreview } | null
  /** The schedule as it stands in the form; nothing is kept of it. */
  readonly changed: (flowId: string, config: Readonly<Record<string, unknown>>) => Promise<void>
}

function createScheduleTimesStore(api: Pick<Api, 'call'>) {
  let asked: object | null = null
  return createStore<ScheduleTimesState>()((set) => ({
    preview: null,
    async changed(flowId, config) {
      asked = config
      const body = { config: config as never }
      const times = await api.call(previewScheduleRoute, { params: { id: flowId }, body }).catch(() => null)
      if (asked === config) set({ preview: times === null ? null : { flowId, times } })
    },
  }))
}

export const useScheduleTimes = createStoreHook(createScheduleTimesStore)
