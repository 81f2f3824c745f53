/** Decides what a pull or push does about differences, and reports it. */
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { MissingItem } from '../../../shared/contract/flow-files.ts'
import type { SourceChange } from '../../engine/flow-source/changes.ts'
import type { ChangedIn } from './flow-sync.ts'

/** The action on a flow or test that was or would be taken; `keep` if the item only changed on the other side. */
export type Action = 'create' | 'change' | 'delete' | 'keep' | 'conflict' | 'fail'

export interface SyncedResult {
  readonly id: string
  readonly name: string
  readonly file: string | null
  readonly action: Action
  readonly changes: readonly SourceChange[]
  readonly missing?: readonly MissingItem[]
  readonly problems?: readonly string[]
  /** The reason why nothing was done, or what to do. */
  readonly message?: string
}

/** A flow or a test of one, in the folder and in Millrace. */
export interface Compared {
  readonly changedIn: ChangedIn
  /** Null if there is no file. */
  readonly local: object | null
  readonly stored: object | null
  readonly wasSynced: boolean
}

type Thing = 'flow' | 'test'

export function pullAction({ changedIn, local, stored }: Compared, force: boolean): Action | null {
  if (changedIn === 'none') return null
  if (changedIn === 'folder' && !(force && local === null)) return 'keep'
  if (changedIn === 'both' && !force) return 'conflict'
  if (stored === null) return 'delete'
  return local === null ? 'create' : 'change'
}

export function pullMessage(
  { changedIn, local, stored, wasSynced }: Compared,
  action: Action,
  thing: Thing,
): string | null {
  if (action === 'keep')
    return local === null
      ? `its file was deleted: "flow push --delete" deletes the ${thing}, "flow pull --force" writes the file again`
      : 'changed in the folder only: "flow push" saves it in Millrace'
  return action === 'conflict' && changedIn === 'both'
    ? `${conflictOf(local, stored, wasSynced, thing)}: "--force" takes the ${thing} from Millrace`
    : null
}

function conflictOf(local: object | null, stored: object | null, wasSynced: boolean, thing: Thing): string {
  if (local === null) return `its file was deleted, and the ${thing} changed in Millrace`
  if (stored === null) return 'it was deleted in Millrace, and its file changed'
  return wasSynced
    ? 'changed on both sides since the last pull or push'
    : "differs, and this folder was never pulled from here, so it isn't known which one is newer"
}

export function pushAction(
  { changedIn, local, stored }: Compared,
  { force, deletes }: { readonly force: boolean; readonly deletes: boolean },
): Action {
  if (changedIn === 'both' && !force) return 'conflict'
  if (local === null) return deletes && changedIn !== 'millrace' ? 'delete' : 'keep'
  if (changedIn === 'millrace' && !(force && stored === null)) return 'keep'
  return stored === null ? 'create' : 'change'
}

export function pushMessage(
  { changedIn, local, stored, wasSynced }: Compared,
  action: Action,
  thing: Thing,
): string | null {
  if (action === 'conflict') return `${conflictOf(local, stored, wasSynced, thing)}: "--force" takes the file`
  if (action !== 'keep') return null
  if (local === null && changedIn !== 'millrace')
    return `its file was deleted: "--delete" deletes the ${thing === 'flow' ? 'flow, with its runs' : 'test'}`
  return stored === null
    ? `was deleted in Millrace: "flow pull" removes the file, "--force" creates the ${thing} again`
    : 'changed in Millrace only: "flow pull" writes it'
}

export function sentenceOf({ message, data }: AppError): string {
  const fields = Object.entries((data ?? {}) as Record<string, unknown>)
  const lists = fields.filter((field): field is [string, string[]] => Array.isArray(field[1]))
  return lists.length === 0 ? message : lists.map(([field, [what]]) => `${field} ${what}`).join('; ')
}
