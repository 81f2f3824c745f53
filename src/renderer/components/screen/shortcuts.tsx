import { createContext, use, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { isMac, matchKey, splitKeys } from '../../lib/keys.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { type Needs, useRefusal } from '../controls/needs.ts'

export interface Shortcut {
  /** `mod+s`, `alt+up`, `?`, or one key after another: `g f`. `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: string
  /** Its action, worded as on a button. */
  readonly label: string
  /** The screen or part it belongs to. */
  readonly group: string
  /** The route it calls. Without permission to call it, there is no shortcut. */
  readonly needs?: Needs
}

/**
 * Holds all shortcuts of the visible screen. Keys without a modifier do nothing while text is being typed, and can be
 * turned off in the settings by people who use dictation or hit keys by accident.
 */
export function ShortcutsProvider({ children }: { readonly children: ReactNode }) {
  const [registry] = useState(createRegistry)

  useEffect(() => {
    let typed: string[] = []
    let typedAt = 0
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      if (event.timeStamp - typedAt > SEQUENCE_MS) typed = []
      typedAt = event.timeStamp
      const typing = isTyping(event.target)
      const found = registry.find(typed, event, typing)
      if (found === 'more') {
        typed = [...typed, event.key.toLowerCase()]
        return
      }
      typed = []
      if (found === null) return
      event.preventDefault()
      found.run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [registry])

  return <RegistryContext value={registry}>{children}</RegistryContext>
}

/** The shortcut works while the component is on screen. */
export function useShortcut(shortcut: Shortcut, run: () => void, enabled = true): void {
  const registry = use(RegistryContext)
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  const { keys, label, group, needs } = shortcut
  const isOn = useRefusal(needs) === null && enabled
  // Registered before the screen is painted, so that the key works as soon as the screen is visible.
  useLayoutEffect(
    () => (isOn ? registry?.add({ keys, label, group }, () => latest.current()) : undefined),
    [registry, keys, label, group, isOn],
  )
}

/**
 * Adds keys to the list only, because a part of the screen handles them itself, or they work only once something is
 * selected.
 */
export function useListedKeys(group: string, keys: Readonly<Record<string, string>>): void {
  const registry = use(RegistryContext)
  const text = JSON.stringify(keys)
  useLayoutEffect(
    () =>
      registry?.note(
        Object.entries(JSON.parse(text) as Record<string, string>).map(([stroke, label]) => ({
          keys: stroke,
          label,
          group,
        })),
      ),
    [registry, group, text],
  )
}

/** Returns the current shortcuts of the screen. */
export function useShortcutList(): () => readonly (Shortcut & { readonly run: () => void })[] {
  const registry = use(RegistryContext)
  return () => registry?.list() ?? []
}

export function singleKeysAllowed(): boolean {
  return recall('single-keys') !== 'off'
}

export function allowSingleKeys(allowed: boolean): void {
  remember('single-keys', allowed ? 'on' : 'off')
}

/** All current shortcuts of the screen, including those that only a part of it handles. */
export function useListedShortcuts(): readonly Shortcut[] {
  const registry = use(RegistryContext)
  return useSyncExternalStore(registry?.follow ?? followNothing, registry?.listed ?? listNothing)
}

const NOTHING: readonly Shortcut[] = []
const listNothing = () => NOTHING
const followNothing = () => () => undefined

/** `⌘S` on a Mac, `Ctrl+S` elsewhere, `g then f`. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      {splitKeys(keys).map((stroke, index) => (
        <span key={stroke + String(index)} className="inline-flex items-center gap-1">
          {index > 0 ? <span className="text-sm text-faint">{t('then')}</span> : null}
          <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-px text-code">
            {printed(stroke)}
          </kbd>
        </span>
      ))}
    </span>
  )
}

export function printed(stroke: string): string {
  const names: Record<string, string> = isMac()
    ? { ...ARROWS, mod: '⌘', alt: '⌥', shift: '⇧', space: '␣', del: '⌦', enter: '↵', esc: 'esc' }
    : {
        ...ARROWS,
        mod: t('Ctrl'),
        alt: 'Alt',
        shift: t('Shift'),
        space: t('Space'),
        del: t('Del'),
        enter: 'Enter',
        esc: 'Esc',
      }
  const parts = stroke
    .split('+')
    .map(
      (part) => names[part] ?? (stroke.includes('+') || FUNCTION_KEY.test(part) ? part.toUpperCase() : part),
    )
  return parts.join(isMac() ? '' : '+')
}

const ARROWS = { up: '↑', down: '↓', left: '←', right: '→' }
const FUNCTION_KEY = /^f\d+$/

/** Also works in dialogs, whose fields need help just as much. */
const HELP = 'f1'

const SEQUENCE_MS = 1_200
const OPEN_DIALOG = ':is([role="dialog"],[role="alertdialog"]):not([data-closed])'

interface Registered extends Shortcut {
  readonly run: () => void
}

function createRegistry() {
  const registered = new Set<Registered>()
  const noted = new Set<readonly Shortcut[]>()
  const followers = new Set<() => void>()
  let listed: readonly Shortcut[] | null = null
  const changed = () => {
    listed = null
    for (const follower of followers) follower()
  }
  /** Adds it, and returns a function that removes it. */
  function put<T>(all: Set<T>, one: T): () => void {
    all.add(one)
    changed()
    return () => {
      all.delete(one)
      changed()
    }
  }
  return {
    follow: (follower: () => void): (() => void) => {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    listed: (): readonly Shortcut[] => (listed ??= [...[...noted].flat(), ...registered]),
    note: (shortcuts: readonly Shortcut[]) => put(noted, shortcuts),
    add: (shortcut: Shortcut, run: () => void) => put<Registered>(registered, { ...shortcut, run }),
    list: (): readonly Registered[] => [...registered],
    /** The shortcut that these keys complete, `more` if they begin one, otherwise null. The newest one wins. */
    find(typed: readonly string[], event: KeyboardEvent, typing: boolean): Registered | 'more' | null {
      let begins = false
      for (const entry of [...registered].reverse()) {
        const strokes = splitKeys(entry.keys)
        const modified = /mod|alt|^f\d+$/.test(strokes[0] ?? '')
        if (!modified && (typing || !singleKeysAllowed())) continue
        const stroke = strokes[typed.length]
        if (stroke === undefined || !typed.every((key, index) => strokes[index] === key)) continue
        if (!matchKey(stroke, event)) continue
        // Checked last, because it searches the whole document.
        if (entry.keys !== HELP && document.querySelector(OPEN_DIALOG) !== null) continue
        if (strokes.length === typed.length + 1) return entry
        begins = true
      }
      return begins ? 'more' : null
    },
  }
}

const RegistryContext = createContext<ReturnType<typeof createRegistry> | null>(null)

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="checkbox"],[type="radio"]),textarea,select,[contenteditable="true"]') !==
      null
  )
}
