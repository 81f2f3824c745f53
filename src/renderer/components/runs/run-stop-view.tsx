import { useState } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import {
  decideRunStopRoute,
  type RunStop,
  type STOP_DECISIONS,
} from '../../../shared/contract/reach/breakpoints.ts'
import { useApi } from '../../api/provider.tsx'
import { SkipForward, Square, StepForward } from '../../lib/icons.tsx'
import { t } from '../../lib/i18n.ts'
import { JsonField } from '../code/json-field.tsx'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { attempt } from '../screen/toast.tsx'
import { JsonTree } from '../values/json-tree.tsx'

interface RunStopViewProps {
  readonly runId: string
  readonly stop: RunStop
}

type Input = RunStop['input']

/** The step before which a run has stopped. Its input can be changed before it runs. */
export function RunStopView({ runId, stop }: RunStopViewProps) {
  const api = useApi()
  const [input, setInput] = useState<Input>(stop.input)
  const [readable, setReadable] = useState(true)
  const [skipping, setSkipping] = useState(false)
  const [busy, setBusy] = useState(false)
  const place =
    stop.iteration.length === 0
      ? stop.ref_id
      : t('{{refId}}, iteration {{iteration}}', {
          refId: stop.ref_id,
          iteration: stop.iteration.map((turn) => turn + 1).join('.'),
        })

  async function decide(what: (typeof STOP_DECISIONS)[number], result?: Json) {
    setBusy(true)
    const isChanged = input !== stop.input && (what === 'continue' || what === 'step')
    const body = {
      do: what,
      id: stop.id,
      ...(isChanged ? { input } : {}),
      ...(result === undefined ? {} : { result }),
    }
    await attempt(t('Couldn’t continue the run'), () =>
      api.call(decideRunStopRoute, { params: { id: runId }, body }),
    )
    setBusy(false)
  }

  return (
    <section
      aria-label={t('Stopped before {{place}}', { place })}
      className="flex flex-col gap-2 border-y border-line bg-paused-soft px-4 py-3"
    >
      <h3 className="font-medium">{t('Stopped before {{place}}', { place })}</h3>
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          needs={decideRunStopRoute}
          busy={busy}
          disabled={!readable}
          onClick={() => void decide('continue')}
        >
          {t('Continue')}
        </Button>
        <Button
          icon={StepForward}
          needs={decideRunStopRoute}
          busy={busy}
          disabled={!readable}
          onClick={() => void decide('step')}
        >
          {t('Step over')}
        </Button>
        <Button icon={SkipForward} needs={decideRunStopRoute} onClick={() => setSkipping(true)}>
          {t('Skip…')}
        </Button>
        <Button icon={Square} needs={decideRunStopRoute} busy={busy} onClick={() => void decide('stop')}>
          {t('Cancel run')}
        </Button>
      </div>
      <div className="grid gap-3 [grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))]">
        <JsonField
          label={t('Input of the step')}
          value={input}
          onChange={(value) => setInput(value as Input)}
          onReadable={setReadable}
        />
        {stop.data === null ? (
          <p className="text-muted">
            {t(
              'The data is too large to show here. To see its parts, open the output of the steps that ran.',
            )}
          </p>
        ) : (
          <div className="max-h-64 overflow-auto rounded border border-line bg-surface">
            <JsonTree value={stop.data} label={t('Data at this point')} />
          </div>
        )}
      </div>
      {skipping ? (
        <SkipDialog
          refId={stop.ref_id}
          onSkip={(result) => decide('skip', result)}
          onClose={() => setSkipping(false)}
        />
      ) : null}
    </section>
  )
}

interface SkipDialogProps {
  readonly refId: string
  readonly onSkip: (result: Json) => Promise<void>
  readonly onClose: () => void
}

function SkipDialog({ refId, onSkip, onClose }: SkipDialogProps) {
  const [result, setResult] = useState<unknown>({})
  const [readable, setReadable] = useState(true)
  const skip = async () => {
    if (!readable) return
    await onSkip(result as Json)
    onClose()
  }
  return (
    <Dialog
      open
      title={t('Skip {{refId}}', { refId })}
      onClose={onClose}
      onSubmit={skip}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" disabled={!readable} onClick={() => void skip()}>
            {t('Skip step')}
          </Button>
        </>
      }
    >
      <JsonField
        first
        label={t('Result in its place')}
        value={result}
        onChange={setResult}
        onReadable={setReadable}
      />
    </Dialog>
  )
}
