import { BellRing } from '../../lib/icons.tsx'
import { useState } from 'react'
import { type ReceiverKind, type SentAlarm, testAlarmsRoute } from '../../../shared/contract/alarms.ts'
import { useApi } from '../../api/provider.tsx'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { attempt } from '../screen/toast.tsx'

interface TestAlarmProps {
  /** Null tests all alarms except those in the settings of flows. */
  readonly flowId: string | null
  /** Whether there are unsaved changes. The test uses the saved settings. */
  readonly dirty: boolean
}

export function TestAlarm({ flowId, dirty }: TestAlarmProps) {
  const api = useApi()
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState<readonly SentAlarm[] | null>(null)

  async function send() {
    setBusy(true)
    await attempt(t('Couldn’t send test alarm'), async () =>
      setSent(await api.call(testAlarmsRoute, { body: { flow_id: flowId } })),
    )
    setBusy(false)
  }

  return (
    <div className="flex flex-col items-start gap-2">
      <Button icon={BellRing} disabled={dirty} busy={busy} onClick={() => void send()}>
        {t('Send test alarm')}
      </Button>
      <div role="status" className="text-sm">
        {dirty ? (
          <span className="text-muted">{t('Save first. A test uses the saved settings.')}</span>
        ) : null}
        {sent === null || dirty ? null : <Outcomes sent={sent} />}
      </div>
    </div>
  )
}

function Outcomes({ sent }: { readonly sent: readonly SentAlarm[] }) {
  if (sent.length === 0) return <span>{t('Nobody would be notified. Choose at least one way.')}</span>
  return (
    <ul>
      {sent.map((one) => (
        <li key={one.alarm_id} className={one.ok ? '' : 'text-error'}>
          {t(CHANNELS[one.channel])}: {translateMessage(one.message, one)}
        </li>
      ))}
    </ul>
  )
}

const CHANNELS: { readonly [C in ReceiverKind]: English } = {
  notification: english('Notification'),
  email: english('Email'),
  flow: english('Flow'),
  url: english('URL'),
}
