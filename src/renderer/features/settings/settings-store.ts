import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/errors.ts'
import { readDataFolderRoute } from '../../../shared/contract/data-folder.ts'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import type { Meta } from '../../../shared/contract/host.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { announceFailure } from '../../components/toast.tsx'

interface SettingsState {
  readonly settings: Settings | null
  readonly meta: Meta | null
  readonly folder: DataFolder | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** Looks at the data folder, which takes longer than the rest. */
  readonly measured: () => Promise<void>
  readonly saved: (patch: Partial<Settings>) => Promise<void>
}

export function createSettingsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<SettingsState>()((set) => {
    const load = async () => {
      try {
        const [settings, meta] = await Promise.all([api.call(readSettingsRoute), api.call(metaRoute)])
        set({ settings, meta, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      settings: null,
      meta: null,
      folder: null,
      failure: null,
      opened: followNouns(api, ['settings'], load),
      reload: load,
      async measured() {
        await api.call(readDataFolderRoute).then(
          (folder) => set({ folder }),
          (error: unknown) => announceFailure('The data folder could not be looked at', error),
        )
      },
      async saved(patch) {
        set({ settings: await api.call(updateSettingsRoute, { body: patch }) })
      },
    }
  })
}

export const useSettings = createStoreHook(createSettingsStore)
