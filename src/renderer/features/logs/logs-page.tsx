import { useMemo, useState } from 'react'
import { LOG_LEVELS, type LogEntry, type LogLevel } from '../../../shared/contract/logs.ts'
import { useResource } from '../../api/resource.ts'
import { TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { CopyButton, CopyIcon } from '../../components/values/copy-button.tsx'
import { type Column, DataTable } from '../../components/values/data-table.tsx'
import { Clock } from '../../components/values/time.tsx'
import { formatJson } from '../../lib/json.ts'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { CallsTable } from './calls-table.tsx'
import { Follow, Lines } from './lines.tsx'
import { logOf } from './log-lines.ts'
import { sinceOf, type Span, SpanSelect } from './spans.tsx'

type Part = 'log' | 'calls'

/** The log of Millrace, and the calls of its API. */
export function LogsPage() {
  const [part, setPart] = useState<Part>('log')
  return (
    <Page title={t('Logs')}>
      <Tabs
        label={t('Logs')}
        value={part}
        onChange={setPart}
        className="min-h-0 flex-1"
        tabs={[
          { value: 'log', label: t('Log'), content: part === 'log' ? <LogPart /> : null },
          { value: 'calls', label: t('API calls'), content: part === 'calls' ? <CallsTable /> : null },
        ]}
      />
    </Page>
  )
}

function LogPart() {
  const [level, setLevel] = useState<LogLevel>('info')
  const [text, setText] = useState('')
  const [span, setSpan] = useState<Span>('all')
  const [opened, setOpened] = useState<LogEntry | null>(null)
  const columns = useMemo(() => columnsOf(setOpened), [])
  const wanted = useMemo(
    () => logOf({ level, ...(text.trim() !== '' && { text: text.trim() }), ...sinceOf(span) }),
    [level, text, span],
  )
  const { data: lines, failure, reload, more } = useResource(wanted)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar>
        <TextInput
          type="search"
          aria-label={t('Search the log')}
          placeholder={t('Search the log')}
          className="w-60"
          value={text}
          onChange={setText}
        />
        <Select
          label={t('Level')}
          className="w-44"
          value={level}
          onChange={setLevel}
          options={LOG_LEVELS.map((value) => ({ value, label: t(LEVELS[value].filter) }))}
        />
        <SpanSelect value={span} onChange={setSpan} />
        <Follow looked={reload} />
      </Toolbar>
      <Lines
        lines={lines}
        failure={failure}
        onRetry={() => void reload()}
        what={t('the log')}
        empty={t('No lines match')}
      >
        {(rows) => (
          <DataTable
            label={t('Log')}
            noun={t('line')}
            columns={columns}
            rows={rows}
            selectedId={opened?.id}
            onEnd={() => void more()}
          />
        )}
      </Lines>
      {opened === null ? null : <Details entry={opened} />}
      {lines === null || lines.folder === null ? null : (
        <p className="flex items-center gap-1 border-t border-line bg-surface px-4 py-1 text-muted">
          {t('Folder')} <code className="min-w-0 break-all">{lines.folder}</code>
          <CopyIcon label={t('Copy path')} text={lines.folder} />
        </p>
      )}
    </div>
  )
}

function Details({ entry }: { readonly entry: LogEntry }) {
  const text = formatJson(entry)
  return (
    <section
      aria-label={t('Line')}
      className="max-h-72 shrink-0 overflow-auto border-t border-line bg-surface"
    >
      <div className="sticky top-0 flex items-center justify-between gap-2 bg-surface px-4 py-1">
        <h2 className="min-w-0 truncate font-medium">{translateMessage(entry.message)}</h2>
        <CopyButton label={t('Copy')} text={text} />
      </div>
      <pre className="px-4 pb-3 text-code break-all whitespace-pre-wrap">
        {text.replaceAll(String.raw`\n`, '\n')}
      </pre>
    </section>
  )
}

const LEVELS: { readonly [L in LogLevel]: { readonly filter: English; readonly word: English } } = {
  info: { filter: english('All levels'), word: english('Info') },
  warn: { filter: english('Warnings and errors'), word: english('Warning') },
  error: { filter: english('Errors'), word: english('Error') },
}

const TONES: { readonly [L in LogLevel]: string } = {
  info: 'text-muted',
  warn: 'text-retrying',
  error: 'text-error',
}

const columnsOf = (open: (entry: LogEntry) => void): readonly Column<LogEntry>[] => [
  {
    id: 'time',
    header: english('Time'),
    width: '9rem',
    cell: ({ time }) => (time === null ? '—' : <Clock at={time} />),
  },
  {
    id: 'level',
    header: english('Level'),
    width: '6rem',
    cell: ({ level }) => <span className={TONES[level]}>{t(LEVELS[level].word)}</span>,
  },
  {
    id: 'message',
    header: english('Message'),
    width: 'minmax(16rem, 1fr)',
    cell: (entry) => (
      <button
        type="button"
        className="max-w-full truncate text-left hover:underline"
        onClick={() => open(entry)}
      >
        {translateMessage(entry.message)}
        {reasonOf(entry)}
      </button>
    ),
  },
]

/** The reason that an error gives, shown after what failed. */
function reasonOf({ details }: LogEntry): string {
  const error = details?.['err'] as { readonly message?: unknown } | undefined
  return typeof error?.message === 'string' ? `: ${error.message}` : ''
}
