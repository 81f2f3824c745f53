import { Notification } from 'electron'
import type { FailureNotice } from '../services/runs/failure-notices.ts'

/** Shows failed runs as system notifications. A click brings the window to the front. */
export function showFailure({ flow_name: name, count }: FailureNotice, onClick: () => void): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({
    title: count === 1 ? 'A flow run failed' : `${count} flow runs failed`,
    body: name,
    silent: true,
  })
  notification.on('click', onClick)
  notification.show()
}
