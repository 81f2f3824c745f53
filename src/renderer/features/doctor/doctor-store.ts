import { createStore } from 'zustand/vanilla'
import { examineRoute } from '../../../shared/contract/doctor.ts'
import type { Examination } from '../../../shared/contract/doctor.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface DoctorState {
  readonly examination: Examination | null
  readonly failure: AppError | null
  readonly busy: boolean
  readonly examine: () => Promise<void>
}

export function createDoctorStore(api: Pick<Api, 'call'>) {
  return createStore<DoctorState>()((set) => ({
    examination: null,
    failure: null,
    busy: false,
    async examine() {
      set({ busy: true })
      try {
        set({ examination: await api.call(examineRoute), failure: null, busy: false })
      } catch (error) {
        set({ failure: asAppError(error), busy: false })
      }
    },
  }))
}

export const useDoctor = createStoreHook(createDoctorStore)
