import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/errors.ts'
import { readDataFolderRoute, writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import type { Meta } from '../../../shared/contract/host.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Language, Settings } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { announceFailure } from '../../components/toast.tsx'
import { setLanguage, t } from '../../lib/i18n.ts'

interface SettingsState {
  readonly settings: Settings | null
  /** What is typed and not saved; another language, in which the form is made anew, does not lose it. */
  readonly changes: Partial<Settings>
  readonly meta: Meta | null
  readonly folder: DataFolder | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly changed: (patch: Partial<Settings>) => void
  /** Looks at the data folder, which takes longer than the rest. */
  readonly measured: () => Promise<void>
  readonly saved: () => Promise<void>
  /** Copies the database to a file of this computer. */
  readonly backedUp: (path: string) => Promise<void>
  /** Holds at once in this window, and is kept in the settings for the others. */
  readonly languageChosen: (language: Language) => Promise<void>
}

export function createSettingsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<SettingsState>()((set, get) => {
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
      changes: {},
      meta: null,
      folder: null,
      failure: null,
      opened: followNouns(api, ['settings'], load),
      reload: load,
      async measured() {
        await api.call(readDataFolderRoute).then(
          (folder) => set({ folder }),
          (error: unknown) => announceFailure(t('The data folder could not be looked at'), error),
        )
      },
      async backedUp(path) {
        await api.call(writeBackupRoute, { body: { path } })
        await get().measured()
      },
      changed: (patch) => set(({ changes }) => ({ changes: { ...changes, ...patch } })),
      async saved() {
        const settings = await api.call(updateSettingsRoute, { body: get().changes })
        set({ settings, changes: {} })
      },
      async languageChosen(language) {
        await setLanguage(language)
        try {
          set({ settings: await api.call(updateSettingsRoute, { body: { language } }) })
        } catch (error) {
          announceFailure(t('The language holds in this window alone'), error)
        }
      },
    }
  })
}

export const useSettings = createStoreHook(createSettingsStore)
