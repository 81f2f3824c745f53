import { readImportUrlRoute } from '../../../../shared/contract/import-sources.ts'
import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../../shared/contract/base/errors.ts'
import { importFlowRoute, planFlowImportRoute } from '../../../../shared/contract/flow-files.ts'
import type { FlowFile, FlowImportPlan } from '../../../../shared/contract/flow-files.ts'
import { createFlowRoute, listFlowsRoute, updateWorkingCopyRoute } from '../../../../shared/contract/flows.ts'
import { listFlowSamplesRoute, plantFlowSampleRoute } from '../../../../shared/contract/flow-samples.ts'
import type { FlowSample } from '../../../../shared/contract/flow-samples.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError } from '../../../api/failure.ts'
import { followNouns } from '../../../api/follow.ts'
import { createStoreHook } from '../../../api/provider.tsx'
import { listAll } from '../../../api/list-all.ts'

interface FlowsState {
  readonly flows: readonly Flow[] | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** Null until they are loaded. */
  readonly samples: readonly FlowSample[] | null
  readonly samplesOpened: () => Promise<void>
  /** Creates a flow from a sample and returns it. */
  readonly planted: (id: string) => Promise<Flow>
  /** The text at a URL of this machine. */
  readonly readImportUrl: (url: string) => Promise<string>
  /** What a file would create; nothing is created. */
  readonly planImport: (source: string) => Promise<FlowImportPlan>
  /** Creates the flows of a plan and returns the first one. */
  readonly makeImport: (file: FlowFile) => Promise<Flow>
  /** Returns the new flow. A first step that still lacks a required value becomes a draft change. */
  readonly create: (name: string, first: Step | null) => Promise<Flow>
}

/** They need nothing but their defaults. */
const READY_TRIGGERS: readonly string[] = ['webhook', 'schedule']

export function createFlowsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<FlowsState>()((set, get) => {
    const load = async () => {
      try {
        set({ flows: await listAll(api, listFlowsRoute), failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      flows: null,
      failure: null,
      opened: followNouns(api, ['flow'], load),
      reload: load,
      samples: null,
      async samplesOpened() {
        if (get().samples === null) set({ samples: await api.call(listFlowSamplesRoute, {}) })
      },
      async planted(id) {
        const flow = await api.call(plantFlowSampleRoute, { params: { id } })
        set(({ flows }) => ({ flows: [flow, ...(flows ?? [])] }))
        return flow
      },
      readImportUrl: async (url) => (await api.call(readImportUrlRoute, { body: { url } })).source,
      planImport: (source) => api.call(planFlowImportRoute, { body: { source } }),
      async makeImport(file) {
        const { other_flows: _others, ...flow } = await api.call(importFlowRoute, { body: file })
        await load()
        return flow
      },
      async create(name, first) {
        const steps = first === null ? [] : [first]
        const isReady = first === null || READY_TRIGGERS.includes(first.type)
        const flow = await api.call(createFlowRoute, { body: { name, steps: isReady ? steps : [] } })
        if (!isReady) await api.call(updateWorkingCopyRoute, { params: { id: flow.id }, body: { steps } })
        set(({ flows }) => ({ flows: [flow, ...(flows ?? [])] }))
        return flow
      },
    }
  })
}

export const useFlows = createStoreHook(createFlowsStore)
