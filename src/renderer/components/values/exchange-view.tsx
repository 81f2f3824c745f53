import { ChevronRight } from '../../lib/icons.tsx'
import { useState } from 'react'
import { type Exchange, MOST_BODY_CHARACTERS } from '../../../shared/contract/flow-runs.ts'
import { prettyJson } from '../../lib/json.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { toCutCurl, toSnippet } from '../../lib/snippets.ts'
import { CopyButton } from './copy-button.tsx'
import { WithMarks } from './marked-text.tsx'
import { Pre } from './snippet-box.tsx'

interface ExchangeListProps {
  readonly exchanges: readonly Exchange[]
  /** Whether a single call starts as one line, too. */
  readonly isFolded?: boolean
}

/** Every call of a step, one line each, which opens to the complete request and response. */
export function ExchangeList({ exchanges, isFolded = false }: ExchangeListProps) {
  if (exchanges.length === 0) return <p className="p-4 text-muted">{t('No HTTP requests.')}</p>
  return (
    <ol className="flex flex-col">
      {exchanges.map((exchange, index) => (
        // Exchanges are only ever appended.
        <li key={index} className="border-b border-line">
          <ExchangeRow exchange={exchange} startsOpen={exchanges.length === 1 && !isFolded} />
        </li>
      ))}
    </ol>
  )
}

function ExchangeRow({
  exchange,
  startsOpen,
}: {
  readonly exchange: Exchange
  readonly startsOpen: boolean
}) {
  const [open, setOpen] = useState(startsOpen)
  const { request, response, error } = exchange
  const failed = response === null || response.status >= 400
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-8 w-full items-center gap-x-2 px-3 max-sm:flex-wrap text-left hover:bg-hover focus-visible:-outline-offset-2"
      >
        <ChevronRight size={13} aria-hidden className={cx('shrink-0 text-faint', open && 'rotate-90')} />
        <code className="shrink-0 text-code font-medium">{request.method}</code>
        <Path url={request.url} />
        {exchange.page === null ? null : (
          <span className="shrink-0 text-sm text-faint">{t('page {{page}}', { page: exchange.page })}</span>
        )}
        {exchange.attempt > 1 ? (
          <span className="shrink-0 text-sm text-retrying">
            {t('attempt {{attempt}}', { attempt: exchange.attempt })}
          </span>
        ) : null}
        <span className={cx('tabular shrink-0 font-medium', failed ? 'text-error' : 'text-success')}>
          {response?.status ?? t('no response')}
        </span>
        <span className="tabular w-16 shrink-0 text-right text-sm text-muted">
          {formatDuration(exchange.duration_ms)}
        </span>
        <span className="tabular w-14 shrink-0 text-right text-sm text-muted">
          {response === null ? '—' : formatBytes(response.bytes)}
        </span>
      </button>
      {open ? (
        <div className="flex flex-col gap-3 bg-sunken px-4 py-3">
          <p className="font-mono text-code break-all">
            <span className="font-medium">{request.method}</span> {request.url}
          </p>
          {error === null ? null : <p className="text-error">{error}</p>}
          <Part
            title={t('Request')}
            headers={request.headers}
            body={request.body}
            aside={<CopyButton label={t('Copy as curl')} text={() => asCurl(request)} />}
          />
          {response === null ? null : (
            <Part title={t('Response')} headers={response.headers} body={response.body} />
          )}
        </div>
      ) : null}
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly aside?: React.ReactNode
}

function Part({ title, headers, body, aside }: PartProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between">
        <p className="font-semibold text-muted">{title}</p>
        {aside}
      </div>
      <HeaderList headers={headers} />
      {body === null || body === '' ? (
        <p className="text-faint">{t('No body')}</p>
      ) : (
        <div className="rounded border border-line bg-surface">
          <Pre label={t('{{title}} body', { title: title.toLowerCase() })}>{prettyJson(body)}</Pre>
          {isCut(body) ? (
            <p className="border-t border-line px-3 py-1 text-retrying">
              {t('Only the beginning was kept.')}
            </p>
          ) : null}
        </div>
      )}
    </section>
  )
}

interface HeaderListProps {
  readonly headers: Readonly<Record<string, string>>
  /** The words of a search, which are marked. */
  readonly words?: RegExp | null
}

export function HeaderList({ headers, words = null }: HeaderListProps) {
  const entries = Object.entries(headers)
  if (entries.length === 0) return <p className="text-faint">{t('No headers')}</p>
  return (
    <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-4 max-sm:grid-cols-1 font-mono text-code">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-data-key">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">
            <WithMarks text={value} words={words} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function asCurl(request: Exchange['request']): string {
  const { body } = request
  if (!isCut(body)) return toSnippet('curl', request)
  return toCutCurl({ ...request, body: body.slice(0, MOST_BODY_CHARACTERS) }, MOST_BODY_CHARACTERS)
}

function isCut(body: string | null): body is string {
  return body !== null && body.length === MOST_BODY_CHARACTERS + 1 && body.endsWith('…')
}

/**
 * The part of the URL that distinguishes the calls of one step; the opened line shows the complete URL. If there is
 * little room, the path is cut first, because pages differ in their query.
 */
function Path({ url }: { readonly url: string }) {
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: url, search: '' }
  return (
    <code className="flex min-w-0 flex-1 text-code text-muted" title={url}>
      <span className="min-w-12 truncate">{pathname}</span>
      <span className="max-w-4/5 shrink-0 truncate">{search}</span>
    </code>
  )
}
