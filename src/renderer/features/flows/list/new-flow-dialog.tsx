import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { StepInput } from '../../../../shared/contract/steps.ts'
import { asAppError, fieldsOf } from '../../../api/failure.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { useFlows } from '../state/flows-store.ts'

const STARTS = {
  webhook: { label: english('A webhook'), hint: english('An address of its own; each request starts a run') },
  schedule: {
    label: english('A schedule'),
    hint: english('Runs at its times, every day at nine to begin with'),
  },
  empty: { label: english('By hand'), hint: english('No trigger; you, another flow or a script starts it') },
} as const
type Start = keyof typeof STARTS

const FIRST_STEPS: { readonly [S in Start]: StepInput[] } = {
  webhook: [{ ref_id: 'web1', type: 'webhook' }],
  schedule: [{ ref_id: 'schedule', type: 'schedule', config: { interval: 'daily', at: '09:00' } }],
  empty: [],
}

export function NewFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const create = useFlows((state) => state.create)
  const [name, setName] = useState('')
  const [start, setStart] = useState<Start>('webhook')
  const [state, setState] = useState<{ busy: boolean; failure: unknown; missing: boolean }>(IDLE)
  // If the submit button is elsewhere, Enter in a field still submits the form.
  const form = useId()
  const failure = state.failure === null ? null : asAppError(state.failure)

  async function submit() {
    if (name.trim() === '') {
      setState({ ...IDLE, missing: true })
      return
    }
    setState({ ...IDLE, busy: true })
    try {
      const flow = await create(name.trim(), FIRST_STEPS[start])
      await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
    } catch (error) {
      setState({ ...IDLE, failure: error })
    }
  }

  return (
    <Dialog
      open
      title={t('New flow')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" form={form} busy={state.busy}>
            {t('Create flow')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Field
          label={t('Name')}
          error={state.missing ? t('Give the flow a name.') : fieldsOf(failure).name?.[0]}
        >
          <TextInput value={name} onChange={setName} placeholder={t('Forward orders to the warehouse')} />
        </Field>
        <Field label={t('Started by')}>
          <Select
            value={start}
            onChange={setStart}
            options={(Object.keys(STARTS) as Start[]).map((value) => ({
              value,
              label: t(STARTS[value].label),
              hint: t(STARTS[value].hint),
            }))}
          />
        </Field>
        {failure === null ? null : <ErrorNotice error={failure} title={t('The flow was not created')} />}
      </form>
    </Dialog>
  )
}

const IDLE = { busy: false, failure: null, missing: false }
