import { useEffect } from 'react'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import { updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Api } from '../../api/create-api.ts'
import { endsRun, META, SETTINGS } from '../../api/lists.ts'
import { cached, resource, useResource } from '../../api/resource.ts'
import { setTheme, type Theme } from '../../components/screen/theme.ts'
import { attempt } from '../../components/screen/toast.tsx'
import { setLanguage, t } from '../../lib/i18n.ts'
import { setPublicAddress } from '../../lib/urls.ts'

export const MOST_COUNTED = 50

/** Loaded again only after changes that affect their number. */
const UNFINISHED_RUNS = resource(listFlowRunsRoute, {
  nouns: ['flow_run'],
  concerns: (event, runs) =>
    runs.some(({ id }) => id === event.id) === (event.type === 'deleted' || endsRun(event)),
  query: { filter: 'status,in,queued,running,retrying', per_page: String(MOST_COUNTED) },
})

/** The number of unfinished runs, at most `MOST_COUNTED`. */
export function useUnfinished(): number {
  return useResource(UNFINISHED_RUNS).data?.length ?? 0
}

/** Applies the saved appearance, language and public URL. */
export function useSavedAppearance(): void {
  const { data: meta } = useResource(META)
  const { data: settings } = useResource(SETTINGS)
  useEffect(() => {
    if (meta !== null) setPublicAddress(meta.public_url)
  }, [meta])
  useEffect(() => {
    if (settings === null) return
    setTheme(settings.theme)
    void setLanguage(settings.language)
  }, [settings])
}

/** Applies at once in this window, and is saved in the settings for the others. */
export async function chooseTheme(api: Api, theme: Theme): Promise<void> {
  setTheme(theme)
  await attempt(t('The theme applies to this window only'), () =>
    cached(api, SETTINGS)
      .getState()
      .after(api.call(updateSettingsRoute, { body: { theme } })),
  )
}
