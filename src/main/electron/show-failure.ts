import { Notification } from 'electron'
import type { FailureNotice } from '../services/runs/failure-notices.ts'

/** Shows failed runs and other alarms as system notifications. A click brings the window to the front. */
export function showFailure(
  { kind, flow_name: name, count, message }: FailureNotice,
  onClick: () => void,
): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({
    title: kind !== 'failed' ? 'Millrace' : count === 1 ? 'A flow run failed' : `${count} flow runs failed`,
    body: message ?? name,
    silent: true,
  })
  notification.on('click', onClick)
  notification.show()
}
