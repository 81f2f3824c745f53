import { useCallback } from 'react'
import { metaRoute } from '../../../shared/contract/host.ts'
import { type HarCall, toHar } from '../../../shared/har.ts'
import { useApi } from '../../api/provider.tsx'
import { formatJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { attempt } from '../screen/toast.tsx'

/** Saves calls that are on screen as a HAR file. */
export function useSaveHar(): (name: string, calls: readonly HarCall[]) => Promise<void> {
  const api = useApi()
  return useCallback(
    (name, calls) =>
      attempt(t('Couldn’t export HTTP requests'), async () => {
        const { version } = await api.call(metaRoute)
        saveFile(name, 'application/json', formatJson(toHar(calls, version)))
      }),
    [api],
  )
}
