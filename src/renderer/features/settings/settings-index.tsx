import { Link } from '@tanstack/react-router'
import { type RefObject, useEffect, useState } from 'react'
import { SearchInput } from '../../components/screen/list-screen.tsx'
import { t } from '../../lib/i18n.ts'

/** A list of the cards next to the settings, and a search that leaves only the cards that contain the text. */
export function SettingsIndex({ column }: { readonly column: RefObject<HTMLElement | null> }) {
  const [search, setSearch] = useState('')
  const [titles, setTitles] = useState<readonly string[]>([])

  // Read from the rendered cards, since some appear later, and the search covers all of their text.
  useEffect(() => {
    const element = column.current
    if (element === null) return undefined
    const look = () => {
      const cards = [...element.querySelectorAll<HTMLElement>(':scope > section')]
      const words = search.toLowerCase().split(' ')
      for (const card of cards)
        card.hidden = !words.every((word) => card.textContent.toLowerCase().includes(word))
      const shown = cards.flatMap((card) =>
        card.hidden ? [] : (card.querySelector('h2')?.textContent ?? []),
      )
      setTitles((before) => (before.join('\n') === shown.join('\n') ? before : shown))
    }
    look()
    const observer = new MutationObserver(look)
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [column, search])

  return (
    <div className="flex shrink-0 flex-col gap-2 border-line p-3 max-lg:border-b lg:w-56 lg:overflow-y-auto lg:border-r">
      <SearchInput
        label={t('Search settings')}
        placeholder={t('Search settings')}
        className="w-full"
        value={search}
        onChange={setSearch}
      />
      <nav aria-label={t('Settings on this page')} className="flex flex-col max-lg:hidden">
        {titles.map((title) => (
          <Link
            key={title}
            to="/settings"
            hash={title}
            className="rounded px-2 py-1.5 text-muted hover:bg-hover hover:text-text"
            onClick={() => {
              const cards = [...(column.current?.querySelectorAll('h2') ?? [])]
              cards
                .find(({ textContent }) => textContent === title)
                ?.scrollIntoView({ block: 'start', behavior: 'smooth' })
            }}
          >
            {title}
          </Link>
        ))}
      </nav>
      <p role="status" className="px-2 text-muted empty:hidden">
        {titles.length === 0 && search !== '' ? t('No settings match') : ''}
      </p>
    </div>
  )
}
