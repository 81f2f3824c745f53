import { CircleCheck, CircleX, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { asAppError } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { IconButton } from '../controls/button.tsx'

interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly action?: ReactNode
}

const SHOWN_MS = 5_000
const toasts = createStore<{ shown: readonly Toast[]; next: number }>(() => ({ shown: [], next: 1 }))

/** Says that something worked, in one sentence that names it. */
export function announce(text: string, action?: ReactNode): void {
  const id = show({ kind: 'done', text, action })
  setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Says why something did not; it stays until it is put away, so that nobody misses it. */
export function announceFailure(what: string, error: unknown): void {
  show({ kind: 'failed', text: `${what}: ${asAppError(error).message}` })
}

export function ToastRegion() {
  const shown = useStore(toasts, (state) => state.shown)
  return (
    <div
      role="region"
      aria-label={t('Notices')}
      className="pointer-events-none fixed right-4 bottom-10 z-50 flex w-[min(24rem,90vw)] flex-col gap-2"
    >
      <div aria-live="polite" className="contents">
        {shown.map((toast) => (
          <Notice key={toast.id} toast={toast} />
        ))}
      </div>
    </div>
  )
}

function Notice({ toast }: { readonly toast: Toast }) {
  const done = toast.kind === 'done'
  const Icon = done ? CircleCheck : CircleX
  return (
    <div className="pointer-events-auto flex items-start gap-2.5 rounded border border-line bg-raised py-2 pr-1.5 pl-3 shadow-float">
      <Icon size={16} aria-hidden className={`mt-1 shrink-0 ${done ? 'text-success' : 'text-error'}`} />
      <div className="min-w-0 flex-1 py-0.5 break-words">
        {toast.text}
        {toast.action === undefined ? null : <div className="pt-1.5">{toast.action}</div>}
      </div>
      <IconButton small label={t('Dismiss')} icon={X} onClick={() => dismiss(toast.id)} />
    </div>
  )
}

function show(toast: Omit<Toast, 'id'>): number {
  const { shown, next } = toasts.getState()
  toasts.setState({ shown: [...shown.slice(-3), { ...toast, id: next }], next: next + 1 })
  return next
}

function dismiss(id: number): void {
  toasts.setState(({ shown }) => ({ shown: shown.filter((toast) => toast.id !== id) }))
}
