import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { CompiledStep } from '../model/compiled-step.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { CompiledFlow } from '../definition/compile-flow.ts'
import type { ListRead, ListReader, ListWish, PolledType } from '../model/list-read.ts'
import { readItems } from '../steps/triggers/plugin-trigger.ts'
import { readList } from '../steps/triggers/list-trigger.ts'
import { readRows } from '../steps/triggers/sql-trigger.ts'
import { runFlow, type RunOptions } from './run-flow.ts'

/** The reader for each type of trigger that reads lists. */
const LIST_READERS: { readonly [T in PolledType]: ListReader<T> } = {
  list_trigger: readList,
  sql_trigger: readRows,
  plugin_trigger: readItems,
}

export function isPolled(type: string): type is PolledType {
  return Object.hasOwn(LIST_READERS, type)
}

export interface TriggerListOptions extends Pick<RunOptions, 'id' | 'env' | 'ports' | 'signal'> {
  readonly wish: ListWish
  /** Reference name of the trigger. */
  readonly ref: string
}

/**
 * Reads the list of a flow's trigger by running only that step, without recording anything.
 *
 * @throws AppError saying why it failed
 */
export async function readTriggerList(
  flow: CompiledFlow,
  { wish, env, ref, ...options }: TriggerListOptions,
): Promise<ListRead> {
  const trigger = flow.triggers.find((one) => one.ref === ref)
  if (trigger === undefined || !isPolled(trigger.type))
    throw new Error('The flow has no trigger that reads a list')
  const read = LIST_READERS[trigger.type] as ListReader<PolledType>
  let list: ListRead | null = null
  const reading: CompiledStep = {
    ...trigger,
    pageLoop: null,
    async run(scope) {
      list = { ...(await read(trigger as CompiledStep<PolledType>, scope, wish)), doubt: scope.listInDoubt }
      return null
    },
  }
  const outcome = await runFlow(
    { ...flow, steps: [reading], triggers: [], trigger: null, dynamicTitle: null, timeoutMs: LONGEST_MS },
    {
      ...options,
      input: null,
      env: { ...env, since: wish.since },
      recorder: { record: () => undefined, commit: () => Promise.resolve(), commitSoon: () => undefined },
    },
  )
  if (list !== null) return list
  const error = outcome.kind === 'ended' ? outcome.end.error : null
  throw new AppError('unavailable', error ? sentenceOf(error) : say('The check was stopped'))
}

const LONGEST_MS = 10 * 60_000
