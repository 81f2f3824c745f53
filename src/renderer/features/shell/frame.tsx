import { Search } from '../../lib/icons.tsx'
import { renderToStaticMarkup } from 'react-dom/server'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { german } from '../../locales/de/index.ts'
import { Mark } from './mark.tsx'
import { NAVIGATION, NAVIGATION_GROUP } from './navigation.ts'

/**
 * The frame around every screen, written into the page itself until the shell replaces it with the same dimensions,
 * because visible elements must not move. It is created when the page is built; prepare.js tells it what this browser
 * remembers.
 */
export function writeFrame(): string {
  return renderToStaticMarkup(<Frame />)
}

function Frame() {
  return (
    <div
      data-frame
      className="grid h-full in-[html[data-help]]:mr-90 grid-cols-[auto_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]"
    >
      <div className="col-span-2" />
      <nav className="flex w-48 flex-col border-r border-line bg-canvas narrow:w-12">
        <div className="flex h-12 items-center gap-2 px-4 narrow:justify-center narrow:px-0">
          <Mark />
          <span className={`text-lg font-semibold tracking-tight ${WIDE_ALONE}`}>Millrace</span>
        </div>
        <div className="px-2 pb-1">
          <div className="flex h-7 items-center gap-2 rounded border border-line bg-surface px-2 text-muted narrow:w-7 narrow:justify-center narrow:border-transparent narrow:bg-transparent">
            <Search size={13} aria-hidden className="shrink-0 narrow:size-[15px]" />
            <Words text={english('Search')} />
          </div>
        </div>
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-2 py-1">
          {NAVIGATION.map((group) => (
            <div key={group[0].to} className={NAVIGATION_GROUP}>
              {group.map(({ to, label, icon: Icon }) => (
                <a
                  key={to}
                  href={to}
                  className="relative flex h-8 shrink-0 items-center gap-2.5 rounded px-2.5 text-muted narrow:justify-center narrow:px-0"
                >
                  <Icon size={15} aria-hidden className="shrink-0" />
                  <Words text={label} />
                </a>
              ))}
            </div>
          ))}
        </div>
        <div className="h-11 narrow:h-28" />
      </nav>
      <main className="flex min-h-0 min-w-0 flex-col">
        <div className="h-12 shrink-0 border-b border-line bg-surface" />
      </main>
      <footer className="col-span-2 flex h-6 items-center gap-3 border-t border-line bg-canvas px-3 text-sm text-muted">
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="size-1.5 rounded-full bg-line-control" />
          <Words text={english('connecting…')} always />
        </span>
      </footer>
    </div>
  )
}

const WIDE_ALONE = 'narrow:hidden'

/** The sentence in both languages; styles hide the one that isn't the language set by prepare.js. */
function Words({ text, always = false }: { readonly text: English; readonly always?: boolean }) {
  // In English, because no language is loaded while the page is built.
  const sentence = t(text)
  return (
    <span className={`min-w-0 flex-1 truncate ${always ? '' : WIDE_ALONE}`}>
      <span className="in-[html[lang=de]]:hidden">{sentence}</span>
      <span className="not-in-[html[lang=de]]:hidden">{german[sentence]}</span>
    </span>
  )
}
