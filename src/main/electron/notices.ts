/** Failed runs and other alarms as system notifications. */
import { Notification } from 'electron'
import type { Log } from '../services/kit/ports.ts'
import type { FailureNotice } from '../services/running/runs/failure-notices.ts'
import { fill, type Words } from './words.ts'

export interface NoticeHost {
  readonly words: () => Words
  /** Shows the window with this screen. */
  readonly open: (path: string) => void
  readonly log: Log
}

/** The visible notifications, because one that is garbage-collected no longer reacts to clicks. */
const shown = new Set<Notification>()
const MOST_SHOWN = 50

export function showNotice(notice: FailureNotice, host: NoticeHost): void {
  show(textOf(notice, host.words()), screenOf(notice), host)
}

export function announceUpdate(version: string, host: NoticeHost): void {
  const { updateAvailable, updateDetail } = host.words()
  show({ title: fill(updateAvailable, { version }), body: updateDetail }, '/settings', host)
}

/** @param screen the screen that a click opens */
function show(
  text: { readonly title: string; readonly body: string },
  screen: string,
  { open, log }: NoticeHost,
): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ ...text, silent: true })
  const forget = () => void shown.delete(notification)
  notification.on('click', () => {
    forget()
    open(screen)
  })
  notification.on('close', forget)
  notification.on('failed', (_event, reason) => {
    forget()
    log.warn({ reason }, 'The system did not show a notification')
  })
  shown.add(notification)
  // Some systems don't report that a notification was dismissed.
  if (shown.size > MOST_SHOWN) for (const oldest of [...shown].slice(0, 1)) shown.delete(oldest)
  notification.show()
}

function textOf({ kind, flow_name: name, count, message }: FailureNotice, words: Words) {
  if (kind !== 'failed') return { title: 'Millrace', body: message ?? name }
  return { title: count === 1 ? words.runFailed : fill(words.runsFailed, { count }), body: message ?? name }
}

function screenOf({ flow_id: flowId, flow_run_id: runId }: FailureNotice): string {
  if (runId) return `/runs/${runId}`
  return flowId ? `/flows/${flowId}` : '/'
}
