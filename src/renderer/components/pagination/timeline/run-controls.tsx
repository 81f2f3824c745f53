import { FlaskConical, Pause, Play, SkipForward, Square, StepForward } from '../../../lib/icons.tsx'
import { Button, Tip } from '../../controls/button.tsx'
import { printed, useShortcut } from '../../screen/shortcuts.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { readConfigText } from '../state/config-text.ts'
import { usePagination } from '../state/pagination-store.ts'
import { missingIn } from '../state/test-form.ts'

const GROUP = english('Pagination tester')

/**
 * Starts a test (complete, page by page or as a dry run), then pauses, continues and cancels it.
 *
 * @param isSecond whether the screen has another main button
 */
export function RunControls({ isSecond = false }: { readonly isSecond?: boolean }) {
  const look = isSecond ? 'secondary' : 'primary'
  const status = usePagination((state) => state.progress.status)
  const isReady = usePagination((state) => state.progress.id !== null)
  const form = usePagination((state) => state.form)
  const started = usePagination((state) => state.started)
  const continued = usePagination((state) => state.continued)
  const cancelled = usePagination((state) => state.cancelled)
  const underWay = status === 'running' || status === 'paused'
  const problem =
    missingIn(form) ??
    ('problem' in readConfigText(form.configText) ? t('Invalid JSON in the configuration') : null)
  const canStart = !underWay && problem === null

  useShortcut(
    { keys: 'mod+enter', label: t('Run test'), group: t(GROUP) },
    () => void started('run'),
    canStart,
  )
  useShortcut(
    { keys: 'alt+n', label: t('Read one page'), group: t(GROUP) },
    step,
    canStart || status === 'paused',
  )
  useShortcut({ keys: 'alt+c', label: t('Cancel test'), group: t(GROUP) }, cancelled, underWay)

  function step() {
    if (status === 'paused') void continued(1)
    else void started('step')
  }

  if (underWay)
    return (
      <>
        {status === 'paused' ? (
          <>
            <Button look={look} icon={StepForward} onClick={step}>
              {t('Next page')}
            </Button>
            <Button icon={SkipForward} onClick={() => void continued(null)}>
              {t('Continue')}
            </Button>
          </>
        ) : (
          <Button icon={Pause} disabled={!isReady} onClick={() => void continued(0)}>
            {t('Pause')}
          </Button>
        )}
        <Button icon={Square} onClick={cancelled}>
          {t('Cancel')}
        </Button>
      </>
    )
  return (
    <>
      {problem === null ? null : <span className="mr-1 max-w-64 truncate text-sm text-muted">{problem}</span>}
      <Tip text={t('Sends the first request and shows the second without sending it')}>
        <Button icon={FlaskConical} disabled={problem !== null} onClick={() => void started('dry')}>
          {t('Dry run')}
        </Button>
      </Tip>
      <Tip text={t('Reads one page and pauses')} keys={printed('alt+n')}>
        <Button icon={StepForward} disabled={problem !== null} onClick={step}>
          {t('Step')}
        </Button>
      </Tip>
      <Tip text={t('Reads all pages')} keys={printed('mod+enter')}>
        <Button look={look} icon={Play} disabled={problem !== null} onClick={() => void started('run')}>
          {t('Run')}
        </Button>
      </Tip>
    </>
  )
}
