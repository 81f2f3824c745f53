import { useCallback } from 'react'
import { metaRoute } from '../../../shared/contract/host.ts'
import { type HarCall, toHar } from '../../../shared/har.ts'
import { useApi } from '../../api/provider.tsx'
import { formatJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { announceFailure } from '../screen/toast.tsx'

/** Saves calls that are on screen as a HAR file. */
export function useSaveHar(): (name: string, calls: readonly HarCall[]) => Promise<void> {
  const api = useApi()
  return useCallback(
    async (name, calls) => {
      try {
        const { version } = await api.call(metaRoute)
        saveFile(name, 'application/json', formatJson(toHar(calls, version)))
      } catch (error) {
        announceFailure(t('Couldn’t export HTTP requests'), error)
      }
    },
    [api],
  )
}
