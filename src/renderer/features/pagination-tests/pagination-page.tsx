import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Page } from '../../components/screen/page.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { t } from '../../lib/i18n.ts'
import { ConfigPanel } from '../../components/pagination/config/config-panel.tsx'
import { PageDetail } from './detail/page-detail.tsx'
import { usePagination } from '../../components/pagination/state/pagination-store.ts'
import { RecordsPanel } from './records/records-panel.tsx'
import { RequestForm } from './request/request-form.tsx'
import { SaveButton } from './save-dialog.tsx'
import { RunControls } from '../../components/pagination/timeline/run-controls.tsx'
import { TesterIntro } from './tester-intro.tsx'
import { Timeline } from '../../components/pagination/timeline/timeline.tsx'

const route = getRouteApi('/pagination')

/** Runs a pagination configuration on a real API, and shows each request, what it changed and why it ended. */
export function PaginationPage() {
  const { connector, action } = route.useSearch()
  const opened = usePagination((state) => state.opened)
  const idle = usePagination((state) => state.progress.status === 'idle')
  const failure = usePagination((state) => state.failure)
  const cancelled = usePagination((state) => state.cancelled)
  useEffect(() => void opened(connector, action), [opened, connector, action])
  // Leaving the screen leaves the test: the request in flight is aborted.
  useEffect(() => cancelled, [cancelled])

  return (
    <Page
      title={t('Pagination tester')}
      actions={
        <>
          <SaveButton />
          <RunControls />
        </>
      }
    >
      <SplitPane
        name="tester"
        label={t('Width of the configuration')}
        direction="row"
        initial={360}
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
              <ErrorNotice error={failure} title={t('That did not work')} />
            </div>
          )}
          {idle ? <TesterIntro /> : <Results />}
        </div>
      </SplitPane>
    </Page>
  )
}

function Results() {
  const pages = usePagination((state) => state.progress.pages)
  const status = usePagination((state) => state.progress.status)
  const chosen = usePagination((state) => state.chosen)
  const onChoose = usePagination((state) => state.pageChosen)
  const newest = pages.findLast(({ attempts }) => attempts.length > 0) ?? pages.at(-1)
  // What a paused test would send next is what one wants to see.
  const followed = status === 'paused' ? pages.at(-1) : newest
  const shown = pages.find((line) => line.page === chosen) ?? followed
  return (
    <SplitPane
      name="tester-records"
      label={t('Height of the records')}
      direction="column"
      initial={260}
      min={100}
      max={900}
    >
      <SplitPane
        name="tester-pages"
        label={t('Width of the pages')}
        direction="row"
        initial={380}
        min={300}
        max={800}
      >
        <Timeline chosen={shown?.page ?? null} onChoose={onChoose} />
        {shown === undefined ? (
          <p className="p-3 text-muted">
            {status === 'failed'
              ? t('Nothing was sent. The editor underlines what is wrong.')
              : t('The first page appears here as soon as its request is made.')}
          </p>
        ) : (
          <PageDetail line={shown} before={pages[pages.indexOf(shown) - 1]} />
        )}
      </SplitPane>
      <RecordsPanel />
    </SplitPane>
  )
}
