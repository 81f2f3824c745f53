import { powerMonitor, powerSaveBlocker } from 'electron'
import type { Application } from '../host/application.ts'

/** Immediately starts what became due while the computer was asleep. Otherwise that would take up to a minute. */
export function lookAfterSleep({ look }: Pick<Application, 'look'>): void {
  powerMonitor.on('resume', () => void look())
}

/**
 * The time that the blocker stays on after a run, because a busy flow would otherwise switch it hundreds of times a
 * second.
 */
const RELEASE_AFTER_MS = 5_000

/** While runs are in progress, the system neither slows the program down (App Nap) nor goes to sleep. */
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
