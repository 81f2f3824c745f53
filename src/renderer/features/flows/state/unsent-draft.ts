import type { Step } from '../../../../shared/contract/steps.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'

/** Steps that the server doesn't have yet, and when it stored the draft that they were typed on. */
export interface UnsentDraft {
  readonly steps: readonly Step[]
  readonly base: string | null
}

export type UnsentDraftPlace = ReturnType<typeof unsentDraftOf>

/** Kept in the tab's own storage, which outlives a reload and a link that is opened in the tab. */
export function unsentDraftOf(flowId: string, storage: Storage) {
  const key = `millrace.unsent-draft.${flowId}`
  return {
    read(): UnsentDraft | null {
      const text = storage.getItem(key)
      return text === null ? null : (parseJson(text) as UnsentDraft)
    },
    keep(draft: UnsentDraft): void {
      try {
        storage.setItem(key, formatJson(draft, 0))
      } catch {
        // The draft is larger than a tab may store, so it exists only in the window.
      }
    },
    forget: () => storage.removeItem(key),
  }
}
