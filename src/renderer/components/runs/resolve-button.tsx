import { useState } from 'react'
import {
  type Cause,
  type FlowRun,
  reopenFlowRunRoute,
  resolveCauseRoute,
  resolveFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { CircleCheck, Undo2 } from '../../lib/icons.tsx'
import { Button } from '../controls/button.tsx'
import { Field, TextArea } from '../controls/field.tsx'
import { SaveDialog } from '../screen/save-dialog.tsx'
import { attempt } from '../screen/toast.tsx'

/** Marks all failed runs with one cause as resolved. */
export function ResolveCauseButton({ cause, name }: { readonly cause: Cause; readonly name: string }) {
  const api = useApi()
  const { flow_id, ref_id, code, status } = cause
  return (
    <ResolveButton
      needs={resolveCauseRoute}
      label={t('Resolve failures of {{name}}', { name })}
      hint={t('If a run fails for this reason again, the cause is listed again.')}
      onResolve={(note) => api.call(resolveCauseRoute, { body: { flow_id, ref_id, code, status, note } })}
    />
  )
}

/** Marks a failed run as resolved, or a resolved one as open again. Shows nothing for other runs. */
export function ResolveRunButton({ run }: { readonly run: FlowRun }) {
  const api = useApi()
  const params = { id: run.id }
  if (run.status !== 'error') return null
  if (run.resolved !== undefined)
    return (
      <Button
        icon={Undo2}
        needs={reopenFlowRunRoute}
        title={run.resolved.note}
        onClick={() => void attempt(t('Couldn’t reopen run'), () => api.call(reopenFlowRunRoute, { params }))}
      >
        {t('Reopen')}
      </Button>
    )
  return (
    <ResolveButton
      needs={resolveFlowRunRoute}
      hint={t('The run is no longer listed under Failures by cause.')}
      onResolve={(note) => api.call(resolveFlowRunRoute, { params, body: { note } })}
    />
  )
}

interface ResolveButtonProps {
  readonly needs: typeof resolveCauseRoute | typeof resolveFlowRunRoute
  /** For screen readers, if there are several such buttons. */
  readonly label?: string
  readonly hint: string
  readonly onResolve: (note: string) => Promise<unknown>
}

function ResolveButton({ needs, label, hint, onResolve }: ResolveButtonProps) {
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState('')
  return (
    <>
      <Button
        icon={CircleCheck}
        needs={needs}
        {...(label === undefined ? {} : { 'aria-label': label })}
        onClick={() => setAsking(true)}
      >
        {t('Resolve…')}
      </Button>
      {asking ? (
        <SaveDialog
          title={t('Mark as resolved')}
          action={t('Resolve')}
          failed={t('Couldn’t resolve failures')}
          saved={t('Marked as resolved')}
          onSave={async () => void (await onResolve(note))}
          onClose={() => setAsking(false)}
        >
          {(errors) => (
            <Field label={t('Note')} optional hint={hint} error={errors['note']?.[0]}>
              <TextArea rows={3} value={note} onChange={setNote} />
            </Field>
          )}
        </SaveDialog>
      ) : null}
    </>
  )
}
