import { useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { type Shortcut, Keys, useListedShortcuts } from '../../../components/screen/shortcuts.tsx'
import { Markdown } from '../../../components/values/markdown.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { ArrowLeft, BookOpen, Crosshair, X } from '../../../lib/icons.tsx'
import { Picture } from './content/pictures.tsx'
import { findControl } from './controls.ts'
import { HELP_INDEX, useHelpStore } from './help-store.ts'
import { Mark } from './mark-control.tsx'
import { type Shown, shownForField, shownForScreen } from './shown.ts'

/** The documents are loaded when the first one is read. */
const DocsReader = lazy(async () => ({ default: (await import('./docs-reader.tsx')).DocsReader }))

/**
 * Help for the screen and the focused field. It is next to the screen, over a narrow one, or in the dialog it was
 * opened in.
 */
export function HelpPanel({ isOver }: { readonly isOver: boolean }) {
  const dialog = useHelpStore((state) => state.dialog)
  const reading = useHelpStore((state) => state.reading)
  const read = useHelpStore((state) => state.read)
  const closed = useHelpStore((state) => state.closed)
  const panel = useRef<HTMLElement>(null)
  const before = useFocusOutside(panel)
  useClosingWith(dialog)
  useKeptFocus(panel)
  const [marked, setMarked] = useState<readonly HTMLElement[]>([])

  function close() {
    if (panel.current?.contains(document.activeElement)) returnTo(before.current)
    closed()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    // The dialog that help is shown in stays open.
    event.stopPropagation()
    event.nativeEvent.stopImmediatePropagation()
    close()
  }

  function show(elements: readonly HTMLElement[]) {
    const [first] = elements
    const target = elements.at(-1)
    if (isOver && dialog === null) closed('for now')
    first?.scrollIntoView({ block: 'center', inline: 'nearest' })
    target?.focus({ preventScroll: true })
    setMarked(elements)
  }

  const content = (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape, wherever the focus is in it
    <aside
      ref={panel}
      tabIndex={-1}
      data-help-panel
      aria-label={t('Help')}
      onKeyDown={onKeyDown}
      className={cx(
        'flex min-h-0 flex-col bg-surface outline-none',
        dialog === null && 'w-90 max-w-full shrink-0 border-l border-line',
        dialog === null && isOver && 'fixed inset-y-0 right-0 z-30 shadow-float',
      )}
    >
      <header className="flex min-h-12 shrink-0 items-center gap-1 border-b border-line py-1.5 pr-2.5 pl-4">
        {reading === null ? (
          <span className="flex-1 text-lg font-semibold">{t('Help')}</span>
        ) : (
          <span className="flex-1">
            <Button look="quiet" icon={ArrowLeft} className="-ml-2.5" onClick={() => read(null)}>
              {t('Back to help')}
            </Button>
          </span>
        )}
        <Button look="quiet" icon={BookOpen} onClick={() => read(HELP_INDEX)}>
          {t('All documents')}
        </Button>
        <IconButton label={t('Close help')} icon={X} onClick={close} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {reading === null ? (
          <About panel={panel} onShow={show} isInDialog={dialog !== null} />
        ) : (
          <Suspense>
            <DocsReader key={`${reading.doc} ${reading.heading}`} topic={reading} onRead={read} />
          </Suspense>
        )}
      </div>
      <Mark elements={marked} onGone={() => setMarked([])} />
    </aside>
  )
  return dialog === null ? content : createPortal(content, dialog)
}

interface AboutProps {
  readonly panel: RefObject<HTMLElement | null>
  readonly isInDialog: boolean
  readonly onShow: (elements: readonly HTMLElement[]) => void
}

function About({ panel, isInDialog, onShow }: AboutProps) {
  const read = useHelpStore((state) => state.read)
  const [field, forget] = useFocusedField(panel)
  const screen = useScreen()
  const shown = field ?? screen
  const [isMissing, setMissing] = useState<Shown | null>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useAskedFocus(title)

  function showControl() {
    // The content is searched first, because the sidebar has links with the same names as some fields.
    const places = isInDialog
      ? [panel.current?.closest('[role="dialog"]')]
      : ['#content', '#root'].map((place) => document.querySelector(place))
    const elements = places
      .flatMap((place) => shown.show.map((name) => findControl(place ?? document, t(name))))
      .find((some) => some.length > 0)
    setMissing(elements === undefined ? shown : null)
    if (elements !== undefined) onShow(elements)
  }

  return (
    <>
      <article className="flex flex-col gap-3 p-4">
        <Picture name={shown.picture} />
        <div>
          <p className="text-sm text-muted">{field === null ? t('This page') : t('This field')}</p>
          <h2 ref={title} tabIndex={-1} className="text-lg font-semibold outline-none">
            {shown.title}
          </h2>
        </div>
        <p className="leading-relaxed">{shown.text}</p>
        {shown.markdown === undefined ? null : (
          <div lang="en" className="flex flex-col gap-2">
            <Markdown text={shown.markdown} openerOf={() => undefined} />
          </div>
        )}
        <div className="flex flex-wrap gap-2">
          {shown.show.length === 0 ? null : (
            <Button icon={Crosshair} onClick={showControl}>
              {t('Show me')}
            </Button>
          )}
          <Button look="quiet" icon={BookOpen} onClick={() => read(shown.doc)}>
            {t('Read more')}
          </Button>
        </div>
        <p role="status" className="text-muted empty:hidden">
          {isMissing === shown ? t('It isn’t on the screen right now.') : ''}
        </p>
        {field === null ? null : (
          <button
            type="button"
            onClick={() => {
              forget()
              title.current?.focus()
            }}
            className="self-start rounded-sm text-accent-text hover:underline"
          >
            {t('About this page: {{title}}', { title: screen.title })}
          </button>
        )}
      </article>
      {isInDialog ? null : <ShortcutList />}
    </>
  )
}

/** The shortcuts of the screen, and on request those that work everywhere. */
function ShortcutList() {
  const allKeys = useHelpStore((state) => state.allKeys)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const all = chosen ?? allKeys
  const shortcuts = useListedShortcuts()
  const everywhere = [t('Everywhere'), t('Go to')]
  const own = shortcuts.filter(({ group }) => !everywhere.includes(group))
  const rest = shortcuts.filter(({ group }) => everywhere.includes(group))
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (allKeys) section.current?.scrollIntoView()
  }, [allKeys])
  return (
    <section
      ref={section}
      aria-label={t('Shortcuts')}
      className="flex flex-col gap-3 border-t border-line p-4"
    >
      <h2 className="font-semibold">{t('Shortcuts')}</h2>
      {own.length === 0 ? <p className="text-muted">{t('This page has no shortcuts of its own.')}</p> : null}
      <Groups shortcuts={own} />
      {all ? <Groups shortcuts={rest} /> : null}
      <Button look="quiet" className="-ml-2.5 self-start" aria-expanded={all} onClick={() => setChosen(!all)}>
        {t('Keys that work everywhere')}
      </Button>
    </section>
  )
}

