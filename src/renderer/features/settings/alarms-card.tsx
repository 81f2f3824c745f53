import { ALARM_KINDS, type AlarmKind } from '../../../shared/contract/alarms.ts'
import { SMTP_CONNECTOR_ID } from '../../../shared/contract/connectors.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { faultInList, fieldsOf } from '../../api/failure.ts'
import { CONNECTOR_AUTHS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { AlarmFields } from '../../components/alarms/alarm-fields.tsx'
import { FlowSelect } from '../../components/alarms/flow-select.tsx'
import { TestAlarm } from '../../components/alarms/test-alarm.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { Card } from '../../components/screen/page.tsx'
import { type English, english, t } from '../../lib/i18n.ts'
import type { SettingsDraft } from './setting-fields.tsx'

interface AlarmsCardProps extends SettingsDraft {
  readonly dirty: boolean
}

/** The defaults of all flows, the mail server, and the hook for all flows. */
export function AlarmsCard({ shown, dirty, failure, set }: AlarmsCardProps) {
  const fields = fieldsOf(failure)
  return (
    <Card stacked title={t('Alarms')}>
      <p className="text-muted">
        {t(
          'Applies to active flows without their own alarm settings. You get at most one alarm every ten minutes per flow, and one when the flow recovers.',
        )}
      </p>
      <AlarmFields
        alarms={shown.alarms}
        errors={{
          silent_after_minutes: fields['alarms.silent_after_minutes']?.[0],
          email_to: faultInList(failure, 'alarms.email_to'),
          flow_id: fields['alarms.flow_id']?.[0],
        }}
        onChange={(alarms) => set({ alarms })}
      />
      <MailFields shown={shown} errors={fields} set={set} />
      <HookFields shown={shown} errors={fields} set={set} />
      <TestAlarm flowId={null} dirty={dirty} />
    </Card>
  )
}

interface PartProps extends Pick<SettingsDraft, 'shown' | 'set'> {
  readonly errors: Readonly<Record<string, readonly string[] | undefined>>
}

function MailFields({ shown: { alarm_mail: mail }, errors, set }: PartProps) {
  // Without the list, the chosen auth keeps its ID as its name.
  const auths = useResource(CONNECTOR_AUTHS).data ?? []
  const chosen = mail?.auth_id ?? NONE
  const named = auths
    .filter((auth) => auth.connector_id === SMTP_CONNECTOR_ID)
    .map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Field
        label={t('Mail server')}
        optional
        hint={t('Select a connector auth for SMTP. Without one, alarms can’t be sent by email.')}
        error={errors['alarm_mail.auth_id']?.[0]}
      >
        <Select
          value={chosen}
          onChange={(id) =>
            set({ alarm_mail: id === NONE ? null : { auth_id: id, from: mail?.from ?? null } })
          }
          options={[
            { value: NONE, label: t('No mail server') },
            ...named,
            ...(chosen === NONE || named.some(({ value }) => value === chosen)
              ? []
              : [{ value: chosen, label: chosen }]),
          ]}
        />
      </Field>
      {mail === null ? null : (
        <Field
          label={t('Sender')}
          optional
          hint={t('Leave empty to use the mail server’s username.')}
          error={errors['alarm_mail.from']?.[0]}
        >
          <TextInput
            value={mail.from ?? ''}
            placeholder="millrace@example.com"
            onChange={(text) =>
              set({ alarm_mail: { ...mail, from: text.trim() === '' ? null : text.trim() } })
            }
          />
        </Field>
      )}
    </>
  )
}

const NONE = 'none'

function HookFields({ shown: { event_hook: hook }, errors, set }: PartProps) {
  const change = (patch: Partial<NonNullable<Settings['event_hook']>>) =>
    hook && set({ event_hook: { ...hook, ...patch } })
  const toggle = (kind: AlarmKind, on: boolean) =>
    hook &&
    change({ events: ALARM_KINDS.filter((name) => (name === kind ? on : hook.events.includes(name))) })
  return (
    <>
      <Switch
        label={t('Hook for all flows')}
        hint={t('Receives the events of all active flows, regardless of their settings.')}
        checked={hook !== null}
        onChange={(on) =>
          set({ event_hook: on ? { events: [...ALARM_KINDS], flow_id: null, url: null } : null })
        }
      />
      {hook === null ? null : (
        <div className="flex flex-col gap-4 border-l border-line pl-4">
          {ALARM_KINDS.map((kind) => (
            <Switch
              key={kind}
              label={t(EVENTS[kind])}
              checked={hook.events.includes(kind)}
              onChange={(on) => toggle(kind, on)}
            />
          ))}
          {errors['event_hook.events'] === undefined ? null : (
            <p role="alert" className="text-error">
              {errors['event_hook.events'][0]}
            </p>
          )}
          <Field
            label={t('Hook URL')}
            optional
            hint={t('Receives each alarm as JSON in a POST request.')}
            error={errors['event_hook.url']?.[0]}
          >
            <TextInput
              mono
              value={hook.url ?? ''}
              placeholder="https://alerts.example.com/millrace"
              onChange={(text) => change({ url: text.trim() === '' ? null : text.trim() })}
            />
          </Field>
          <Field label={t('Hook flow')} optional error={errors['event_hook.flow_id']?.[0]}>
            <FlowSelect value={hook.flow_id} onChange={(flow_id) => change({ flow_id })} />
          </Field>
        </div>
      )}
    </>
  )
}

const EVENTS: { readonly [K in AlarmKind]: English } = {
  failed: english('A flow failed'),
  silent: english('A flow is silent'),
  missed: english('A flow missed its time'),
  recovered: english('A flow works again'),
}
