import { useMemo } from 'react'
import { entriesOf } from './state/config-text.ts'
import { usePagination } from './state/pagination-store.ts'

/** Place of the configuration that the pages of the last test were fetched with, wherever it stands by now. */
export function useUsedConfig(): number | null {
  const text = usePagination((state) => state.form.configText)
  const ran = usePagination((state) => state.ran?.configText ?? '')
  const used = usePagination(({ progress: { pages } }) => {
    const planned = pages.find(({ plan }) => plan !== null && plan.config_index !== null)
    return planned?.plan?.config_index ?? null
  })
  return useMemo(() => {
    const entry = used === null ? undefined : entriesOf(ran)[used]
    const at = entry === undefined ? -1 : entriesOf(text).findIndex(({ when }) => when === entry.when)
    return at === -1 ? null : at
  }, [text, ran, used])
}
