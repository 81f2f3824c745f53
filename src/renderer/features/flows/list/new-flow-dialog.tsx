import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { createFlowRoute, type Flow, updateWorkingCopyRoute } from '../../../../shared/contract/flows.ts'
import { STEP_TYPES, type StepType, TRIGGER_TYPES } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError, fieldsOf } from '../../../api/failure.ts'
import { FLOWS } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { cached } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t } from '../../../lib/i18n.ts'
import { newStep, STEP_FACES } from '../step-types/index.ts'
import { Form } from '../../../components/controls/form.tsx'

type Start = StepType | 'manual'

const STARTS = [...STEP_TYPES.filter((type) => TRIGGER_TYPES.includes(type)), 'manual'] as const

interface NewFlowDialogProps {
  /** The initially chosen trigger. */
  readonly start: string | undefined
  readonly onClose: () => void
}

export function NewFlowDialog({ start: wanted, onClose }: NewFlowDialogProps) {
  const navigate = useNavigate()
  const api = useApi()
  const [name, setName] = useState('')
  const [start, setStart] = useState<Start>(STARTS.find((one) => one === wanted) ?? 'webhook')
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
      const first = start === 'manual' ? null : newStep(start, STEP_FACES[start].refId)
      const flow = await cached(api, FLOWS)
        .getState()
        .after(createFlow(api, name.trim(), first))
      const search = first === null ? {} : { step: first.ref_id }
      await navigate({ to: '/flows/$flowId', params: { flowId: flow.id }, search })
    } catch (error) {
      setState({ ...IDLE, failure: error })
    }
  }

  return (
    <Dialog
      open
      title={t('New flow')}
      unsaved={!state.busy && name !== ''}
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
      <Form id={form} className="flex flex-col gap-4" onSubmit={submit}>
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
            options={STARTS.map((value) =>
              value === 'manual'
                ? {
                    value,
                    label: t('Manual'),
                    hint: t('No trigger. Start it manually, from another flow or by script'),
                  }
                : { value, label: t(STEP_FACES[value].label), hint: t(STEP_FACES[value].purpose) },
            )}
          />
        </Field>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t create flow')} />}
      </Form>
    </Dialog>
  )
}

/** Triggers that need nothing but their defaults. */
const READY_TRIGGERS: readonly string[] = ['webhook', 'schedule']

/** A first step that still lacks a required value becomes a draft change. */
async function createFlow(api: Pick<Api, 'call'>, name: string, first: Step | null): Promise<Flow> {
  const steps = first === null ? [] : [first]
  const isReady = first === null || READY_TRIGGERS.includes(first.type)
  const flow = await api.call(createFlowRoute, { body: { name, steps: isReady ? steps : [] } })
  if (!isReady) await api.call(updateWorkingCopyRoute, { params: { id: flow.id }, body: { steps } })
  return flow
}

const IDLE = { busy: false, failure: null, missing: false }
