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
  webhook: { label: english('A webhook'), hint: english('Has its own URL. Each request starts a run') },
  schedule: {
    label: english('A schedule'),
    hint: english('Runs on a schedule, daily at 9:00 by default'),
  },
  empty: {
    label: english('Manual'),
    hint: english('No trigger. Start it manually, from another flow or by script'),
  },
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
          error={state.missing ? t('Enter a name for the flow.') : fieldsOf(failure).name?.[0]}
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
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t create flow')} />}
      </form>
    </Dialog>
  )
}

const IDLE = { busy: false, failure: null, missing: false }
