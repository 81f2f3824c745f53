import { Check, Sparkles } from '../../../lib/icons.tsx'
import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import { Button, Tip } from '../../controls/button.tsx'
import { announce } from '../../screen/toast.tsx'
import { useState } from 'react'
import { wordsOf } from '../../../api/failure.ts'
import { plural } from '../../../lib/format.ts'
import { english, t, translateMessage } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { STYLE_NAMES } from '../state/style-names.ts'
import { writeConfig } from '../state/config-text.ts'
import { usePagination } from '../state/pagination-store.ts'

const CONFIDENCE = {
  high: english('high confidence'),
  medium: english('medium confidence'),
  low: english('low confidence'),
} as const

const SECOND_PAGES: { readonly [S in NonNullable<PaginationSuggestion['second_page']>]: English } = {
  new_records: english('page 2 has new records'),
  same_records: english('page 2 repeats page 1'),
  no_records: english('page 2 is empty'),
  failed: english('page 2 failed'),
}

interface SuggestionListProps {
  readonly text: string
  readonly onApply: (config: object) => void
}

/** Suggested configurations for this API, each with its reason: the best one, and the others on request. */
export function SuggestionList({ text, onApply }: SuggestionListProps) {
  const found = usePagination((state) => state.found)
  const unfound = usePagination((state) => state.unfound)
  const check = usePagination((state) => state.suggestionsChecked)
  const suggesting = usePagination((state) => state.suggesting)
  const [openFor, setOpenFor] = useState<string | null>(null)
  if (found === null)
    return suggesting ? (
      <p role="status" className="text-muted">
        {t('Reading the first page to suggest a configuration…')}
      </p>
    ) : unfound === null ? null : (
      <p role="status" className="break-words text-muted">
        {t('No suggestion: {{reason}}', { reason: wordsOf(unfound) })}
      </p>
    )
  const { suggestions, advice, url } = found
  // If a suggestion is in use, it is enough; with any other configuration, all are shown.
  const isUsed = suggestions.some(({ config }) => writeConfig(config) === text)
  const shown =
    isUsed && openFor !== url ? suggestions.filter(({ config }) => writeConfig(config) === text) : suggestions
  const hidden = suggestions.length - shown.length
  const isUnchecked = suggestions.some(({ second_page: secondPage }) => secondPage === undefined)
  return (
    <section aria-label={t('Suggestions')} className="flex flex-col gap-2 rounded bg-sunken px-2.5 py-2">
      <h3 className="flex items-center gap-1.5 font-medium">
        <Sparkles size={14} aria-hidden className="shrink-0 text-accent-text" />
        {suggestions.length === 0 ? t('No suggestion') : t('Suggested from the first response')}
      </h3>
      {suggestions.length === 0 && advice !== null ? (
        <p className="text-muted">{translateMessage(advice, found)}</p>
      ) : null}
      <ul className="flex flex-col gap-2">
        {shown.map((suggestion) => (
          <Suggestion
            key={`${suggestion.style} ${suggestion.reason}`}
            suggestion={suggestion}
            isUsed={writeConfig(suggestion.config) === text}
            onApply={() => {
              onApply(suggestion.config)
              announce(t('Filled in: {{style}}', { style: t(STYLE_NAMES[suggestion.style]) }))
            }}
          />
        ))}
      </ul>
      {hidden === 0 && !isUnchecked ? null : (
        <div className="-ml-2.5 flex flex-wrap gap-x-2">
          {hidden === 0 ? null : (
            <Button look="quiet" className="h-6" onClick={() => setOpenFor(url)}>
              {plural(hidden, 'other suggestion')}
            </Button>
          )}
          {isUnchecked && found.body.probe === undefined ? (
            <Tip text={t('Requests the second page with each suggestion until one returns new records.')}>
              <Button look="quiet" className="h-6" busy={suggesting} onClick={() => void check()}>
                {t('Check with one request')}
              </Button>
            </Tip>
          ) : null}
        </div>
      )}
    </section>
  )
}

interface SuggestionProps {
  readonly suggestion: PaginationSuggestion
  readonly isUsed: boolean
  readonly onApply: () => void
}

function Suggestion({ suggestion, isUsed, onApply }: SuggestionProps) {
  const { style, reason, confidence, second_page: secondPage } = suggestion
  const name = t(STYLE_NAMES[style])
  return (
    <li className="flex items-start gap-3">
      <p className="min-w-0 flex-1 break-words text-muted">
        <span className="font-medium text-text">{name}</span>
        {', '}
        {secondPage === undefined ? t(CONFIDENCE[confidence]) : t(SECOND_PAGES[secondPage])}. {reason}
      </p>
      {isUsed ? (
        <span className="flex shrink-0 items-center gap-1 text-sm text-success">
          <Check size={13} aria-hidden />
          {t('Filled in')}
        </span>
      ) : (
        <Button
          className="h-6 shrink-0"
          onClick={onApply}
          aria-label={t('Fill in: {{style}}', { style: name })}
        >
          {t('Fill in')}
        </Button>
      )}
    </li>
  )
}
