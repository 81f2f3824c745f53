import { useNavigate } from '@tanstack/react-router'
import { FlaskConical } from '../../lib/icons.tsx'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { OwnStore, useApi } from '../../api/provider.tsx'
import { english, type English, t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { ConfigPanel } from './config/config-panel.tsx'
import { readConfigText, writeConfig, type ReadConfig } from './state/config-text.ts'
import { createPaginationStore, usePagination } from './state/pagination-store.ts'
import { missingIn, type TestForm } from './state/test-form.ts'
import { sentPages } from './state/test-progress.ts'
import { type TesterTrip, useTesterTrip } from './state/tester-trip.ts'
import { RunControls } from './timeline/run-controls.tsx'
import { PageStrip } from './timeline/page-strip.tsx'
import { RunEnd } from './timeline/run-end.tsx'
import { Timeline } from './timeline/timeline.tsx'
import { configWords } from './state/style-names.ts'

/** The call, or why nothing can be called yet. */
export type PagedCall = { readonly form: Partial<TestForm> } | { readonly problem: string }

/** The kind of configuration: pagination of lists, or a search for records, which is also paginated. */
export interface SheetKind {
  readonly title: English
  readonly setUp: English
  readonly words: (config: unknown) => string
  /** The label of the button that applies it. */
  readonly use: (config: unknown) => string
  readonly Panel: ComponentType<{ readonly canCall: boolean }>
  /** Further input for a test run, and further results. */
  readonly Run?: ComponentType
}

export const PAGING: SheetKind = {
  title: english('Pagination'),
  setUp: english('Set up pagination'),
  words: configWords,
  use: (config) => t('Use pagination: {{style}}', { style: configWords(config) }),
  Panel: ConfigPanel,
}

export interface PagingSheetProps {
  /** Defaults to pagination. */
  readonly kind?: SheetKind
  readonly config: unknown
  readonly readCall: () => PagedCall | Promise<PagedCall>
  /** What the tester needs in order to return here, except the call; absent if it can't return. */
  readonly trip?: () => Omit<TesterTrip, 'form'>
  /** Chooses what is called, if the surrounding form doesn't determine it. */
  readonly children?: ReactNode
  readonly onClose: () => void
  /** @param pages how many were read with it; null if it wasn't tested */
  readonly onApply: (config: unknown, pages: number | null) => void
}

/** A configuration next to its form: suggestions, and a test with the real API. */
export function PagingSheet(props: PagingSheetProps) {
  const api = useApi()
  const [store] = useState(() => createPaginationStore(api))
  useEffect(() => () => store.getState().cancelled(), [store])
  return (
    <OwnStore factory={createPaginationStore} store={store}>
      <Sheet {...props} />
    </OwnStore>
  )
}

function Sheet({ kind = PAGING, config, readCall, trip, children, onClose, onApply }: PagingSheetProps) {
  const navigate = useNavigate()
  const begun = useTesterTrip((state) => state.begun)
  const form = usePagination((state) => state.form)
  const prepared = usePagination((state) => state.prepared)
  const started = usePagination((state) => state.started)
  const pageChosen = usePagination((state) => state.pageChosen)
  const progress = usePagination((state) => state.progress)
  const chosen = usePagination((state) => state.chosen)
  const ran = usePagination((state) => state.ran)
  const failure = usePagination((state) => state.failure)
  const [problem, setProblem] = useState<string | null>(null)
  const [isReady, setIsReady] = useState(false)
  const [listsPages, setListsPages] = useState(false)
  const [first] = useState({ config, readCall })
  const before = writeConfig(first.config)
  const read = readConfigText(form.configText)
  const isChanged = isReady && form.configText !== before

  useEffect(() => {
    let isGone = false
    const begin = async () => {
      const call = await first.readCall()
      if (isGone) return
      setProblem('problem' in call ? call.problem : null)
      const known = 'form' in call ? call.form : { source: 'address' as const }
      prepared({ ...known, configText: writeConfig(first.config) })
      setIsReady(true)
    }
    void begin()
    return () => {
      isGone = true
    }
  }, [first, prepared])

  async function openTester(way: Omit<TesterTrip, 'form'>) {
    begun({ ...way, form })
    await navigate({ to: '/pagination', search: { for: way.kind } })
  }

  return (
    <Dialog
      open
      side
      wide
      title={t(kind.title)}
      unsaved={isChanged}
      onClose={onClose}
      {...(problem === null && missingIn(form) === null ? { onSubmit: () => void started('run') } : {})}
      actions={
        <>
          {trip === undefined ? null : (
            <Button
              look="quiet"
              icon={FlaskConical}
              className="mr-auto"
              disabled={!isReady || problem !== null}
              onClick={() => void openTester(trip())}
            >
              {t('Open in tester')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            disabled={!isReady || 'problem' in read}
            onClick={() => {
              if (!('value' in read)) return
              const isTested = progress.done !== null && ran?.configText === form.configText
              onApply(read.value, isTested ? sentPages(progress.pages) : null)
            }}
          >
            {useWords(kind, read, before)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem === null ? null : <p className="text-retrying">{problem}</p>}
        {failure === null ? null : <ErrorNotice error={failure} title={t('Failed')} />}
        {form.source === 'address' && problem === null ? (
          <p className="truncate font-mono text-code text-muted">
            {form.method} {form.endpoint}
          </p>
        ) : null}
        {problem === null ? children : null}
        {isReady ? <kind.Panel canCall={problem === null} /> : null}
        <section aria-label={t('Test run')} className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-1.5">
            <h2 className="mr-auto font-semibold">{t('Test run')}</h2>
            {problem === null && isReady ? <RunControls isSecond /> : null}
          </div>
          {isReady && kind.Run !== undefined ? <kind.Run /> : null}
          {progress.status === 'idle' ? (
            <p className="text-muted">
              {t('Reads the pages from the real API and shows each one here. Nothing is saved.')}
            </p>
          ) : (
            <>
              <PageStrip />
              <div className="-mx-3">
                <RunEnd />
              </div>
              <details
                className="rounded border border-line"
                onToggle={({ currentTarget }) => setListsPages(currentTarget.open)}
              >
                <summary className="cursor-default px-3 py-1.5 text-sm text-muted hover:bg-hover">
                  {t('Every page')}
                </summary>
                {listsPages ? (
                  <div className="flex h-72 flex-col border-t border-line bg-surface">
                    <Timeline isOpenEnded chosen={chosen} onChoose={pageChosen} />
                  </div>
                ) : null}
              </details>
            </>
          )}
        </section>
      </div>
    </Dialog>
  )
}

/** The button's label, which says what it does, so that nobody stops at the first page of a list without noticing. */
function useWords(kind: SheetKind, read: ReadConfig, before: string): string {
  if ('problem' in read) return t('Use')
  if (read.value === null) return before === '' ? t('Leave off') : t('Turn off')
  return kind.use(read.value)
}
