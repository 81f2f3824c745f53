import { SINCE, SINCE_LABELS } from '../../lib/search.ts'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CircleCheck, FilterX, FoldVertical, ListOrdered, RotateCw, Search, X } from '../../lib/icons.tsx'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { RUN_STATUSES, RUN_TRIGGERS } from '../../../shared/contract/flow-runs.ts'
import type { ListedFlowRun } from '../../../shared/contract/flow-runs.ts'
import { MOST_REPLAYS, replayFlowRunsRoute } from '../../../shared/contract/run-debugging.ts'
import { useFlowsByName } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { Histogram, TimeChip } from '../../components/charts/histogram.tsx'
import { DataTable } from '../../components/values/data-table.tsx'
import { DensitySwitch } from '../../components/values/density.tsx'
import { EmptyState, NoneSoFar } from '../../components/screen/empty-state.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { TextInput } from '../../components/controls/field.tsx'
import { Filter, NoMatches } from '../../components/screen/list-screen.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { SkeletonRows } from '../../components/screen/skeleton.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { stateWord } from '../../components/values/status-badge.tsx'
import { useToday } from '../../components/values/time.tsx'
import { formatDay } from '../../lib/format.ts'
import { t, tn } from '../../lib/i18n.ts'
import { causeOf } from './failure-in-short.ts'
import { runColumns } from './run-columns.tsx'
import { causesOf, runHistogramOf, runsOf } from './runs.ts'
import type { RunFilters } from './runs.ts'
import { TRIGGER_WORDS } from '../../components/runs/trigger-words.ts'

const route = getRouteApi('/runs')

const NO_SPAN = { from: undefined, until: undefined } as const

const CauseList = lazy(async () => ({ default: (await import('./cause-list.tsx')).CauseList }))
const ReplayDialog = lazy(async () => ({ default: (await import('./replay-dialog.tsx')).ReplayDialog }))

