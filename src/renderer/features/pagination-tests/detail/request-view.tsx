import { Pre } from '../../../components/values/snippet-box.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson } from '../../../lib/json.ts'
import { diffLines } from '../../../lib/line-diff.ts'
import { Trans } from '../../../lib/trans.tsx'
import { STOP_SENTENCES } from '../../../components/pagination/state/end-words.ts'
import type { ShownRequest } from '../../../components/pagination/state/shown-request.ts'
import type { EventOf } from '../../../components/pagination/state/test-progress.ts'
import { changedParameters, diffAddress, type Difference, diffHeaders } from './request-diff.ts'
import { Part } from './templates-view.tsx'

interface RequestViewProps {
  readonly request: ShownRequest | null
  readonly before: ShownRequest | null
  readonly plan: EventOf<'plan'> | null
}

/** The request, with all differences to the one before highlighted. */
export function RequestView({ request, before, plan }: RequestViewProps) {
  const reason = plan?.stop_reason ?? null
  if (request === null)
    return (
      <p className="p-3 text-muted">
        {reason === null
          ? t('No request was sent for this page.')
          : t('Page not requested: {{because}}.', { because: t(STOP_SENTENCES[reason].because) })}
      </p>
    )
  const headers = diffHeaders(before?.headers, request.headers)
  const changes = changedParameters(before?.url, request.url)
  return (
    <div className="flex flex-col gap-3 p-3">
      <p className="font-mono text-code break-all">
        <span
          className={cx(
            'mr-2 font-medium',
            before !== null && before.method !== request.method && MARKS.changed,
          )}
        >
          {request.method}
        </span>
        {diffAddress(before?.url, request.url).map((part, index) => (
          // The pieces of a URL are identified only by their position.
          <span key={index} className={MARKS[part.difference]}>
            {part.text}
          </span>
        ))}
      </p>
      {changes.length === 0 ? null : (
        <p className="text-muted">
          <Trans
            text="Changed: <changes/>"
            parts={{
              changes: changes.map((change) => (
                <code key={change} className="mr-2 text-text">
                  {change}
                </code>
              )),
            }}
          />
        </p>
      )}
      <Part title={t('Headers')}>
        <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-4 font-mono max-sm:grid-cols-1 text-code">
          {headers.map(({ name, value, before: was, difference }) => (
            <div key={`${name} ${difference}`} className="contents">
              <dt className="text-data-key">{name}</dt>
              <dd className="[overflow-wrap:anywhere]">
                {was === null ? null : <span className="mr-2 text-faint line-through">{was}</span>}
                <span className={MARKS[difference]}>{value}</span>
              </dd>
            </div>
          ))}
        </dl>
      </Part>
      {request.body === null ? null : <Body body={asText(request.body)} before={bodyBefore(before)} />}
    </div>
  )
}

function Body({ body, before }: { readonly body: string; readonly before: string | null }) {
  if (before === null || before === body)
    return (
      <Part title={t('Body')}>
        <div className="rounded border border-line bg-sunken">
          <Pre label={t('Request body')}>{body}</Pre>
        </div>
      </Part>
    )
  return (
    <Part title={t('Body')}>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('Request body')}
        className="max-h-80 overflow-auto rounded border border-line bg-sunken px-3 py-2.5 text-code break-all whitespace-pre-wrap"
      >
        {diffLines(before, body).map((line, index) => (
          <span key={index} className={cx('block', MARKS[line.kind])}>
            {line.text}
          </span>
        ))}
      </pre>
    </Part>
  )
}

const MARKS: { readonly [D in Difference]: string } = {
  same: '',
  changed: 'rounded-sm bg-retrying-soft px-0.5 text-retrying',
  added: 'rounded-sm bg-success-soft px-0.5 text-success',
  removed: 'rounded-sm bg-error-soft px-0.5 text-error line-through',
}

function bodyBefore(before: ShownRequest | null): string | null {
  return before === null || before.body === null ? null : asText(before.body)
}

function asText(body: unknown): string {
  return typeof body === 'string' ? body : formatJson(body)
}
