import { createStore } from 'zustand/vanilla'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import type { Meta } from '../../../shared/contract/host.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { createRefresher } from '../../api/refresh.ts'
import { setTheme } from '../../components/screen/theme.ts'
import type { Theme } from '../../components/screen/theme.ts'
import { announceFailure } from '../../components/screen/toast.tsx'
import { setLanguage, t } from '../../lib/i18n.ts'
import { setPublicAddress } from '../../lib/urls.ts'

interface ShellState {
  readonly meta: Meta | null
  /** Unfinished runs, at most 50. */
  readonly unfinished: number
  /** Follows the program until the returned function is called. */
  readonly opened: () => () => void
  /** Applies at once in this window, and is saved in the settings for the others. */
  readonly themeChosen: (theme: Theme) => Promise<void>
}

const UNFINISHED = 'status,in,queued,running,retrying'

export function createShellStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<ShellState>()((set) => {
    const refresh = createRefresher(async () => {
      const query = { filter: UNFINISHED, per_page: '50' }
      await api.call(listFlowRunsRoute, { query }).then(
        (runs) => set({ unfinished: runs.length }),
        () => undefined, // The status bar already says that the program doesn't respond.
      )
    }, 400)

    const ask = async () => {
      const [meta, settings] = await Promise.all([api.call(metaRoute), api.call(readSettingsRoute)])
      set({ meta })
      setTheme(settings.theme)
      setPublicAddress(meta.public_url)
      await setLanguage(settings.language)
    }

    return {
      meta: null,
      unfinished: 0,
      opened() {
        refresh()
        void ask().catch(() => undefined)
        return api.live.subscribe(['flow_run', 'settings', 'tunnel'], ({ type, noun }) => {
          if (type === 'ready' || noun === 'flow_run') refresh()
          if (type === 'ready' || noun !== 'flow_run') void ask().catch(() => undefined)
        })
      },
      async themeChosen(theme) {
        setTheme(theme)
        try {
          await api.call(updateSettingsRoute, { body: { theme } })
        } catch (error) {
          announceFailure(t('The theme applies to this window only'), error)
        }
      },
    }
  })
}

export const useShellStore = createStoreHook(createShellStore)
