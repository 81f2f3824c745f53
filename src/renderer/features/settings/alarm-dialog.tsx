import { useState } from 'react'
import {
  ALARM_EVENTS,
  type AlarmEvent,
  type AlarmReceiver,
  createAlarmRoute,
  type ReceiverKind,
  updateAlarmRoute,
} from '../../../shared/contract/alarms.ts'
import { useFlowsByName } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { AddressesInput } from '../../components/alarms/alarm-fields.tsx'
import { FlowSelect } from '../../components/alarms/flow-select.tsx'
import { IconButton } from '../../components/controls/button.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { english, t } from '../../lib/i18n.ts'
import { X } from '../../lib/icons.tsx'
import { ALARMS, EVENTS } from './alarms.ts'

type Draft = Omit<AlarmReceiver, 'id' | 'settings_of' | 'created_at' | 'updated_at'>
type Errors = Readonly<Record<string, readonly string[]>>

/** The problem of a list as a whole, or of its first invalid item. */
const faultIn = (errors: Errors, name: string): string | undefined =>
  Object.entries(errors).find(([path]) => path === name || path.startsWith(`${name}[`))?.[1][0]

interface AlarmDialogProps {
  /** Null for a new one. */
  readonly alarm: AlarmReceiver | null
  readonly onClose: () => void
}

/** Who is notified, and of what. */
export function AlarmDialog({ alarm, onClose }: AlarmDialogProps) {
  const api = useApi()
  const [draft, setDraft] = useState<Draft>(alarm ?? NEW)
  const set = (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch }))

  async function save() {
    const { kind, email_to, flow_id, url, flows, flow_ids } = draft
    const events = draft.events.filter((event) => kind === 'flow' || event !== 'run_failed')
    const body = { kind, email_to, flow_id, url, events, flows, flow_ids }
    const saved =
      alarm === null
        ? api.call(createAlarmRoute, { body })
        : api.call(updateAlarmRoute, { params: { id: alarm.id }, body })
    await cached(api, ALARMS).getState().after(saved)
  }

  return (
    <SaveDialog
      title={alarm === null ? t('New alarm') : t('Edit alarm')}
      action={t('Save alarm')}
      failed={t('Couldn’t save alarm')}
      saved={t('Alarm saved')}
      onSave={save}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label={t('Notify')} error={errors['kind']?.[0]}>
            <Select value={draft.kind} onChange={(kind) => set({ kind })} options={kindOptions()} />
          </Field>
          <TargetField draft={draft} errors={errors} set={set} />
          <EventSwitches draft={draft} errors={errors} set={set} />
          <FlowsField draft={draft} errors={errors} set={set} />
        </>
      )}
    </SaveDialog>
  )
}

const NEW: Draft = {
  kind: 'email',
  email_to: [],
  flow_id: null,
  url: null,
  events: ['failed', 'recovered'],
  flows: 'all',
  flow_ids: [],
}

const kindOptions = (): { readonly value: ReceiverKind; readonly label: string }[] => [
  { value: 'notification', label: t('In the app') },
  { value: 'email', label: t('By email') },
  { value: 'flow', label: t('With a flow') },
  { value: 'url', label: t('At a URL') },
]

interface PartProps {
  readonly draft: Draft
  readonly errors: Errors
  readonly set: (patch: Partial<Draft>) => void
}

function TargetField({ draft: { kind, email_to, flow_id, url }, errors, set }: PartProps) {
  if (kind === 'email')
    return (
      <Field label={t('Email addresses')} hint={t('Comma-separated.')} error={faultIn(errors, 'email_to')}>
        <AddressesInput value={email_to} onChange={(to) => set({ email_to: to })} />
      </Field>
    )
  if (kind === 'flow')
    return (
      <Field
        label={t('Flow to start')}
        hint={t('It can use {{ alarm_message }}, {{ alarm_kind }} and {{ alarm_flow_name }}.')}
        error={errors['flow_id']?.[0]}
      >
        <FlowSelect value={flow_id} onChange={(id) => set({ flow_id: id })} />
      </Field>
    )
  if (kind === 'notification') return null
  return (
    <Field
      label={t('URL')}
      hint={t('Receives each alarm as JSON in a POST request.')}
      error={errors['url']?.[0]}
    >
      <TextInput
        mono
        value={url ?? ''}
        placeholder="https://alerts.example.com/millrace"
        onChange={(text) => set({ url: text.trim() === '' ? null : text.trim() })}
      />
    </Field>
  )
}

function EventSwitches({ draft: { kind, events }, errors, set }: PartProps) {
  const toggle = (event: AlarmEvent, on: boolean) =>
    set({ events: ALARM_EVENTS.filter((one) => (one === event ? on : events.includes(one))) })
  const error = faultIn(errors, 'events')
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">{t('Events')}</legend>
      {ALARM_EVENTS.filter((event) => kind === 'flow' || event !== 'run_failed').map((event) => (
        <Switch
          key={event}
          label={t(EVENTS[event])}
          {...(event === 'run_failed' ? { hint: t(EACH_RUN) } : {})}
          checked={events.includes(event)}
          onChange={(on) => toggle(event, on)}
        />
      ))}
      {error === undefined ? null : (
        <p role="alert" className="text-error">
          {error}
        </p>
      )}
    </fieldset>
  )
}

const EACH_RUN = english(
  'Starts the flow at once for every failed run, including drafts and manual runs. The flow can use {{ error_message }} and {{ error_step }}.',
)

function FlowsField({ draft: { flows, flow_ids: ids }, errors, set }: PartProps) {
  const all = useFlowsByName()
  const nameOf = (id: string) => all.find((flow) => flow.id === id)?.name ?? id
  return (
    <>
      <Field label={t('Flows')} error={errors['flows']?.[0]}>
        <Select
          value={flows}
          onChange={(next) => set({ flows: next })}
          options={[
            { value: 'all', label: t('All active flows') },
            { value: 'default', label: t('Flows without their own alarms') },
            { value: 'chosen', label: t('Chosen flows') },
          ]}
        />
      </Field>
      {flows === 'chosen' ? (
        <>
          <ul className="flex flex-col gap-1 empty:hidden">
            {ids.map((id) => (
              <li key={id} className="flex items-center justify-between gap-2">
                <span className="min-w-0 truncate">{nameOf(id)}</span>
                <IconButton
                  small
                  icon={X}
                  label={t('Remove {{name}}', { name: nameOf(id) })}
                  onClick={() => set({ flow_ids: ids.filter((one) => one !== id) })}
                />
              </li>
            ))}
          </ul>
          <Field label={t('Add a flow')} error={faultIn(errors, 'flow_ids')}>
            <Combo
              value=""
              onChange={(id) => set({ flow_ids: [...ids, id] })}
              options={all
                .filter(({ id }) => !ids.includes(id))
                .map(({ id, name }) => ({ value: id, label: name }))}
            />
          </Field>
        </>
      ) : null}
    </>
  )
}
