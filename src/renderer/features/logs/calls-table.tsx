import { useMemo, useState } from 'react'
import { type ApiCall, CALLERS } from '../../../shared/contract/logs.ts'
import { useResource } from '../../api/resource.ts'
import { Switch, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { Toolbar } from '../../components/screen/page.tsx'
import { type Column, DataTable } from '../../components/values/data-table.tsx'
import { Clock, Duration } from '../../components/values/time.tsx'
import { type English, english, t } from '../../lib/i18n.ts'
import { Follow, Lines } from './lines.tsx'
import { callsOf } from './log-lines.ts'
import { sinceOf, type Span, SpanSelect } from './spans.tsx'

type Caller = ApiCall['caller']

/** Who called the API, when, for what, and with which result. */
export function CallsTable() {
  const [route, setRoute] = useState('')
  const [caller, setCaller] = useState<Caller | 'all'>('all')
  const [failed, setFailed] = useState(false)
  const [span, setSpan] = useState<Span>('all')
  const wanted = useMemo(
    () =>
      callsOf({
        ...(route.trim() !== '' && { route: route.trim() }),
        ...(caller !== 'all' && { caller }),
        ...(failed && { failed: 'true' }),
        ...sinceOf(span),
      }),
    [route, caller, failed, span],
  )
  const { data: lines, failure, reload, more } = useResource(wanted)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar>
        <TextInput
          type="search"
          aria-label={t('Search by method and path')}
          placeholder={t('Search by method and path')}
          className="w-60"
          value={route}
          onChange={setRoute}
        />
        <Select
          label={t('Caller')}
          className="w-44"
          value={caller}
          onChange={setCaller}
          options={[
            { value: 'all', label: t('All callers') },
            ...CALLERS.map((value) => ({ value, label: t(CALLER_WORDS[value]) })),
          ]}
        />
        <SpanSelect value={span} onChange={setSpan} />
        <Switch label={t('Rejected and failed only')} checked={failed} onChange={setFailed} />
        <Follow looked={reload} />
      </Toolbar>
      <Lines
        lines={lines}
        failure={failure}
        onRetry={() => void reload()}
        what={t('the API calls')}
        empty={t('No calls match')}
      >
        {(rows) => (
          <DataTable
            label={t('API calls')}
            noun={t('call')}
            columns={COLUMNS}
            rows={rows}
            onEnd={() => void more()}
          />
        )}
      </Lines>
    </div>
  )
}

const CALLER_WORDS: { readonly [C in Caller]: English } = {
  app: english('App'),
  command: english('Command line'),
  token: english('Access token'),
  unknown: english('Unknown'),
}

const COLUMNS: readonly Column<ApiCall>[] = [
  { id: 'time', header: english('Time'), width: '9rem', cell: ({ time }) => <Clock at={time} /> },
  {
    id: 'status',
    header: english('Status'),
    width: '5rem',
    cell: ({ status }) => <span className={status >= 400 ? 'text-error' : 'text-success'}>{status}</span>,
  },
  {
    id: 'call',
    header: english('Call'),
    width: 'minmax(14rem, 1fr)',
    cell: ({ method, route }) => <code className="truncate text-code">{`${method} ${route}`}</code>,
  },
  {
    id: 'caller',
    header: english('Caller'),
    width: 'minmax(10rem, 16rem)',
    yields: 2,
    cell: ({ caller, token_note: note, token_id: id }) => (
      <span className="truncate">
        {caller === 'token' ? `${t(CALLER_WORDS.token)}: ${note ?? id ?? ''}` : t(CALLER_WORDS[caller])}
      </span>
    ),
  },
  {
    id: 'duration',
    header: english('Duration'),
    width: '6rem',
    yields: 1,
    align: 'end',
    cell: ({ duration_ms: ms }) => <Duration ms={ms} />,
  },
]
