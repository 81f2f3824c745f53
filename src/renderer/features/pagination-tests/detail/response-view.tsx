import { useMemo, useState } from 'react'
import { parseJson } from '../../../lib/json.ts'
import { Button } from '../../../components/controls/button.tsx'
import { HeaderList } from '../../../components/values/exchange-view.tsx'
import { JsonTree } from '../../../components/values/json-tree.tsx'
import { Pre } from '../../../components/values/snippet-box.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatBytes, formatDuration, plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { idOfPath } from '../../../lib/json-rows.ts'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'
import type { Attempt, PageLine } from '../../../components/pagination/state/test-progress.ts'

/** The response: the headers, and the body with its records marked. A retried page has several. */
export function ResponseView({ line }: { readonly line: PageLine }) {
  const [wanted, setWanted] = useState<number | null>(null)
  const index = wanted ?? line.attempts.length - 1
  const attempt = line.attempts[index]
  if (attempt === undefined) return <p className="p-3 text-muted">{t('Not sent, so there’s no response.')}</p>
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {line.attempts.length < 2 ? null : (
        <div
          role="group"
          aria-label={t('Attempts')}
          className="flex shrink-0 flex-wrap gap-1 border-b border-line px-3 py-1"
        >
          {line.attempts.map((one, at) => (
            <Button
              key={one.request.attempt}
              look="quiet"
              aria-pressed={at === index}
              className={cx('h-6', at === index && 'bg-selected text-text')}
              onClick={() => setWanted(at)}
            >
              {t('Attempt {{attempt}}', { attempt: one.request.attempt })}
            </Button>
          ))}
        </div>
      )}
      <Answer attempt={attempt} />
    </div>
  )
}

function Answer({ attempt: { response, body, retry } }: { readonly attempt: Attempt }) {
  if (response === null)
    return (
      <p className="p-3 text-muted">
        {retry === null ? t('No response yet.') : t('No response: {{reason}}', { reason: retry.reason })}
      </p>
    )
  return (
    <>
      <details className="shrink-0 border-b border-line">
        <summary className="tabular flex h-8 items-center gap-3 px-3 hover:bg-hover focus-visible:-outline-offset-2">
          <span className={cx('font-medium', response.status < 400 ? 'text-success' : 'text-error')}>
            {response.status}
          </span>
          <span className="text-sm text-muted">{formatDuration(response.duration_ms)}</span>
          <span className="text-sm text-muted">{formatBytes(response.bytes)}</span>
          <span className="min-w-0 truncate text-sm text-muted">{plural(response.records, 'record')}</span>
          <span className="ml-auto text-sm whitespace-nowrap text-muted underline decoration-dotted">
            {plural(Object.keys(response.headers).length, 'header')}
          </span>
        </summary>
        <div className="max-h-56 overflow-auto px-3 pb-2">
          <HeaderList headers={response.headers} />
        </div>
      </details>
      {body === null ? <Forgotten page={response.page} /> : <Body body={body} />}
    </>
  )
}

function Body({ body }: { readonly body: NonNullable<Attempt['body']> }) {
  const value = useMemo(() => readBody(body), [body])
  const marks = useMemo(
    () => ({ lists: new Set(body.lists.map(idOfPath)), values: new Set(body.records.map(idOfPath)) }),
    [body],
  )
  if (value === undefined)
    return (
      <div className="min-h-0 flex-1 overflow-auto">
        {body.truncated ? (
          <p className="px-3 pt-2 text-retrying">
            {t('Long response: only the first million characters are shown.')}
          </p>
        ) : null}
        {body.text === '' ? (
          <p className="p-3 text-muted">{t('No body.')}</p>
        ) : (
          <Pre label={t('Response body')}>{body.text.slice(0, SHOWN_CHARACTERS)}</Pre>
        )}
      </div>
    )
  return (
    <JsonTree
      value={value}
      label={t('Response')}
      root="previous_request"
      marks={marks}
      openDepth={body.text.length < SHORT ? 3 : 2}
    />
  )
}

const SHOWN_CHARACTERS = 100_000
/** In a short response the records are open, too. */
const SHORT = 4_000

function readBody({ text, truncated }: NonNullable<Attempt['body']>): unknown {
  if (truncated || text.trim() === '') return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Long runs keep the newest responses; this one can be loaded again. */
function Forgotten({ page }: { readonly page: number }) {
  const changed = usePagination((state) => state.changed)
  const started = usePagination((state) => state.started)
  const again = () => {
    changed({ maxPages: String(page + 1) })
    void started('run')
  }
  return (
    <div className="flex flex-col items-start gap-2 p-3">
      <p className="text-muted">
        {t('Its body is no longer kept. Long runs keep only the latest bodies, up to 32 million characters.')}
      </p>
      <Button onClick={again}>{t('Run again up to this page')}</Button>
    </div>
  )
}
