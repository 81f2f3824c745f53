import { useState } from 'react'
import { removeBreakpointRoute, setBreakpointRoute } from '../../../../shared/contract/reach/breakpoints.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Field, Switch, TextInput } from '../../../components/controls/field.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { t } from '../../../lib/i18n.ts'
import { useRunPanel } from '../state/editor-context.tsx'

interface BreakpointDialogProps {
  readonly refId: string
  readonly onClose: () => void
}

/** Whether runs stop before a step, and when. */
export function BreakpointDialog({ refId, onClose }: BreakpointDialogProps) {
  const known = useRunPanel((state) => state.breakpoints[refId])
  const breakpointSet = useRunPanel((state) => state.breakpointSet)
  const [condition, setCondition] = useState(known?.condition ?? '')
  const [realRuns, setRealRuns] = useState(known?.real_runs ?? false)

  async function change(body: { readonly condition: string; readonly real_runs: boolean } | null) {
    await attempt(t('Couldn’t change breakpoint'), async () => {
      await breakpointSet(refId, body)
      onClose()
    })
  }
  const save = () => change({ condition, real_runs: realRuns })

  return (
    <Dialog
      open
      title={t('Breakpoint before {{refId}}', { refId })}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          {known === undefined ? null : (
            <Button needs={removeBreakpointRoute} onClick={() => void change(null)}>
              {t('Remove breakpoint')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" needs={setBreakpointRoute} onClick={() => void save()}>
            {known === undefined ? t('Set breakpoint') : t('Save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t('Test runs stop before this step. You see the data and can change the step’s input.')}
        </p>
        <Field label={t('Condition')} optional hint={t('Without a condition, they stop every time.')}>
          <TextInput mono value={condition} placeholder="{{ item.total > 100 }}" onChange={setCondition} />
        </Field>
        <Switch
          label={t('Also for real runs')}
          hint={t('They wait until you continue them, even if Millrace restarts.')}
          checked={realRuns}
          onChange={setRealRuns}
        />
      </div>
    </Dialog>
  )
}
