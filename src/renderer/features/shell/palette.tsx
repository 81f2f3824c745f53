import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from '../../lib/icons.tsx'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { focusAtOnce, useFocusBefore } from '../../components/controls/popup-focus.tsx'
import { Keys } from '../../components/screen/shortcuts.tsx'
import { t } from '../../lib/i18n.ts'
import { findEntries, PALETTE_GROUPS } from './palette-entries.ts'
import type { PaletteEntry, PaletteSection } from './palette-entries.ts'
import type { TypedAhead } from './palette-meanwhile.tsx'
import { usePaletteEntries } from './use-palette-entries.ts'

/** Not needed before something is typed. */
const PaletteCatalogue = lazy(async () => ({
  default: (await import('./palette-catalogue.tsx')).PaletteCatalogue,
}))

interface PaletteProps {
  readonly open: boolean
  /** Counts its openings, so that it starts fresh each time, even while the previous one is still closing. */
  readonly times: number
  /** Input typed while this was loading. */
  readonly typedAhead: TypedAhead
  readonly onClose: () => void
}

/** One field that leads everywhere: flows, runs, connectors, screens, and the current screen's commands. */
export function Palette({ open, times, typedAhead, onClose }: PaletteProps) {
  const popup = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useFocusBefore(open, popup)
  return (
    <Dialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-backdrop transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          ref={popup}
          initialFocus={() => focusAtOnce(field.current)}
          aria-label={t('Search and commands')}
          className="floating fixed top-[10vh] left-1/2 z-40 flex max-h-[min(34rem,80vh)] w-[min(40rem,94vw)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float outline-none"
        >
          <Content key={times} field={field} typedAhead={typedAhead} onClose={onClose} />
          <Dialog.Close className="sr-only">{t('Close')}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ContentProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly typedAhead: TypedAhead
  readonly onClose: () => void
}

function Content({ field, typedAhead, onClose }: ContentProps) {
  const [typed, setTyped] = useState(typedAhead.text)
  const [found, setFound] = useState<readonly PaletteEntry[]>([])
  const entries = usePaletteEntries(found)

  function choose(entry: PaletteEntry) {
    onClose()
    // Runs once the palette is closed, so that a dialog it opens gets the focus and keeps it.
    queueMicrotask(entry.run)
  }

  useEffect(() => {
    const first = typedAhead.entered
      ? findEntries(entries(typedAhead.text), typedAhead.text)[0]?.items[0]
      : undefined
    if (first !== undefined) choose(first)
    // Once, for what was typed before.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])

  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={findEntries(entries(typed), typed)}
      value={typed}
      onValueChange={setTyped}
      itemToStringValue={(entry: PaletteEntry) => entry.label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-2.5 border-b border-line px-3.5">
        <Search size={15} aria-hidden className="shrink-0 text-muted" />
        <Autocomplete.Input
          ref={field}
          aria-label={t('Search flows, runs, connectors and commands')}
          placeholder={t('Search flows, runs, connectors and commands')}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            // One Escape closes it, even if it would otherwise empty the field first.
            event.preventBaseUIHandler()
            onClose()
          }}
          className="h-11 w-full bg-transparent text-lg outline-none placeholder:text-muted"
        />
      </div>
      <Suspense fallback={null}>
        <PaletteCatalogue typed={typed} onFound={setFound} />
      </Suspense>
      <Autocomplete.Empty className="px-4 py-6 text-muted empty:hidden">
        {t('No results for “{{typed}}”. Search older runs on the Runs page.', { typed })}
      </Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto p-1.5 empty:hidden">
        {(section: PaletteSection) => <Section key={section.group} section={section} onChoose={choose} />}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

interface SectionProps {
  readonly section: PaletteSection
  readonly onChoose: (entry: PaletteEntry) => void
}

function Section({ section, onChoose }: SectionProps) {
  return (
    <Autocomplete.Group items={section.items} className="not-last:mb-1.5">
      <Autocomplete.GroupLabel className="px-2 py-1 text-sm font-medium text-muted">
        {t(PALETTE_GROUPS[section.group])}
      </Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(entry: PaletteEntry) => (
          <Autocomplete.Item
            key={entry.id}
            value={entry}
            onClick={() => onChoose(entry)}
            className="flex h-8 items-center gap-2.5 rounded px-2 outline-none data-highlighted:bg-selected"
          >
            <span aria-hidden className="grid w-5 shrink-0 place-items-center">
              {entry.mark ?? <entry.icon size={15} className="text-muted" />}
            </span>
            <span className="min-w-0 truncate">{entry.label}</span>
            {entry.detail === undefined ? null : (
              <span className="min-w-0 shrink-0 text-sm text-muted">{entry.detail}</span>
            )}
            {entry.keys === undefined ? null : (
              <span className="ml-auto shrink-0">
                <Keys keys={entry.keys} />
              </span>
            )}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  )
}
