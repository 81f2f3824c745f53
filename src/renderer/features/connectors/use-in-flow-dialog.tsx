import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Action } from '../../../shared/contract/connectors.ts'
import { useFlowsByName } from '../../api/lists.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field } from '../../components/controls/field.tsx'
import { t } from '../../lib/i18n.ts'
import { useTry } from './try-store.ts'
import type { TryDraft } from './try-store.ts'

interface UseInFlowDialogProps {
  readonly action: Action
  /** The name of the action, which a new flow gets, too. */
  readonly name: string
  readonly draft: TryDraft
  readonly onClose: () => void
}

const NEW = 'new'

/** Adds the tried call to a flow as its last step, and opens the flow. */
export function UseInFlowDialog({ action, name, draft, onClose }: UseInFlowDialogProps) {
  const navigate = useNavigate()
  const flows = useFlowsByName()
  const addToFlow = useTry((state) => state.addToFlow)
  const [chosen, setChosen] = useState(NEW)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })

  async function add() {
    setState({ busy: true, failure: null })
    try {
      const { flowId, refId } = await addToFlow(chosen === NEW ? { name } : { id: chosen }, action, draft)
      await navigate({ to: '/flows/$flowId', params: { flowId }, search: { step: refId } })
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  return (
    <Dialog
      open
      title={t('Use in a flow')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" busy={state.busy} onClick={() => void add()}>
            {chosen === NEW ? t('Create flow') : t('Add as last step')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('Flow')} hint={t('The step uses the connector auth and input entered here.')}>
          <Combo
            value={chosen}
            onChange={setChosen}
            options={[
              {
                value: NEW,
                label: t('A new flow'),
                hint: name,
              },
              ...flows.map((flow) => ({ value: flow.id, label: flow.name })),
            ]}
          />
        </Field>
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t add step')} />
        )}
      </div>
    </Dialog>
  )
}
