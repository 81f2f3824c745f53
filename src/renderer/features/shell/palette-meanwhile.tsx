import { Search } from '../../lib/icons.tsx'
import { useLayoutEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'

/** Input typed before the palette was loaded. */
export interface TypedAhead {
  readonly text: string
  /** Whether Enter was pressed after it. */
  readonly entered: boolean
}

interface PaletteMeanwhileProps {
  readonly onTyped: (typed: TypedAhead) => void
  readonly onClose: () => void
}

/** The palette's field while its code is loading. The palette starts with the text typed here. */
export function PaletteMeanwhile({ onTyped, onClose }: PaletteMeanwhileProps) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    field.current?.focus()
    // The palette remembers the focus from here, and returns it there.
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <div
      role="dialog"
      aria-label={t('Search and commands')}
      className="fixed top-[10vh] left-1/2 z-40 flex w-[min(40rem,94vw)] -translate-x-1/2 items-center gap-2.5 rounded-lg border border-line bg-raised px-3.5 shadow-float"
    >
      <Search size={15} aria-hidden className="shrink-0 text-muted" />
      <input
        ref={field}
        type="text"
        spellCheck={false}
        autoComplete="off"
        aria-label={t('Search flows, runs, connectors and commands')}
        placeholder={t('Search flows, runs, connectors and commands')}
        onChange={(event) => onTyped({ text: event.target.value, entered: false })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter') onTyped({ text: event.currentTarget.value, entered: true })
        }}
        className="h-11 w-full bg-transparent text-lg outline-none placeholder:text-muted"
      />
    </div>
  )
}
