/** Moves the data folder to a place that the user chooses, and restarts the app with it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserWindow, dialog } from 'electron'
import type { Config } from '../host/config.ts'
import { moveData } from '../host/move-data.ts'
import { relaunch } from './relaunch.ts'
import { fill, type Words } from './words.ts'

export interface FolderMoveHost {
  readonly config: Config
  readonly words: () => Words
  readonly window: () => BrowserWindow | null
  readonly stop: () => Promise<void>
}

export function createFolderMove({ config, words, window, stop }: FolderMoveHost) {
  return async (): Promise<void> => {
    const parent = window()
    if (parent === null) return
    const { moveTitle, moveQuestion, moveDetail, moveNow, cancel, moveFailed } = words()
    const { filePaths } = await dialog.showOpenDialog(parent, {
      title: moveTitle,
      properties: ['openDirectory', 'createDirectory'],
    })
    const [chosen] = filePaths
    if (chosen === undefined) return
    const to = isEmpty(chosen) ? chosen : join(chosen, 'Millrace')
    const { response } = await dialog.showMessageBox(parent, {
      type: 'question',
      message: fill(moveQuestion, { folder: to }),
      detail: moveDetail,
      buttons: [moveNow, cancel],
      defaultId: 0,
      cancelId: 1,
    })
    if (response !== 0) return
    await stop()
    try {
      await moveData(config, to)
    } catch (error) {
      dialog.showErrorBox(moveFailed, error instanceof Error ? error.message : String(error))
    }
    // Also restarts after a failure, which leaves the data where it was.
    relaunch()
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    // If it doesn't exist or can't be used, the move reports why.
    return true
  }
}
