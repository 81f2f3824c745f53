import { CONNECTOR_AUTHS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, CirclePause, CircleX, Info, TriangleAlert } from '../../../lib/icons.tsx'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import type { LucideIcon } from '../../../lib/icons.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { formatDuration, plural } from '../../../lib/format.ts'
import { english, t, translateMessage } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { Button } from '../../controls/button.tsx'
import { entriesOf, putConfig } from '../state/config-text.ts'
import { findDuplicates } from '../state/duplicates.ts'
import { usePagination } from '../state/pagination-store.ts'
import { otherListIn } from '../state/other-list.ts'
import { recordsOf } from '../state/record-log.ts'
import { FAILURE_ADVICE, STOP_SENTENCES } from '../state/end-words.ts'

/** Shown below the last page: why it is the last one, and what to check. */
export function RunEnd() {
  const { status, done, failed, totalRecords, pages } = usePagination((state) => state.progress)
  const mode = usePagination((state) => state.mode)
  if (status === 'idle') return null
  if (status === 'running')
    return (
      <div role="status" className="px-3 py-2.5 text-muted">
        {pages.length === 0
          ? t('Sending the first request…')
          : t('{{records}} so far…', { records: plural(totalRecords, 'record') })}
      </div>
    )
  return (
    <div role="status" className="flex flex-col gap-2 px-3 py-2.5">
      {status === 'paused' ? (
        <Line icon={CirclePause} tone="text-paused">
          {t('Paused before page {{page}}. You can inspect its request now.', {
            page: pages.at(-1)?.page ?? 0,
          })}
        </Line>
      ) : null}
      {status === 'cancelled' ? (
        <Line icon={Ban} tone="text-muted">
          {t('Cancelled after {{records}}.', { records: plural(totalRecords, 'record') })}
        </Line>
      ) : null}
      {done !== null && mode === 'dry' && done.stop_reason === 'cut_by_max_pages' ? (
        <Line icon={CircleCheck} tone="text-success">
          {t(
            'Dry run: the first request was sent. The request for page 1 is shown on the right but wasn’t sent.',
          )}
        </Line>
      ) : done === null ? null : (
        <>
          <Line
            icon={done.complete === 'in_doubt' ? TriangleAlert : CircleCheck}
            tone={done.complete === 'in_doubt' ? 'text-retrying' : 'text-success'}
          >
            <Trans
              text={'<note>{{records}} on {{pages}}</note> in {{duration}}. Ended because {{because}}.'}
              values={{
                records: plural(done.total_records, 'record'),
                pages: plural(done.pages, 'page'),
                duration: formatDuration(done.duration_ms),
                because: t(STOP_SENTENCES[done.stop_reason].because),
              }}
              parts={{ note: <span className="font-medium" /> }}
            />
          </Line>
          {done.complete === 'in_doubt' ? (
            <Doubts />
          ) : (
            <Advice text={STOP_SENTENCES[done.stop_reason].advice} />
          )}
          <OtherList />
          <DuplicateLine />
        </>
      )}
      {failed === null ? null : (
        <>
          <Line icon={CircleX} tone="text-error">
            {translateMessage(failed.message, failed)}
            <span className="block text-sm text-muted">
              <code>{failed.code}</code>
              {failed.field === undefined ? '' : `, ${t('field {{field}}', { field: failed.field })}`}
              {failed.line === undefined ? '' : `, ${t('line {{line}}', { line: failed.line })}`}
              {failed.column === undefined ? '' : `, ${t('column {{column}}', { column: failed.column })}`}
              {failed.partial_count === undefined
                ? ''
                : `, ${plural(failed.partial_count, 'record read', 'records read')}`}
            </span>
          </Line>
          {failed.status === 401 || failed.status === 403 ? (
            <AuthAdvice />
          ) : (
            <Advice text={FAILURE_ADVICE[failed.code] ?? null} />
          )}
        </>
      )}
    </div>
  )
}

/** Why records may be missing. */
function Doubts() {
  const pages = usePagination((state) => state.progress.pages)
  const doubts = pages.flatMap(({ warnings }) => warnings.filter(({ in_doubt: inDoubt }) => inDoubt))
  return (
    <>
      <Advice text={english('Records may be missing:')} />
      <ul className="flex flex-col gap-1 pl-6 break-words text-retrying">
        {doubts.map((doubt) => (
          <li key={doubt.code}>{translateMessage(doubt.message, doubt)}</li>
        ))}
      </ul>
    </>
  )
}

/** The API rejected the credentials, or got none. */
function AuthAdvice() {
  const { authId } = usePagination((state) => state.form)
  const auth = useResource(CONNECTOR_AUTHS).data?.find(({ id }) => id === authId)
  if (auth === undefined)
    return (
      <Advice
        text={english('The request had no credentials. Select a connector auth, or create one first.')}
      />
    )
  return (
    <p className="pl-6 text-muted">
      <Trans
        text="The API rejected the credentials of <auth/>. Check the credentials and their permissions there."
        parts={{
          auth: (
            <Link
              to="/auths/$authId"
              params={{ authId: auth.id }}
              className="rounded-sm text-accent-text hover:underline"
            >
              {auth.name}
            </Link>
          ),
        }}
      />
    </p>
  )
}

/** The list is elsewhere in the response. A button puts its path into the configuration that was used. */
function OtherList() {
  const pages = usePagination((state) => state.progress.pages)
  const text = usePagination((state) => state.form.configText)
  const changed = usePagination((state) => state.changed)
  const used = pages[0]?.attempts.at(-1)?.request.config_index ?? null
  const found = otherListIn(pages.flatMap(({ warnings }) => warnings))
  if (found === null) return null
  const config = { ...entriesOf(text)[used ?? 0], response_jsonpath: found.path }
  return (
    <p className="flex flex-wrap items-center gap-2 pl-6">
      <Trans
        text={'<path/> has {{records}}.'}
        values={{ records: plural(found.count, 'record') }}
        parts={{ path: <code className="text-code">{found.path}</code> }}
      />
      <Button onClick={() => changed({ configText: putConfig(text, config, used) })}>{t('Use it')}</Button>
    </p>
  )
}

function DuplicateLine() {
  const records = usePagination((state) => state.progress.records)
  const duplicates = useMemo(() => findDuplicates(recordsOf(records)), [records])
  if (records.length === 0) return null
  if (duplicates.count === 0) return <p className="pl-6 text-muted">{t('No duplicate records.')}</p>
  return (
    <Line icon={Info} tone="text-retrying">
      <Trans
        text={'{{records}} occurred more than once (by <key/>). See Duplicates. <code/> skips them.'}
        values={{ records: plural(duplicates.count, 'record') }}
        parts={{
          key:
            duplicates.key === null ? (
              t('the whole record')
            ) : (
              <code className="text-code">{duplicates.key}</code>
            ),
          code: <code className="text-code">dedupe_by</code>,
        }}
      />
    </Line>
  )
}

function Advice({ text }: { readonly text: English | null }) {
  return text === null ? null : <p className="pl-6 text-muted">{t(text)}</p>
}

interface LineProps {
  readonly icon: LucideIcon
  readonly tone: string
  readonly children: ReactNode
}

function Line({ icon: Icon, tone, children }: LineProps) {
  return (
    <div className="flex items-start gap-2">
      <Icon size={15} aria-hidden className={`mt-0.5 shrink-0 ${tone}`} />
      <p className="min-w-0 break-words">{children}</p>
    </div>
  )
}
