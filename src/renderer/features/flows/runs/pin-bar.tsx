import { Link } from '@tanstack/react-router'
import { Pin } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { pinStepRoute, unpinStepRoute } from '../../../../shared/contract/step-pins.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Time } from '../../../components/values/time.tsx'
import { announceFailure, attempt } from '../../../components/screen/toast.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { t } from '../../../lib/i18n.ts'
import { isSame } from '../model/draft.ts'
import { useRunPanel } from '../state/editor-context.tsx'

/** Says that test runs use the pinned value instead of running this step, and lets it be changed or removed. */
export function PinBar({ refId }: { readonly refId: string }) {
  const pins = useRunPanel((state) => state.pins)
  const origins = useRunPanel((state) => state.pinOrigins)
  const unpinned = useRunPanel((state) => state.unpinned)
  const [editing, setEditing] = useState(false)
  if (!Object.hasOwn(pins, refId)) return null
  return (
    <div className="flex min-h-8 shrink-0 items-center gap-2 border-b border-line bg-paused-soft px-4 text-sm">
      <Pin size={13} aria-hidden className="shrink-0 text-paused" />
      <span className="min-w-0 flex-1">
        {t('Pinned. Test runs use this value instead of running the step. Production runs ignore it.')}{' '}
        <Origin refId={refId} />
      </span>
      <Button look="quiet" className="h-6" needs={pinStepRoute} onClick={() => setEditing(true)}>
        {t('Change')}
      </Button>
      <Button
        look="quiet"
        className="h-6"
        needs={unpinStepRoute}
        onClick={() => void attempt(t('Couldn’t unpin value'), () => unpinned(refId))}
      >
        {t('Unpin')}
      </Button>
      {editing ? (
        <PinDialog
          refId={refId}
          value={pins[refId]}
          runId={origins[refId]?.flow_run_id ?? undefined}
          onClose={() => setEditing(false)}
        />
      ) : null}
    </div>
  )
}

/** Who pinned it, when, and from which run. */
function Origin({ refId }: { readonly refId: string }) {
  const origin = useRunPanel((state) => state.pinOrigins[refId])
  if (origin === undefined) return null
  const { pinned_at: at, pinned_by: by, flow_run_id: runId } = origin
  const time = <Time at={at} />
  return (
    <span className="text-muted">
      {by === null ? (
        <Trans text="Pinned <time/>" parts={{ time }} />
      ) : (
        <Trans
          text="Pinned <time/> by <name/>"
          parts={{ time, name: <b className="font-medium">{by.name}</b> }}
        />
      )}
      {runId === null ? null : (
        <>
          {', '}
          <Link to="/runs/$runId" params={{ runId }} className="rounded-sm text-accent-text hover:underline">
            {t('from this run')}
          </Link>
        </>
      )}
    </span>
  )
}

interface PinDialogProps {
  readonly refId: string
  readonly value: unknown
  /** The run that produced the value; a typed value comes from none. */
  readonly runId?: string | undefined
  readonly onClose: () => void
}

/** The step's value in test runs, as JSON. */
export function PinDialog({ refId, value, runId, onClose }: PinDialogProps) {
  const pinned = useRunPanel((state) => state.pinned)
  const [draft, setDraft] = useState(value)

  function save() {
    void pinned(refId, draft, isSame(draft, value) ? runId : undefined).then(onClose, (error: unknown) =>
      announceFailure(t('Couldn’t pin value'), error),
    )
  }

  return (
    <Dialog
      open
      title={t('Pinned value of {{refId}}', { refId })}
      unsaved={draft !== value}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" data-first-focus onClick={save}>
            {t('Pin value')}
          </Button>
        </>
      }
    >
      <JsonField
        label={t('Value')}
        hint={t('Value of {{place}} in test runs and previews.', { place: `{{ ${refId} }}` })}
        value={draft}
        onChange={setDraft}
      />
    </Dialog>
  )
}