export function RunsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs' })
  const { data: pages, ...list } = useResource(search.causes === true ? null : runsOf(search))
  const { data: causes, ...byCause } = useResource(search.causes === true ? causesOf(search) : null)
  const runs = pages?.items ?? null
  const total = pages?.total ?? null
  const flows = useFlowsByName()
  const selection = useSelection(runs)
  const [replaying, setReplaying] = useState<readonly ListedFlowRun[] | null>(null)

  const isFiltered = Object.keys(search).length > 0
  const filter = (change: RunFilters) =>
    void navigate({ search: (before) => withoutAny({ ...before, ...change }), replace: true })
  const { selected, toggle } = selection
  const isSearch = search.text !== undefined
  const flowNames = useMemo(() => new Map(flows.map(({ id, name }) => [id, name])), [flows])
  const headingOf = useDayOf()
  const columns = useMemo(
    () =>
      runColumns({
        isSearch,
        flowNames,
        selected,
        onToggle: toggle,
      }),
    [isSearch, flowNames, selected, toggle],
  )

  return (
    <Page title={t('Runs')} actions={<DensitySwitch />}>
      <Toolbar>
        <SearchField text={search.text} onChange={(text) => filter({ text })} />
        <Filter
          label={t('Status')}
          any={t('Any status')}
          className="w-32"
          value={search.status}
          onChange={(status) => filter({ status, resolved: undefined })}
          options={[
            { value: 'unfinished', label: t('Active') },
            ...RUN_STATUSES.map((status) => ({ value: status, label: stateWord(status) })),
          ]}
        />
        <Filter
          label={t('Trigger')}
          any={t('Any trigger')}
          className="w-32"
          value={search.trigger}
          onChange={(trigger) => filter({ trigger })}
          options={RUN_TRIGGERS.map((trigger) => ({ value: trigger, label: t(TRIGGER_WORDS[trigger]) }))}
        />
        <Filter
          label={t('Time')}
          any={t('Any time')}
          className="w-32"
          value={search.since}
          onChange={(since) => filter({ since, ...NO_SPAN })}
          options={SINCE.map((since) => ({ value: since, label: t(SINCE_LABELS[since]) }))}
        />
        <Filter
          label={t('Flow')}
          any={t('Any flow')}
          as={Combo}
          className="w-48"
          value={search.flow}
          onChange={(flow) => filter({ flow })}
          options={flows.map(({ id, name }) => ({ value: id, label: name }))}
        />
        {search.status === 'error' ? (
          <Filter
            label={t('Resolved')}
            any={t('Open and resolved')}
            className="w-36"
            value={search.resolved}
            onChange={(resolved) => filter({ resolved })}
            options={[
              { value: 'false', label: t('Unresolved') },
              { value: 'true', label: t('Resolved') },
            ]}
          />
        ) : null}
        <TimeChip time={search} onClear={() => filter(NO_SPAN)} />
        {search.code === undefined ? (
          <Button
            icon={FoldVertical}
            aria-pressed={search.causes === true}
            className="aria-pressed:bg-selected"
            onClick={() =>
              filter(
                search.causes === true
                  ? { causes: undefined, status: undefined }
                  : { causes: true, status: 'error' },
              )
            }
          >
            {t('Failures by cause')}
          </Button>
        ) : (
          <Button
            icon={X}
            aria-label={t('Back to all causes')}
            className="max-w-60 bg-selected"
            onClick={() =>
              filter({ causes: true, flow: undefined, at: undefined, code: undefined, http: undefined })
            }
          >
            {causeOf(
              search.at === 'null' ? null : (search.at ?? null),
              search.http === undefined || search.http === 'null' ? null : Number(search.http),
            ) ?? search.code}
          </Button>
        )}
        {isFiltered ? (
          <Button look="quiet" icon={FilterX} onClick={() => void navigate({ search: {}, replace: true })}>
            {t('Clear filters')}
          </Button>
        ) : null}
        <output className="ml-auto text-sm text-muted">
          {total === null ? '' : tn(total, '{{count}} run', '{{count}} runs')}
        </output>
      </Toolbar>
      <Histogram
        label={t('Runs by time')}
        figures={runHistogramOf(search)}
        none={t('No runs in this period')}
        picked={search.status}
        onPick={(key) => {
          const status = RUN_STATUSES.find((one) => one === key)
          filter({ status: status === search.status ? undefined : status })
        }}
        onTime={filter}
      />
      {selected.size === 0 ? null : (
        <SelectionBar
          count={selected.size}
          onReplay={() => setReplaying((runs ?? []).filter((run) => selected.has(run.id)))}
          onClear={selection.clear}
        />
      )}
      {search.causes === true ? (
        <Loaded
          value={causes}
          failure={byCause.failure}
          what={t('the runs')}
          onRetry={() => void byCause.reload()}
        >
          {(found) =>
            found.length === 0 ? (
              <NoFailures />
            ) : (
              <Suspense fallback={<SkeletonRows />}>
                <CauseList causes={found} flowNames={flowNames} />
              </Suspense>
            )
          }
        </Loaded>
      ) : (
        <Loaded value={pages} failure={list.failure} what={t('the runs')} onRetry={() => void list.reload()}>
          {({ items, after }) =>
            items.length > 0 ? (
              <DataTable
                label={t('Runs')}
                noun={t('run')}
                columns={columns}
                rows={items}
                headingOf={headingOf}
                onEnd={() => void list.more()}
              />
            ) : after === null ? (
              <NoRuns isFiltered={isFiltered} />
            ) : (
              <NoneSoFar onMore={list.more} />
            )
          }
        </Loaded>
      )}
      {replaying === null ? null : (
        <Suspense fallback={null}>
          <ReplayDialog
            runs={replaying}
            onClose={() => {
              setReplaying(null)
              selection.clear()
            }}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Returns a function for the day of a run, and a new one once midnight has passed. */
function useDayOf() {
  const today = useToday()
  return useMemo(() => (run: ListedFlowRun) => formatDay(Date.parse(run.created_at), today), [today])
}

function withoutAny(filters: RunFilters): RunFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

interface SearchFieldProps {
  readonly text: string | undefined
  readonly onChange: (text: string | undefined) => void
}

const TYPING_MS = 200

/** Typed text is searched after a short pause; the URL follows. */
function SearchField({ text, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(text ?? '')
  const field = useRef<HTMLInputElement>(null)
  const [known, setKnown] = useState(text)
  // Another URL was opened, so what was typed before doesn't belong to it.
  if (text !== known) {
    setKnown(text)
    if ((text ?? '') !== typed.trim()) setTyped(text ?? '')
  }
  const change = useRef(onChange)
  useEffect(() => {
    change.current = onChange
  })
  useEffect(() => {
    const wanted = typed.trim() === '' ? undefined : typed.trim()
    if (wanted === text) return undefined
    const timer = setTimeout(() => change.current(wanted), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, text])
  useShortcut({ keys: '/', label: t('Search in runs'), group: t('Lists') }, () => field.current?.focus())
  return (
    <div className="relative w-60">
      <Search size={14} aria-hidden className="absolute top-1.5 left-2 text-faint" />
      <TextInput
        ref={field}
        type="search"
        maxLength={400}
        value={typed}
        onChange={setTyped}
        aria-label={t('Search run data')}
        placeholder={t('Search run data')}
        className="pl-7"
      />
    </div>
  )
}

interface SelectionBarProps {
  readonly count: number
  readonly onReplay: () => void
  readonly onClear: () => void
}

function SelectionBar({ count, onReplay, onClear }: SelectionBarProps) {
  const isTooMany = count > MOST_REPLAYS
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-2 border-b border-line bg-selected px-4">
      <span role="status">{tn(count, '{{count}} run selected', '{{count}} runs selected')}</span>
      <Button icon={RotateCw} needs={replayFlowRunsRoute} disabled={isTooMany} onClick={onReplay}>
        {t('Replay')}
      </Button>
      <Button look="quiet" icon={X} onClick={onClear}>
        {t('Clear selection')}
      </Button>
      {isTooMany ? (
        <span className="text-sm text-muted">
          {t('You can replay at most {{count}} runs at a time.', { count: MOST_REPLAYS })}
        </span>
      ) : null}
    </div>
  )
}

/** The selected runs; with Shift everything from the last one selected. Deleted runs are no longer selected. */
function useSelection(runs: readonly ListedFlowRun[] | null) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string | null>(null)
  const list = useRef(runs)
  useEffect(() => {
    list.current = runs
  })
  const selected = useMemo(() => {
    const there = new Set(runs?.map(({ id }) => id))
    return new Set([...chosen].filter((id) => there.has(id)))
  }, [runs, chosen])
  const [toggle] = useState(() => (id: string, range: boolean) => {
    const ids = list.current?.map((run) => run.id) ?? []
    const [from, to] = [ids.indexOf(last.current ?? ''), ids.indexOf(id)]
    const touched = range && from !== -1 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
    last.current = id
    setChosen((before) => {
      const after = new Set(before)
      const isOn = !before.has(id)
      for (const each of touched)
        if (isOn) after.add(each)
        else after.delete(each)
      return after
    })
  })
  useShortcut({ keys: 'x', label: t('Select run'), group: t('Lists') }, () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row']
    if (row !== undefined) toggle(row, false)
  })
  return { selected, toggle, clear: () => setChosen(new Set()) }
}

function NoFailures() {
  return (
    <EmptyState
      icon={CircleCheck}
      title={t('No failed runs')}
      action={<ButtonLink to="/runs">{t('Show all runs')}</ButtonLink>}
    >
      {t('None of the stored runs that match these filters has failed.')}
    </EmptyState>
  )
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NoMatches title={t('No runs match')} to="/runs" all={t('Show all runs')}>
        {t(
          'No stored runs match. The search matches whole words. Use inv* to match beginnings. Each flow sets how long its runs are kept.',
        )}
      </NoMatches>
    )
  return (
    <EmptyState
      icon={ListOrdered}
      example={['A-1042 · grace@example.test', '200 {"known_customer": true}', '412 ms']}
      title={t('No runs yet')}
      action={
        <ButtonLink look="primary" to="/">
          {t('Receive your first webhook')}
        </ButtonLink>
      }
    >
      {t(
        'Each time a flow starts, by webhook, on a schedule or manually, its run appears here with every step and every HTTP request.',
      )}
    </EmptyState>
  )
}
