import { useMemo } from 'react'
import { parseJson } from '../../lib/json.ts'
import type { ResponseSample } from './config/config-completion.ts'
import { usePagination } from './state/pagination-store.ts'

/** The first good response of the last test, for the editor's completion. */
export function useResponseSample(): ResponseSample | null {
  const attempt = usePagination(({ progress: { pages } }) => pages[0]?.attempts.at(-1))
  const body = attempt?.body ?? null
  const headers = attempt?.response?.headers
  return useMemo(() => {
    if (body === null || body.truncated) return null
    try {
      return { body: parseJson(body.text), headers: headers ?? {} }
    } catch {
      return null
    }
  }, [body, headers])
}
