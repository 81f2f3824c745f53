import { FlaskConical, Pause, Play, SkipForward, Square, StepForward } from 'lucide-react'
import { Button, Tip } from '../../components/button.tsx'
import { printed, useShortcut } from '../../components/shortcuts.tsx'
import { readConfigText } from './config-text.ts'
import { usePagination } from './pagination-store.ts'
import { missingIn } from './test-form.ts'

const GROUP = 'Pagination tester'

/** Starts a test, whole, page by page or dry; then pauses, continues and cancels it. */
export function RunControls() {
  const status = usePagination((state) => state.progress.status)
  const isReady = usePagination((state) => state.progress.id !== null)
  const form = usePagination((state) => state.form)
  const started = usePagination((state) => state.started)
  const continued = usePagination((state) => state.continued)
  const cancelled = usePagination((state) => state.cancelled)
  const underWay = status === 'running' || status === 'paused'
  const problem =
    missingIn(form) ?? ('problem' in readConfigText(form.configText) ? 'The configuration is no JSON' : null)
  const canStart = !underWay && problem === null

  useShortcut({ keys: 'mod+enter', label: 'Run the test', group: GROUP }, () => void started('run'), canStart)
  useShortcut({ keys: 'alt+n', label: 'Read one page', group: GROUP }, step, canStart || status === 'paused')
  useShortcut({ keys: 'alt+c', label: 'Cancel the test', group: GROUP }, cancelled, underWay)

  function step() {
    if (status === 'paused') void continued(1)
    else void started('step')
  }

  if (underWay)
    return (
      <>
        {status === 'paused' ? (
          <>
            <Button look="primary" icon={StepForward} onClick={step}>
              Next page
            </Button>
            <Button icon={SkipForward} onClick={() => void continued(null)}>
              Continue
            </Button>
          </>
        ) : (
          <Button icon={Pause} disabled={!isReady} onClick={() => void continued(0)}>
            Pause
          </Button>
        )}
        <Button icon={Square} onClick={cancelled}>
          Cancel
        </Button>
      </>
    )
  return (
    <>
      {problem === null ? null : <span className="mr-1 max-w-64 truncate text-sm text-muted">{problem}</span>}
      <Tip text="Sends the first request and shows the second without sending it">
        <Button icon={FlaskConical} disabled={problem !== null} onClick={() => void started('dry')}>
          Dry run
        </Button>
      </Tip>
      <Tip text="Reads one page and waits" keys={printed('alt+n')}>
        <Button icon={StepForward} disabled={problem !== null} onClick={step}>
          Step
        </Button>
      </Tip>
      <Tip text="Reads all pages" keys={printed('mod+enter')}>
        <Button look="primary" icon={Play} disabled={problem !== null} onClick={() => void started('run')}>
          Run
        </Button>
      </Tip>
    </>
  )
}
