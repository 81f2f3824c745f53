/** The thread in which jsonpath-plus works. The calling thread waits for it, so it replies through shared memory. */
import { workerData } from 'node:worker_threads'
// oxlint-disable-next-line no-restricted-imports -- this thread alone may be blocked by it
import { JSONPath } from 'jsonpath-plus'
import { replyToEach, type WaitedPlace } from '../../kit/waited-thread.ts'

export interface PlusRequest {
  readonly path: string
  /** JSON */
  readonly text: string
}

/** JSON pointers, or the names that a path with `~` at its end selects. */
export type PlusReply =
  | { readonly pointers: readonly string[] }
  | { readonly names: readonly (string | number)[] }
  | { readonly refusal: string }

function answer({ path, text }: PlusRequest): PlusReply {
  const isName = path.endsWith('~')
  const json = JSON.parse(text) as object | null
  try {
    const resultType = isName ? 'value' : 'pointer'
    // The safe interpreter creates no code, and our own path parser rejects calls.
    const found = (JSONPath({ path, json, resultType, wrap: true, eval: 'safe', ignoreEvalErrors: true }) ??
      []) as string[]
    return isName ? { names: found.filter((name) => name !== null) } : { pointers: found }
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) }
  }
}

replyToEach((workerData as { readonly place: WaitedPlace }).place, answer)
