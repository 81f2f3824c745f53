import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/errors.ts'
import { listFlowVersionsRoute, restoreFlowVersionRoute } from '../../../shared/contract/flows.ts'
import type { Flow, FlowVersion } from '../../../shared/contract/flows.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'

interface VersionsState {
  /** Newest first. */
  readonly versions: readonly FlowVersion[] | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  /** Gives the flow with the restored steps as its newest version. */
  readonly restore: (version: number) => Promise<Flow>
}

export function createVersionsStore(api: Pick<Api, 'call' | 'live'>, id: string) {
  return createStore<VersionsState>()((set) => {
    const load = async () => {
      try {
        const query = { per_page: '200' }
        set({ versions: await api.call(listFlowVersionsRoute, { params: { id }, query }), failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      versions: null,
      failure: null,
      opened: followNouns(api, ['flow'], load),
      async restore(version) {
        const flow = await api.call(restoreFlowVersionRoute, { params: { id, version } })
        await load()
        return flow
      },
    }
  })
}
