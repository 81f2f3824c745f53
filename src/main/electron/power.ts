import { powerMonitor, powerSaveBlocker } from 'electron'
import type { Application } from '../application.ts'

/** Accepts at once what fell due while the machine was asleep; otherwise up to a minute passes. */
export function lookAfterSleep({ look }: Pick<Application, 'look'>): void {
  powerMonitor.on('resume', () => void look())
}

/** Between two runs, the blocker stays on for so long: a busy flow would switch it hundreds of times a second. */
const RELEASE_AFTER_MS = 5_000

/** While runs are being executed, the system doesn't slow the program down (App Nap) and the machine doesn't fall asleep. */
export function stayAwakeWhileBusy({ onBusy }: Pick<Application, 'onBusy'>): void {
  let blocker: number | null = null
  let timer: NodeJS.Timeout | undefined
  onBusy((isBusy) => {
    clearTimeout(timer)
    if (isBusy) blocker ??= powerSaveBlocker.start('prevent-app-suspension')
    else timer = setTimeout(release, RELEASE_AFTER_MS).unref()
  })
  function release(): void {
    if (blocker !== null) powerSaveBlocker.stop(blocker)
    blocker = null
  }
}