function Groups({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const groups = Map.groupBy(shortcuts, ({ group }) => group)
  return [...groups].map(([group, keys]) => (
    <div key={group}>
      <h3 className="text-sm text-muted">{group}</h3>
      <dl>
        {[...new Map(keys.map((shortcut) => [shortcut.keys, shortcut])).values()].map((shortcut) => (
          <div key={shortcut.keys} className="flex items-baseline justify-between gap-4 py-1">
            <dt>{shortcut.label}</dt>
            <dd className="shrink-0">
              <Keys keys={shortcut.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  ))
}

/** The element that had the focus before the panel. */
function useFocusOutside(panel: RefObject<HTMLElement | null>): RefObject<Element | null> {
  const before = useRef(document.activeElement)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element && !panel.current?.contains(target)) before.current = target
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [panel])
  return before
}

function returnTo(element: Element | null): void {
  const known = element instanceof HTMLElement && element.isConnected && element !== document.body
  ;(known ? element : document.querySelector<HTMLElement>('#content'))?.focus()
}

/** The focused field if help knows it, and a function that forgets it; a focus in the panel itself changes nothing. */
function useFocusedField(panel: RefObject<HTMLElement | null>): [Shown | null, () => void] {
  const path = useMatches({ select: (all) => all.at(-1)?.pathname })
  const at = `${path} ${useView()}`
  const [seen, setSeen] = useState(() => ({ at, field: shownForField(document.activeElement) }))
  useLayoutEffect(() => {
    const look = ({ target }: FocusEvent) => {
      if (target instanceof Element && !panel.current?.contains(target))
        setSeen({ at, field: shownForField(target) })
    }
    document.addEventListener('focusin', look)
    return () => document.removeEventListener('focusin', look)
  }, [panel, at])
  return [seen.at === at ? seen.field : null, () => setSeen({ at, field: null })]
}

function useScreen(): Shown {
  const path = useMatches({ select: (all) => all.at(-1)?.fullPath })
  return shownForScreen(path, useView())
}

function useView(): string | undefined {
  return useMatches({ select: (all) => (all.at(-1)?.search as { view?: string } | undefined)?.view })
}

/** Moves the focus to help when somebody asks for it; help that was already open takes no focus. */
function useAskedFocus(title: RefObject<HTMLElement | null>): void {
  const asked = useHelpStore((state) => state.asked)
  useEffect(() => {
    if (asked > 0) title.current?.focus()
  }, [asked, title])
}

/** Moves the focus to the panel when a document replaces the button that opened it. */
function useKeptFocus(panel: RefObject<HTMLElement | null>): void {
  const asked = useHelpStore((state) => state.asked)
  const reading = useHelpStore((state) => state.reading)
  const isDrawn = useRef(false)
  useEffect(() => {
    const isAsked = isDrawn.current || asked > 0
    isDrawn.current = true
    if (isAsked && (reading !== null || document.activeElement === document.body)) panel.current?.focus()
  }, [asked, reading, panel])
}

/** Closes the help in a dialog together with the dialog. */
function useClosingWith(dialog: HTMLElement | null): void {
  const closed = useHelpStore((state) => state.closed)
  useEffect(() => {
    if (dialog === null) return undefined
    const changes = new MutationObserver(() => {
      if (!dialog.isConnected || dialog.closest('[data-closed]') !== null) closed()
    })
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-closed'] })
    return () => changes.disconnect()
  }, [dialog, closed])
}
