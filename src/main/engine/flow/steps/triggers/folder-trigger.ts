import { say } from '../../../../../shared/contract/base/message.ts'
import type { FOLDER_EVENTS } from '../../../../../shared/contract/step-types/triggers/folder-trigger.ts'
import { type Dictionary, dictionaryOf, isDictionary, keysOf } from '@millrace/jinja/data'
import type { FolderFile } from '../../model/ports.ts'
import type { StepRunner } from '../../model/compiled-step.ts'
import { atField } from '../support/read-input.ts'

export type FolderEvent = (typeof FOLDER_EVENTS)[number]
export type EventFile = Pick<FolderFile, 'path' | 'name' | 'size' | 'modifiedAt'>

/** Starts a flow for files in a folder. A run without input, which an editor starts, takes the newest file. */
export const folderTrigger: StepRunner<'folder_trigger'> = {
  outside: false,
  async run({ config }, scope) {
    const { input, ports } = scope
    if (!isDictionary(input) || keysOf(input).length > 0) return input
    const files = await atField(scope, 'config.path', ports.folders.list(config.path, config))
    const newest = files.toSorted((a, b) => a.modifiedAt - b.modifiedAt).at(-1)
    if (newest === undefined) throw scope.fail('validation', say('the folder has no such file to test with'))
    return fileInput('new', newest)
  },
}

/** The object that a run for a file begins with. */
export function fileInput(event: FolderEvent, { path, name, size, modifiedAt }: EventFile): Dictionary {
  const modified = new Date(modifiedAt)
  return dictionaryOf([
    ['event', event],
    ['path', path],
    ['name', name],
    ['size', size],
    ['modified_at', Number.isNaN(modified.getTime()) ? null : modified.toISOString()],
  ])
}
