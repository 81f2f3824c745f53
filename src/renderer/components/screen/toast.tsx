import { Toast } from '@base-ui/react/toast'
import { CircleCheck, CircleX, X } from '../../lib/icons.tsx'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import type { Route, RouteRequest } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import type { Deletion } from '../../api/deletions.ts'
import { asAppError } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { Button, IconButton } from '../controls/button.tsx'
import { freePlace } from './toast-place.ts'

interface Extras {
  readonly action?: ReactNode
}

const SHOWN_MS = 5_000
/** Long enough to reach its button. */
const SHOWN_WITH_ACTION_MS = 15_000
const MOST_SHOWN = 4
const manager = Toast.createToastManager<Extras>()

/** Reports a success, in one sentence that names the object. */
export function announce(text: string, action?: ReactNode): void {
  const timeout = action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS
  // A repeated message is shown only once.
  manager.close(text)
  manager.add<Extras>({ id: text, type: 'done', title: text, timeout, data: { action } })
}

/** Reports a success with a button that undoes it. Returns a function that closes the toast. */
export function announceWithUndo(text: string, undo: () => void, timeout = SHOWN_WITH_ACTION_MS): () => void {
  const close = () => manager.close(id)
  const action = (
    <Button
      onClick={() => {
        close()
        undo()
      }}
    >
      {t('Undo')}
    </Button>
  )
  const id = manager.add<Extras>({
    type: 'done',
    title: text,
    timeout,
    data: { action },
  })
  return close
}

interface DeletedThing extends Pick<Deletion, 'id' | 'after'> {
  /** The text of the toast: `Table “customers” deleted`. */
  readonly text: string
  readonly name: string
}

/** Deletes after ten seconds, unless the button in the toast is pressed first. */
export function deleteWithUndo<R extends Route>(
  api: Pick<Api, 'deletions'>,
  route: R,
  request: RouteRequest<R>,
  { text, name, ...deletion }: DeletedThing,
): void {
  const undo = api.deletions.later(route, request, {
    ...deletion,
    onSent: () => close(),
    onFailure: (error) => announceFailure(t('Couldn’t delete “{{name}}”', { name }), error),
  })
  const close = announceWithUndo(text, undo, 0)
}

/** Announces changes of `present` with a button that undoes them, shown until something else is changed. */
export function useAnnounceWithUndo(present: unknown, undo: () => void): (text: string) => void {
  const [notice, setNotice] = useState<{ readonly text: string } | null>(null)
  const shown = useRef<{ readonly notice: object; readonly present: unknown; readonly close: () => void }>(
    null,
  )
  const undoNow = useEffectEvent(undo)
  useEffect(() => {
    const last = shown.current
    if (notice === null || (last?.notice === notice && last.present === present)) return
    last?.close()
    if (last?.notice === notice) return
    const close = announceWithUndo(notice.text, () => undoNow())
    shown.current = { notice, present, close }
  }, [notice, present])
  useEffect(() => () => shown.current?.close(), [])
  return (text) => setNotice({ text })
}

/** Reports why something failed; it stays until it is dismissed, so that nobody misses it. */
export function announceFailure(what: string, error: unknown): void {
  manager.add({ type: 'failed', title: `${what}: ${asAppError(error).message}`, timeout: 0 })
}

/** Reports that something isn't as it should be; it stays until it is dismissed. */
export function announceProblem(text: string): void {
  manager.close(text)
  manager.add({ id: text, type: 'failed', title: text, timeout: 0 })
}

/** Does the work, and reports why it failed, if it does. */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    announceFailure(what, error)
  }
}

/** Stays until it is dismissed. There is one toast per flow, and a newer one replaces it. */
export function announceFailedRun(flowId: string, text: string, action: string, onOpen: () => void): void {
  const id = `failed run ${flowId}`
  manager.close(id)
  manager.add<Extras>({
    id,
    type: 'failed',
    title: text,
    timeout: 0,
    data: {
      action: (
        <Button
          onClick={() => {
            manager.close(id)
            onOpen()
          }}
        >
          {action}
        </Button>
      ),
    },
  })
}

/** Closes the toast of a failed run whose failure is now on screen. */
export function dismissFailedRun(flowId: string): void {
  manager.close(`failed run ${flowId}`)
}

/** Wraps everything that may be rendered again as a whole, so that toasts stay. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} timeout={SHOWN_MS} limit={MOST_SHOWN}>
      {children}
    </Toast.Provider>
  )
}

export function ToastRegion() {
  const { toasts } = Toast.useToastManager<Extras>()
  const region = useRef<HTMLDivElement>(null)
  useFreePlace(region, toasts.length > 0)
  return (
    <Toast.Viewport
      ref={region}
      data-toasts
      aria-label={t('Notices')}
      // The toast is below dialogs and menus, which cover it if no place is free.
      className="pointer-events-none fixed right-4 bottom-10 z-30 flex w-[min(24rem,90vw)] flex-col-reverse gap-2"
    >
      {toasts.map((toast) => (
        <Notice key={toast.id} toast={toast} />
      ))}
    </Toast.Viewport>
  )
}

/** Moves up out of the way when the focus moves, something opens, or the window changes. */
function useFreePlace(region: RefObject<HTMLDivElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const element = region.current
    if (element === null || !isShown) return undefined
    let frame = 0
    const place = () => {
      frame = 0
      const found = freePlace(element)
      Object.assign(element.style, {
        left: `${found.left}px`,
        top: `${found.top}px`,
        right: 'auto',
        bottom: 'auto',
      })
    }
    const placeSoon = () => {
      if (frame === 0) frame = requestAnimationFrame(place)
    }
    place()
    const sizes = new ResizeObserver(placeSoon)
    sizes.observe(element)
    const opened = new MutationObserver(placeSoon)
    opened.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', placeSoon)
    addEventListener('resize', placeSoon)
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      opened.disconnect()
      removeEventListener('focusin', placeSoon)
      removeEventListener('resize', placeSoon)
    }
  }, [region, isShown])
}

function Notice({ toast }: { readonly toast: Toast.Root.ToastObject<Extras> }) {
  const done = toast.type === 'done'
  const Icon = done ? CircleCheck : CircleX
  return (
    <Toast.Root
      toast={toast}
      // It takes no focus by itself, so it isn't a dialog. Its text can be selected, so it can't be swiped.
      role="group"
      aria-modal={undefined}
      swipeDirection={[]}
      className="pointer-events-auto rounded border border-line bg-raised py-2 pr-1.5 pl-3 shadow-float transition-opacity duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2.5">
        <Icon size={16} aria-hidden className={`mt-1 shrink-0 ${done ? 'text-success' : 'text-error'}`} />
        <div className="min-w-0 flex-1 py-0.5 break-words">
          <Toast.Title render={<div />} />
          {toast.data?.action === undefined ? null : <div className="pt-1.5">{toast.data.action}</div>}
        </div>
        <IconButton small label={t('Dismiss')} icon={X} onClick={() => manager.close(toast.id)} />
      </Toast.Content>
    </Toast.Root>
  )
}
