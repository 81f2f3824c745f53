import type { RunMatch } from '../../../shared/contract/flow-runs.ts'
import { t } from '../../lib/i18n.ts'

/** The match in a run, with the searched words highlighted. */
export function MatchSnippet({ match }: { readonly match: RunMatch }) {
  const place = [match.ref_id, fieldWord(match.field)].filter((part) => part !== null).join(' · ')
  return (
    <span className="text-sm" title={match.snippet}>
      <span className="text-faint">{place} </span>
      {cutAtMarks(match).map(({ from, text, isMarked }) =>
        isMarked ? (
          <mark key={from} className="rounded-[2px] bg-retrying-soft text-text">
            {text}
          </mark>
        ) : (
          <span key={from} className="text-muted">
            {text}
          </span>
        ),
      )}
    </span>
  )
}

function fieldWord(field: RunMatch['field']): string {
  return {
    title: t('title'),
    error: t('error'),
    request: t('request header'),
    input: t('input'),
    output: t('output'),
    http: t('HTTP request'),
  }[field]
}

/** A snippet in pieces, with the matches marked. */
function cutAtMarks({ snippet, marks }: Pick<RunMatch, 'snippet' | 'marks'>) {
  const pieces: { readonly from: number; readonly text: string; readonly isMarked: boolean }[] = []
  let at = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > at) pieces.push({ from: at, text: snippet.slice(at, to), isMarked })
    at = Math.max(at, to)
  }
  for (const [from, to] of marks) {
    add(from, false)
    add(to, true)
  }
  add(snippet.length, false)
  return pieces
}
