import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Check, Undo2 } from '../../lib/icons.tsx'
import { useEffect } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { readConfigText } from '../../components/pagination/state/config-text.ts'
import { type TesterTrip, useTesterTrip } from '../../components/pagination/state/tester-trip.ts'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Page } from '../../components/screen/page.tsx'
import { ConnectorLinks } from '../../components/screen/screen-links.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { useRoomUnder } from '../../components/screen/room.ts'
import { t } from '../../lib/i18n.ts'
import { ConfigPanel } from '../../components/pagination/config/config-panel.tsx'
import { PageDetail } from './detail/page-detail.tsx'
import { usePagination } from '../../components/pagination/state/pagination-store.ts'
import { RecordsPanel } from './records/records-panel.tsx'
import { RequestForm } from './request/request-form.tsx'
import { SaveButton } from './save-dialog.tsx'
import { RunControls } from '../../components/pagination/timeline/run-controls.tsx'
import { TesterIntro } from './tester-intro.tsx'
import { PageTimes } from './page-times.tsx'
import { PageStrip } from '../../components/pagination/timeline/page-strip.tsx'
import { Timeline } from '../../components/pagination/timeline/timeline.tsx'

const route = getRouteApi('/pagination')

/** Runs a pagination configuration on a real API, and shows each request, what it changed and why it ended. */
export function PaginationPage() {
  const { connector, action, for: wanted } = route.useSearch()
  const known = useTesterTrip((state) => state.trip)
  const trip = wanted === undefined ? null : known
  const prepared = usePagination((state) => state.prepared)
  const opened = usePagination((state) => state.opened)
  const idle = usePagination((state) => state.progress.status === 'idle')
  const failure = usePagination((state) => state.failure)
  const cancelled = usePagination((state) => state.cancelled)
  const isWide = !useRoomUnder(1600)
  useEffect(() => {
    if (trip === null) void opened(connector, action)
    else prepared(trip.form)
  }, [opened, prepared, trip, connector, action])
  // Leaving the screen stops the test and aborts the request in flight.
  useEffect(() => cancelled, [cancelled])

  return (
    <Page
      title={t('Pagination tester')}
      actions={
        <>
          {trip === null ? <SaveButton /> : <BackToForm trip={trip} />}
          <RunControls />
        </>
      }
    >
      <ConnectorLinks />
      <SplitPane
        name="tester"
        label={t('Configuration width')}
        direction="row"
        initial={isWide ? 560 : 360}
        min={300}
        max={800}
      >
        <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto bg-surface p-3">
          <RequestForm />
          <ConfigPanel />
        </div>
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          {failure === null ? null : (
            <div className="shrink-0 p-3">
              <ErrorNotice error={failure} title={t('Failed')} />
            </div>
          )}
          {idle ? (
            <TesterIntro />
          ) : (
            <>
              <div className="flex shrink-0 flex-col gap-3 border-b border-line p-3">
                <PageStrip aboveTimes />
                <PageTimes />
              </div>
              <Results />
            </>
          )}
        </div>
      </SplitPane>
    </Page>
  )
}

/** The way back to the form that opened the tester, with or without the result. */
function BackToForm({ trip: { name, kind, back } }: { readonly trip: TesterTrip }) {
  const navigate = useNavigate()
  const text = usePagination((state) => state.form.configText)
  const applied = useTesterTrip((state) => state.applied)
  const read = readConfigText(text)
  return (
    <>
      <Button look="quiet" icon={Undo2} onClick={() => void navigate(back)}>
        {t('Back to {{name}}', { name })}
      </Button>
      <Button
        icon={Check}
        disabled={'problem' in read}
        onClick={() => {
          if ('value' in read) applied(read.value)
          void navigate(back)
        }}
      >
        {kind === 'step' ? t('Apply to step') : t('Apply to connector')}
      </Button>
    </>
  )
}

function Results() {
  const pages = usePagination((state) => state.progress.pages)
  const status = usePagination((state) => state.progress.status)
  const chosen = usePagination((state) => state.chosen)
  const onChoose = usePagination((state) => state.pageChosen)
  const newest = pages.findLast(({ attempts }) => attempts.length > 0) ?? pages.at(-1)
  // A paused test shows what it would send next.
  const followed = status === 'paused' ? pages.at(-1) : newest
  const shown = pages.find((line) => line.page === chosen) ?? followed
  return (
    <SplitPane
      name="tester-records"
      label={t('Records height')}
      direction="column"
      initial={260}
      min={100}
      max={900}
    >
      <SplitPane
        name="tester-pages"
        label={t('Pages width')}
        direction="row"
        initial={380}
        min={300}
        max={800}
      >
        <Timeline chosen={shown?.page ?? null} onChoose={onChoose} />
        {shown === undefined ? (
          <p className="p-3 text-muted">
            {status === 'failed'
              ? t('Nothing was sent. Errors are underlined in the editor.')
              : t('The first page appears here as soon as its request is sent.')}
          </p>
        ) : (
          <PageDetail line={shown} before={pages[pages.indexOf(shown) - 1]} />
        )}
      </SplitPane>
      <RecordsPanel />
    </SplitPane>
  )
}
