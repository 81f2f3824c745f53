import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  readDataFolderRoute,
  restoreBackupRoute,
  writeBackupRoute,
} from '../../../shared/contract/data-folder.ts'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import type { Meta } from '../../../shared/contract/host.ts'
import { changePortRoute, readPortRoute } from '../../../shared/contract/port.ts'
import type { Listening } from '../../../shared/contract/port.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Language, Settings } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { announceFailure } from '../../components/screen/toast.tsx'
import { setLanguage, t } from '../../lib/i18n.ts'

interface SettingsState {
  readonly settings: Settings | null
  /** Unsaved input. It survives a change of the language, which renders the form again. */
  readonly changes: Partial<Settings>
  readonly meta: Meta | null
  readonly folder: DataFolder | null
  readonly listening: Listening | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly changed: (patch: Partial<Settings>) => void
  /** Inspects the data folder, which takes longer than the rest. */
  readonly measured: () => Promise<void>
  readonly saved: () => Promise<void>
  /** Copies the database to a local file. */
  readonly backedUp: (path: string, overwrite: boolean, passphrase: string) => Promise<void>
  /** Resolves once the program has restarted with that backup; the page's data is outdated then. */
  readonly restored: (path: string, passphrase: string) => Promise<void>
  /** The page follows to the new URL. */
  readonly portChanged: (port: number) => Promise<void>
  /** Applies at once in this window, and is saved in the settings for the others. */
  readonly languageChosen: (language: Language) => Promise<void>
}

export function createSettingsStore(api: Pick<Api, 'call' | 'live' | 'moveTo'>) {
  return createStore<SettingsState>()((set, get) => {
    const load = async () => {
      try {
        const [settings, meta, listening] = await Promise.all([
          api.call(readSettingsRoute),
          api.call(metaRoute),
          api.call(readPortRoute),
        ])
        set({ settings, meta, listening, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      settings: null,
      changes: {},
      meta: null,
      folder: null,
      listening: null,
      failure: null,
      opened: followNouns(api, ['settings'], load),
      reload: load,
      async measured() {
        await api.call(readDataFolderRoute).then(
          (folder) => set({ folder }),
          (error: unknown) => announceFailure(t('Couldn’t read the data folder'), error),
        )
      },
      async backedUp(path, overwrite, passphrase) {
        await api.call(writeBackupRoute, { body: { path, overwrite, ...given(passphrase) } })
        await get().measured()
      },
      async restored(path, passphrase) {
        await api.call(restoreBackupRoute, { body: { path, ...given(passphrase) } })
        await new Promise<void>((resolve) => {
          const stop = api.live.subscribe([], () => {
            stop()
            resolve()
          })
        })
      },
      async portChanged(port) {
        const listening = await api.call(changePortRoute, { body: { port } })
        set({ listening })
        if (listening.url !== get().meta?.url) api.moveTo(listening.url)
      },
      changed: (patch) => set(({ changes }) => ({ changes: { ...changes, ...patch } })),
      async saved() {
        const settings = await api.call(updateSettingsRoute, { body: get().changes })
        set({ settings, changes: {} })
      },
      async languageChosen(language) {
        // Saved first: the page, rendered in another language, asks which one is saved.
        const kept = await api.call(updateSettingsRoute, { body: { language } }).catch((error: unknown) => {
          announceFailure(t('The language applies to this window only'), error)
          return null
        })
        if (kept !== null) set({ settings: kept })
        await setLanguage(language)
      },
    }
  })
}

export const useSettings = createStoreHook(createSettingsStore)

const given = (passphrase: string) => (passphrase === '' ? {} : { passphrase })
