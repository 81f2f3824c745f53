import { english, t } from '../../lib/i18n.ts'
import { Field, TextInput } from '../controls/field.tsx'
import { readSearch } from './config/search-fields.ts'
import { SearchPanel } from './config/search-panel.tsx'
import type { SheetKind } from './paging-sheet.tsx'
import { usePagination } from './state/pagination-store.ts'

/** The search for records of look-up fields that don't name a list. */
export const SEARCH: SheetKind = {
  title: english('Remote search'),
  setUp: english('Set up remote search'),
  words: searchWords,
  use: () => t('Use search'),
  Panel: SearchPanel,
  Run: SearchRun,
}

function searchWords(config: unknown): string {
  const fields = readSearch(config)
  if (fields === null) return t('Configured as JSON')
  if (fields.type === 'none') return t('None')
  return fields.type === 'list' ? t('Millrace searches the list') : t('The API searches')
}

const MOST_SHOWN = 200

/** The records a user could choose from, page by page. */
function SearchRun() {
  const q = usePagination((state) => state.form.q)
  const changed = usePagination((state) => state.changed)
  const progress = usePagination((state) => state.progress)
  const choices = progress.pages
    .flatMap(({ page, choices: found }) => found.map((choice) => ({ ...choice, page })))
    .slice(0, MOST_SHOWN)
  return (
    <>
      <Field label={t('Search text')}>
        <TextInput value={q ?? ''} onChange={(text) => changed({ q: text })} />
      </Field>
      <div aria-live="polite">
        {choices.length > 0 ? (
          <ul
            aria-label={t('Choices')}
            // It scrolls, so it can be focused.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            className="max-h-56 overflow-y-auto rounded border border-line bg-surface py-1"
          >
            {choices.map(({ value, label, page }) => (
              <li key={`${page} ${JSON.stringify(value)}`} className="flex gap-3 px-3 py-0.5">
                <span className="min-w-0 flex-1 truncate">{label}</span>
                <span className="shrink-0 font-mono text-code text-muted">
                  {typeof value === 'string' ? value : JSON.stringify(value)}
                </span>
                <span className="tabular shrink-0 text-muted">{t('Page {{page}}', { page: page + 1 })}</span>
              </li>
            ))}
          </ul>
        ) : progress.status === 'done' ? (
          <p className="text-muted">{t('No results')}</p>
        ) : null}
      </div>
    </>
  )
}
