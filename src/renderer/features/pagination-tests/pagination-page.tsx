import { getRouteApi } from '@tanstack/react-router'
import { Play, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Page } from '../../components/page.tsx'
import { useShortcut } from '../../components/shortcuts.tsx'
import { SplitPane } from '../../components/split-pane.tsx'
import { usePagination } from './pagination-store.ts'
import { PageDetail } from './page-detail.tsx'
import { Records } from './records.tsx'
import { RequestForm } from './request-form.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/pagination')

/** Runs a pagination configuration on a real API, and shows each request, what it changed and why it ended. */
export function PaginationPage() {
  const { connector, action } = route.useSearch()
  const opened = usePagination((state) => state.opened)
  const status = usePagination((state) => state.progress.status)
  const pages = usePagination((state) => state.progress.pages)
  const failure = usePagination((state) => state.failure)
  const started = usePagination((state) => state.started)
  const cancelled = usePagination((state) => state.cancelled)
  const [chosen, setChosen] = useState<number | null>(null)
  useEffect(() => void opened(connector, action), [opened, connector, action])
  // Leaving the screen leaves the test: the request in flight is aborted.
  useEffect(() => cancelled, [cancelled])

  const running = status === 'running'
  const start = () => {
    setChosen(null)
    void started()
  }
  useShortcut({ keys: 'mod+enter', label: 'Run the test', group: 'Pagination tester' }, start, !running)
  const shown = pages.find((line) => line.page === chosen) ?? pages.at(-1)

  return (
    <Page
      title="Pagination tester"
      actions={
        running ? (
          <Button icon={Square} onClick={cancelled}>
            Cancel
          </Button>
        ) : (
          <Button look="primary" icon={Play} onClick={start}>
            Run
          </Button>
        )
      }
    >
      <SplitPane
        name="tester"
        label="Width of the configuration"
        direction="row"
        initial={420}
        min={300}
        max={800}
      >
        <RequestForm />
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          {failure === null ? null : (
            <div className="shrink-0 p-3">
              <ErrorNotice error={failure} title="The test did not run" onRetry={start} />
            </div>
          )}
          {status === 'idle' ? (
            <Explanation />
          ) : (
            <SplitPane
              name="tester-records"
              label="Height of the records"
              direction="column"
              initial={280}
              min={100}
              max={900}
            >
              <SplitPane
                name="tester-pages"
                label="Width of the pages"
                direction="row"
                initial={340}
                min={240}
                max={800}
              >
                <Timeline chosen={shown?.page ?? null} onChoose={setChosen} />
                {shown === undefined ? null : (
                  <PageDetail line={shown} before={pages[pages.indexOf(shown) - 1]} />
                )}
              </SplitPane>
              <Records />
            </SplitPane>
          )}
        </div>
      </SplitPane>
    </Page>
  )
}

function Explanation() {
  return (
    <div className="flex flex-col gap-3 p-6">
      <h2 className="text-lg font-semibold">See every page being fetched</h2>
      <p className="max-w-xl text-muted">
        Choose a call and a configuration at the left and run it. Each request appears here as it is sent,
        with what changed since the one before, its waits and retries, and the reason why the list ended.
      </p>
      <ul className="max-w-xl list-disc pl-5 text-muted">
        <li>The first request is sent without any paging; the configuration applies from the second on.</li>
        <li>
          <code className="text-sm">page</code> is 1 there and grows by one;{' '}
          <code className="text-sm">previous_request</code> is the response before.
        </li>
        <li>
          <code className="text-sm">response_jsonpath</code> finds the records in every response, the first
          included.
        </li>
      </ul>
    </div>
  )
}
