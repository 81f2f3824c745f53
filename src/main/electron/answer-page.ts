import { ipcMain, shell, type IpcMainInvokeEvent } from 'electron'

export interface AnswerPageOptions {
  readonly isOwn: (url: string) => boolean
  readonly sessionBearer: string
  readonly dataDir: string
}

/** Handles the preload's requests if they come from our own page in the main frame. */
export function answerPage({ isOwn, sessionBearer, dataDir }: AnswerPageOptions): void {
  const answer = (channel: string, give: () => Promise<unknown>) =>
    ipcMain.handle(channel, async (event) => {
      if (!isAskedByPage(event, isOwn)) throw new Error(`${channel} is for Millrace's own page`)
      return give()
    })
  answer('desktop:session-bearer', () => Promise.resolve(sessionBearer))
  answer('desktop:show-data-folder', async () => {
    const problem = await shell.openPath(dataDir)
    if (problem) throw new Error(problem)
  })
}

/** `origin`, not `url`: webhook responses are sandboxed, so their frames don't have our origin. */
function isAskedByPage({ senderFrame }: IpcMainInvokeEvent, isOwn: (url: string) => boolean): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwn(senderFrame.origin)
}
