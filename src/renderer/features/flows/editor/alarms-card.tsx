import { DEFAULT_ALARMS } from '../../../../shared/contract/alarms.ts'
import type { FlowSettings } from '../../../../shared/contract/flows.ts'
import { AlarmFields } from '../../../components/alarms/alarm-fields.tsx'
import { TestAlarm } from '../../../components/alarms/test-alarm.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { Card } from '../../../components/screen/page.tsx'
import { t } from '../../../lib/i18n.ts'

interface AlarmsCardProps {
  /** Null until the flow is stored. */
  readonly flowId: string | null
  readonly alarms: FlowSettings['alarms']
  readonly dirty: boolean
  /** By their path: `settings.alarms.flow_id`. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (alarms: FlowSettings['alarms']) => void
}

export function AlarmsCard({ flowId, alarms, dirty, errors, onChange }: AlarmsCardProps) {
  const email = Object.keys(errors).find((path) => path.startsWith('settings.alarms.email_to'))
  return (
    <Card stacked title={t('Alarms')}>
      <Field
        label={t('Notify me')}
        hint={t('While the flow is active: at most once every ten minutes, and when it works again.')}
      >
        <Select
          value={alarms === null ? 'default' : 'own'}
          onChange={(choice) => onChange(choice === 'own' ? DEFAULT_ALARMS : null)}
          options={[
            { value: 'default', label: t('Same as in Settings') },
            { value: 'own', label: t('Custom for this flow') },
          ]}
        />
      </Field>
      {alarms === null ? null : (
        <AlarmFields
          alarms={alarms}
          exceptFlow={flowId ?? undefined}
          errors={{
            silent_after_minutes: errors['settings.alarms.silent_after_minutes'],
            email_to: email === undefined ? undefined : errors[email],
            flow_id: errors['settings.alarms.flow_id'],
          }}
          onChange={onChange}
        />
      )}
      {flowId === null ? null : <TestAlarm flowId={flowId} dirty={dirty} />}
    </Card>
  )
}
