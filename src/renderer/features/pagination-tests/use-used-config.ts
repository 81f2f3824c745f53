import { usePagination } from './pagination-store.ts'

/** Place of the configuration that the pages of the last test were fetched with; null where none was. */
export function useUsedConfig(): number | null {
  return usePagination(({ progress: { pages } }) => {
    const planned = pages.find(({ plan }) => plan !== null && plan.config_index !== null)
    return planned?.plan?.config_index ?? null
  })
}
