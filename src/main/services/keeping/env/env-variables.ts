/** Env variables: the user's own values, which every template can read by their bare names. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import type { EnvVariable, EnvVariablePatch } from '../../../../shared/contract/env-variables.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { RESERVED_REFS } from '../../../../shared/contract/steps.ts'
import { type Data, Float, isDictionary, isList } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import { isReadableName } from '@millrace/jinja/environment'
import type { Store } from '../../../store/index.ts'
import { BUILT_IN_NAMES, type Env } from './env.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import type { Caller } from '../../kit/caller.ts'
import type { OriginGuard } from '../../kit/origin-guard.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'

export type EnvVariablesService = ReturnType<typeof createEnvVariablesService>

/** Whether the caller agrees to re-enter secrets that the change would send to another origin. */
export interface Reentry {
  readonly reentry: boolean
}

export type NewEnvVariable = EnvVariablePatch & Pick<EnvVariable, 'name' | 'type' | 'value'>

export interface EnvVariablesOptions {
  readonly store: Pick<Store, 'envVariables'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly env: Pick<Env, 'forget'>
  readonly origins: OriginGuard
}

export function createEnvVariablesService(options: EnvVariablesOptions) {
  const { store, clock, random, events, env, origins } = options
  const now = () => new Date(clock.now()).toISOString()

  /** @throws AppError `not_found` */
  function read(id: string): EnvVariable {
    const variable = store.envVariables.get(id)
    if (variable === null)
      throw new AppError('not_found', say('There is no variable "{{id}}"', { id: id.slice(0, 60) }))
    return variable as EnvVariable
  }

  function requireFreeName(name: string, ownId: string | null): void {
    requireReadable(name)
    const [holder] = store.envVariables.list({
      filters: [{ field: 'name', operator: 'eq', value: name }],
    }).records
    if (holder !== undefined && holder.id !== ownId) {
      throw new AppError(
        'conflict',
        say('A variable "{{name}}" already exists; choose another name', { name }),
      )
    }
  }

  /** The stored value of a variable, which an update has to write again. */
  function storedValue({ name, secret, value }: EnvVariable): Data {
    if (!secret) return value
    const stored = store.envVariables.values().find((variable) => variable.name === name)
    if (stored !== undefined) return stored.value as Data
    throw fieldErrors({
      value: [say("must be sent again: the stored value can't be decrypted on this machine")],
    })
  }

  function valueAfter(before: EnvVariable, patch: EnvVariablePatch): Data {
    const isKept = patch.value === undefined || (patch.value === null && before.secret)
    if (!isKept) return patch.value as Data
    if (before.secret && patch.secret === false) {
      throw fieldErrors({ value: [say("must be sent again: secrets can't be read back")] })
    }
    return storedValue(before)
  }

  function announce(type: 'created' | 'updated' | 'deleted', id: string): void {
    env.forget()
    events.emit({ type, noun: 'env_variable', id })
  }

  return {
    list(query: ListQuery): RecordPage<EnvVariable> {
      const request = parseListQuery(query)
      return toPage(store.envVariables.list(request) as RecordPage<EnvVariable>, request)
    },
    read,
    /** @throws AppError `conflict` if the name is taken */
    async create(
      caller: Caller,
      { name, type, value, secret = false }: NewEnvVariable,
      { reentry }: Reentry = NOTHING_AGREED,
    ): Promise<EnvVariable> {
      requireValue(type, value)
      const id = random.uuid()
      const at = now()
      const record = { id, name, type, value, secret, created_at: at, updated_at: at }
      const { result: variable } = await origins.write({ caller, field: 'value', reentry }, () => {
        requireFreeName(name, null)
        store.envVariables.insert(record)
        return read(id)
      })
      announce('created', id)
      return variable
    },
    /** Absent keys stay unchanged. So does a secret value if null is sent, because responses show it as null. */
    async update(
      caller: Caller,
      id: string,
      patch: EnvVariablePatch,
      { reentry }: Reentry = NOTHING_AGREED,
    ): Promise<EnvVariable> {
      const { result: variable } = await origins.write({ caller, field: 'value', reentry }, () => {
        const before = read(id)
        const { name = before.name, type = before.type, secret = before.secret } = patch
        const value = valueAfter(before, patch)
        requireFreeName(name, id)
        requireValue(type, value)
        const { created_at } = before
        store.envVariables.update({ id, name, type, value, secret, created_at, updated_at: now() })
        return read(id)
      })
      announce('updated', id)
      return variable
    },
    async remove(caller: Caller, id: string, { reentry }: Reentry = NOTHING_AGREED): Promise<void> {
      await origins.write({ caller, field: 'name', reentry }, () => {
        read(id)
        store.envVariables.delete(id)
      })
      announce('deleted', id)
    },
  }
}

const NOTHING_AGREED: Reentry = { reentry: false }

/** Rejects names that templates use for something else; steps can't have them either. */
function requireReadable(name: string): void {
  if (BUILT_IN_NAMES.includes(name))
    throw fieldErrors({
      name: [say('is "{{name}}", which is set by Millrace; choose another name', { name })],
    })
  if (!RESERVED_REFS.includes(name) && isReadableName(name)) return
  throw fieldErrors({
    name: [say('is reserved in templates: "{{name}}"; choose another name', { name })],
  })
}

function requireValue(type: EnvVariable['type'], value: Data): void {
  if (!IS_OF_TYPE[type](value))
    throw fieldErrors({ value: [say("isn't a {{type}}, the type of the variable", { type })] })
}

const IS_OF_TYPE: { readonly [T in EnvVariable['type']]: (value: Data) => boolean } = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' || typeof value === 'bigint' || value instanceof Float,
  list: isList,
  object: isDictionary,
}
