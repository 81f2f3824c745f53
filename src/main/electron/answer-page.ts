import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import type { createDesktopSettings } from './desktop-settings.ts'

export interface AnswerPageOptions {
  readonly isOwn: (url: string) => boolean
  readonly sessionBearer: string
  readonly showDataFolder: () => Promise<void>
  readonly moveDataFolder: () => Promise<void>
  readonly changePassphrase: (change: unknown) => Promise<void>
  readonly takePath: () => string | null
  readonly settings: ReturnType<typeof createDesktopSettings>
}

/** Handles the preload's requests if they come from our own page in the main frame. */
export function answerPage({
  isOwn,
  sessionBearer,
  showDataFolder,
  moveDataFolder,
  changePassphrase,
  takePath,
  settings,
}: AnswerPageOptions): void {
  const answer = (channel: string, give: (given: unknown) => unknown) =>
    ipcMain.handle(channel, async (event, given: unknown) => {
      if (!isAskedByPage(event, isOwn)) throw new Error(`${channel} is for Millrace's own page`)
      return give(given)
    })
  answer('desktop:session-bearer', () => sessionBearer)
  answer('desktop:show-data-folder', showDataFolder)
  answer('desktop:move-data-folder', moveDataFolder)
  answer('desktop:change-passphrase', changePassphrase)
  answer('desktop:take-path', takePath)
  answer('desktop:settings', () => settings.read())
  answer('desktop:change-settings', (given) => settings.change(given))
}

/**
 * Checks `origin` rather than `url`, because webhook responses are sandboxed, so their frames don't have our
 * origin.
 */
function isAskedByPage({ senderFrame }: IpcMainInvokeEvent, isOwn: (url: string) => boolean): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwn(senderFrame.origin)
}
