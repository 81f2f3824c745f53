import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { getKey, isDictionary, isList } from '@millrace/jinja/data'
import type { CompiledStep, StepScope } from '../../model/compiled-step.ts'
import type { ListRead, ListWish } from '../../model/list-read.ts'
import { callPlugin, pluginProblems } from '../support/plugin-call.ts'
import { polledTrigger } from '../support/polled-trigger.ts'
import { shortText } from '../support/read-input.ts'
import { readScriptResult } from '../support/script-result.ts'
import { pollingProblems } from './polling-problems.ts'

type PluginTriggerStep = CompiledStep<'plugin_trigger'> & { readonly config: StepConfig<'plugin_trigger'> }

/** Starts a flow for new items that a plug-in finds. */
export const pluginTrigger = polledTrigger<'plugin_trigger'>(readItems, (config, _, findPlugin) => [
  ...pluginProblems('triggers', config.trigger, config, findPlugin),
  ...pollingProblems(config),
])

/** What the plug-in returns as `cursor` is passed to the next check. `items: null` means that nothing has changed. */
export async function readItems(
  { config }: PluginTriggerStep,
  scope: StepScope,
  { memo }: ListWish,
): Promise<ListRead> {
  const called = await callPlugin('triggers', config.trigger, config, scope, [['cursor', memo]])
  const result = await readScriptResult(called, 'config.trigger', scope)
  const items = isDictionary(result) ? (getKey(result, 'items') ?? undefined) : undefined
  const cursor = (isDictionary(result) ? getKey(result, 'cursor') : null) ?? null
  if (isList(items)) return { entries: items, memo: cursor }
  if (isDictionary(result) && getKey(result, 'items') === null) return { entries: null, memo: cursor }
  throw scope.fail(
    'validation',
    say('a trigger must return { items, cursor } with a list, got {{value}}', { value: shortText(result) }),
    {
      field: 'config.trigger',
    },
  )
}
