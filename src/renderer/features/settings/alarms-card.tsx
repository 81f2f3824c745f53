import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type AlarmReceiver,
  createAlarmRoute,
  deleteAlarmRoute,
  testAlarmRoute,
} from '../../../shared/contract/alarms.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { quoted } from '../../../shared/contract/base/message.ts'
import { SMTP_CONNECTOR_ID } from '../../../shared/contract/connectors.ts'
import { fieldsOf } from '../../api/failure.ts'
import { CONNECTOR_AUTHS, useFlowsByName } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { SilenceField } from '../../components/alarms/alarm-fields.tsx'
import { TestAlarm } from '../../components/alarms/test-alarm.tsx'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce, announceFailure, attempt, deleteWithUndo } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { BellRing, Pencil, Plus, Trash2 } from '../../lib/icons.tsx'
import { Trans } from '../../lib/trans.tsx'
import { AlarmDialog } from './alarm-dialog.tsx'
import { ALARMS, EVENTS } from './alarms.ts'
import type { SettingsDraft } from './setting-fields.tsx'

interface AlarmsCardProps extends SettingsDraft {
  readonly dirty: boolean
}

/** Who is notified of what, the mail server, and how long without a run makes a flow silent. */
export function AlarmsCard({ shown, dirty, failure, set }: AlarmsCardProps) {
  const fields = fieldsOf(failure)
  // A failure is shown by the status bar.
  const alarms = useResource(ALARMS).data ?? []
  const [edited, setEdited] = useState<AlarmReceiver | 'new' | null>(null)
  return (
    <Card
      stacked
      title={t('Alarms')}
      aside={
        <Button look="quiet" icon={Plus} needs={createAlarmRoute} onClick={() => setEdited('new')}>
          {t('Add alarm')}
        </Button>
      }
    >
      <p className="text-muted">
        {t(
          'Alarms report problems with active flows, at most once every ten minutes per flow, and once when the flow recovers.',
        )}
      </p>
      {alarms.length === 0 ? <p>{t('Nobody is notified.')}</p> : null}
      <ul aria-label={t('Alarms')} className="flex flex-col divide-y divide-line empty:hidden">
        {alarms.map((alarm) => (
          <AlarmRow key={alarm.id} alarm={alarm} onEdit={() => setEdited(alarm)} />
        ))}
      </ul>
      <SilenceField
        value={shown.alarms.silent_after_minutes}
        error={fields['alarms.silent_after_minutes']?.[0]}
        onChange={(silent_after_minutes) => set({ alarms: { ...shown.alarms, silent_after_minutes } })}
      />
      <MailFields shown={shown} errors={fields} set={set} />
      <TestAlarm flowId={null} dirty={dirty} />
      {edited === null ? null : (
        <AlarmDialog alarm={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </Card>
  )
}

function AlarmRow({ alarm, onEdit }: { readonly alarm: AlarmReceiver; readonly onEdit: () => void }) {
  const api = useApi()
  const flows = useFlowsByName()
  const nameOf = (id: string | null) => flows.find((flow) => flow.id === id)?.name ?? id ?? ''
  const { id, settings_of: owner } = alarm
  const name = targetOf(alarm, nameOf)

  const test = () =>
    attempt(t('Couldn’t send test alarm'), async () => {
      const sent = await api.call(testAlarmRoute, { params: { id } })
      const text = translateMessage(sent.message, sent)
      if (sent.ok) announce(text)
      else announceFailure(t('Couldn’t send test alarm'), new AppError('unavailable', quoted(text)))
    })

  return (
    <li className="flex items-center gap-2 py-2">
      <div className="flex min-w-0 flex-1 flex-col">
        <p className="truncate" title={name}>
          {name}
        </p>
        <p className="text-sm text-muted">
          {alarm.events.map((event) => t(EVENTS[event])).join(', ')} ·{' '}
          {owner === null ? (
            scopeOf(alarm, nameOf)
          ) : (
            <Trans
              text="in the settings of <flow/>"
              parts={{
                flow: (
                  <Link
                    to="/flows/$flowId"
                    params={{ flowId: owner }}
                    className="rounded-sm text-accent-text underline"
                  >
                    {nameOf(owner)}
                  </Link>
                ),
              }}
            />
          )}
        </p>
      </div>
      <IconButton
        small
        icon={BellRing}
        needs={testAlarmRoute}
        label={t('Test {{name}}', { name })}
        onClick={() => void test()}
      />
      {owner === null ? (
        <>
          <IconButton
            small
            icon={Pencil}
            needs={createAlarmRoute}
            label={t('Edit {{name}}', { name })}
            onClick={onEdit}
          />
          <IconButton
            small
            icon={Trash2}
            needs={deleteAlarmRoute}
            label={t('Delete {{name}}', { name })}
            onClick={() =>
              deleteWithUndo(
                api,
                deleteAlarmRoute,
                { params: { id } },
                { id, name, text: t('Alarm “{{name}}” deleted', { name }) },
              )
            }
          />
        </>
      ) : null}
    </li>
  )
}

type NameOf = (flowId: string | null) => string

function targetOf({ kind, email_to: to, flow_id: id, url }: AlarmReceiver, nameOf: NameOf): string {
  if (kind === 'email') return t('Email to {{to}}', { to: to.join(', ') })
  if (kind === 'flow') return t('Flow “{{name}}”', { name: nameOf(id) })
  return url ?? t('In the app')
}

function scopeOf({ flows, flow_ids: ids }: AlarmReceiver, nameOf: NameOf): string {
  if (flows === 'all') return t('All active flows')
  if (flows === 'default') return t('Flows without their own alarms')
  return ids.length > 2 ? plural(ids.length, 'flow') : ids.map(nameOf).join(', ')
}

interface PartProps extends Pick<SettingsDraft, 'shown' | 'set'> {
  readonly errors: Readonly<Record<string, readonly string[] | undefined>>
}

function MailFields({ shown: { alarm_mail: mail }, errors, set }: PartProps) {
  // Without the list, the chosen auth is shown by its ID.
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
