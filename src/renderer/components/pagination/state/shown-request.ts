import type { PageLine } from './test-progress.ts'

/** The request of a page, as it was sent or would be sent. */
export interface ShownRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export function shownRequest({ attempts, plan }: PageLine): ShownRequest | null {
  return attempts.at(-1)?.request ?? plan?.request ?? null
}
