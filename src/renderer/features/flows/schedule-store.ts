import { createStore } from 'zustand/vanilla'
import { readScheduleRoute } from '../../../shared/contract/flows.ts'
import type { FlowSchedule } from '../../../shared/contract/flows.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface ScheduleTimesState {
  /** Of the flow that was opened last; no schedule where it cannot be read. */
  readonly times: { readonly flowId: string; readonly schedule: FlowSchedule | null } | null
  /** @param savedAt when it was saved last: each save may give it other times */
  readonly opened: (flowId: string, savedAt: string) => Promise<void>
}

function createScheduleTimesStore(api: Pick<Api, 'call'>) {
  let asked = ''
  return createStore<ScheduleTimesState>()((set) => ({
    times: null,
    async opened(flowId, savedAt) {
      const turn = `${flowId} ${savedAt}`
      asked = turn
      const schedule = await api.call(readScheduleRoute, { params: { id: flowId } }).catch(() => null)
      if (turn === asked) set({ times: { flowId, schedule } })
    },
  }))
}

export const useScheduleTimes = createStoreHook(createScheduleTimesStore)
