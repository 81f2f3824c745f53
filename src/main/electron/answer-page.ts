import { ipcMain, type IpcMainInvokeEvent } from 'electron'

export interface AnswerPageOptions {
  readonly isOwn: (url: string) => boolean
  readonly sessionBearer: string
  readonly showDataFolder: () => Promise<void>
  readonly takePath: () => string | null
}

/** Handles the preload's requests if they come from our own page in the main frame. */
export function answerPage({ isOwn, sessionBearer, showDataFolder, takePath }: AnswerPageOptions): void {
  const answer = (channel: string, give: () => Promise<unknown>) =>
    ipcMain.handle(channel, async (event) => {
      if (!isAskedByPage(event, isOwn)) throw new Error(`${channel} is for Millrace's own page`)
      return give()
    })
  answer('desktop:session-bearer', () => Promise.resolve(sessionBearer))
  answer('desktop:show-data-folder', showDataFolder)
  answer('desktop:take-path', () => Promise.resolve(takePath()))
}

/** `origin`, not `url`: webhook responses are sandboxed, so their frames don't have our origin. */
function isAskedByPage({ senderFrame }: IpcMainInvokeEvent, isOwn: (url: string) => boolean): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwn(senderFrame.origin)
}
