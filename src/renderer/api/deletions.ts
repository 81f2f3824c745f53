/**
 * The records that were deleted on the page. For ten seconds a record is only hidden and can be restored; then Millrace
 * deletes it. It is deleted at once if the page is left, and before something is created in the same list, which may
 * need its name.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Route, RouteRequest } from '../../shared/contract/base/route.ts'
import { asAppError } from './failure.ts'

/** The part of the API that this needs. */
interface Sender {
  readonly call: (route: Route, request: RouteRequest<Route>) => Promise<unknown>
  readonly callLast: (route: Route, request: RouteRequest<Route>) => boolean
}

export interface Deletion {
  /** The ID of the record, which is unique among all records. */
  readonly id: string
  /** Called once the record can no longer be restored. */
  readonly onSent: () => void
  readonly onFailure: (error: unknown) => void
  /** Awaited before the record can be shown again, because its ID may be used twice. */
  readonly after?: () => Promise<void>
}

export interface Deletions {
  /** The IDs of the hidden records. */
  readonly hidden: StoreApi<{ readonly ids: ReadonlySet<string> }>
  /** Hides the record and deletes it later. Returns a function that restores it. */
  readonly later: <R extends Route>(route: R, request: RouteRequest<R>, deletion: Deletion) => () => void
  /** Deletes the hidden records of a list now. */
  readonly settle: (list: string) => Promise<unknown>
  /**
   * Sends all pending deletions with the last requests of the page. Those that don't arrive are sent when the tab loads
   * again.
   */
  readonly follow: (page: Window) => void
}

interface Waiting {
  readonly route: Route
  readonly request: RouteRequest<Route>
  readonly deletion: Deletion
  readonly timer: ReturnType<typeof setTimeout>
}

const UNDO_MS = 10_000
const LEFT = 'millrace.deletions'

export function createDeletions({ call, callLast }: Sender): Deletions {
  const waiting = new Map<string, Waiting>()
  const hidden = createStore<{ readonly ids: ReadonlySet<string> }>()(() => ({ ids: new Set() }))
  const hide = (id: string) => hidden.setState(({ ids }) => ({ ids: new Set([...ids, id]) }))
  const show = (id: string) =>
    hidden.setState(({ ids }) => ({ ids: new Set([...ids].filter((one) => one !== id)) }))

  function take(id: string): Waiting | undefined {
    const one = waiting.get(id)
    clearTimeout(one?.timer)
    waiting.delete(id)
    return one
  }

  async function send(id: string): Promise<void> {
    const one = take(id)
    if (one === undefined) return
    const { deletion, route, request } = one
    deletion.onSent()
    try {
      await call(route, request)
    } catch (error) {
      show(id)
      if (asAppError(error).code !== 'not_found') deletion.onFailure(error)
      return
    }
    if (deletion.after === undefined) return
    await deletion.after()
    show(id)
  }

  return {
    hidden,
    later(route, request, deletion) {
      const { id } = deletion
      hide(id)
      const timer = setTimeout(() => void send(id), UNDO_MS)
      waiting.set(id, { route, request, deletion, timer })
      return () => {
        if (take(id) !== undefined) show(id)
      }
    },
    settle: (list) =>
      Promise.all(
        [...waiting].flatMap(([id, { route }]) => (route.path.startsWith(`${list}/`) ? [send(id)] : [])),
      ),
    follow(page) {
      const resend = JSON.parse(page.sessionStorage.getItem(LEFT) ?? '[]') as Pick<
        Waiting,
        'route' | 'request'
      >[]
      page.sessionStorage.removeItem(LEFT)
      for (const { route, request } of resend) void call(route, request).catch(() => undefined)
      page.addEventListener('pagehide', () => {
        const all = [...waiting.keys()].flatMap((id) => take(id) ?? [])
        for (const { route, request, deletion } of all) {
          callLast(route, request)
          deletion.onSent()
        }
        const sent = all.map(({ route: { method, path }, request }) => ({ route: { method, path }, request }))
        if (sent.length > 0) page.sessionStorage.setItem(LEFT, JSON.stringify(sent))
      })
    },
  }
}
