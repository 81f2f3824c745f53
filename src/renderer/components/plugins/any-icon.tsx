import { lazy, Suspense } from 'react'
import { ICON_SHELVES } from './icon-shelves.ts'
import { drawingOf, icon, type LucideIcon, Puzzle } from '../../lib/icons.tsx'

const made = new Map<string, LucideIcon>()

/** The Lucide icon for a name from outside, such as a plug-in's; a puzzle piece if there is none. */
export function anyIcon(name: string): LucideIcon {
  const known = made.get(name) ?? (drawingOf(name) === undefined ? loadedIcon(name) : icon(name))
  made.set(name, known)
  return known
}

/** Drawn as soon as its file has loaded; until then its place is kept. */
function loadedIcon(name: string): LucideIcon {
  const Drawing = lazy(async () => ({ default: await load(name).catch(() => Puzzle) }))
  return (props) => (
    <Suspense
      fallback={<svg width={props.size} height={props.size} className={props.className} aria-hidden />}
    >
      <Drawing {...props} />
    </Suspense>
  )
}

async function load(name: string): Promise<LucideIcon> {
  const shelf = await ICON_SHELVES[name.charAt(0)]?.()
  const body = shelf?.icons[name]?.body
  return body === undefined ? Puzzle : icon(name, body)
}

/** The icon as a component. */
export function AnyIcon({ name, ...props }: Parameters<LucideIcon>[0] & { readonly name: string }) {
  return anyIcon(name)(props)
}
