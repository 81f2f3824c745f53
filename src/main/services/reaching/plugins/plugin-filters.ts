/** Filters of plug-ins in templates: `{{ number | bank_accounts_iban }}`. */
import { type HostFilter, setHostFilters } from '@millrace/jinja/environment'
import { type Data, parseJson, writeJson } from '@millrace/jinja/data'
import { SaidError } from '@millrace/jinja/said'
import { quoted, say } from '../../../../shared/contract/base/message.ts'
import { filterName, type PluginFilter } from '../../../../shared/contract/plugins/manifest.ts'
import { unreadiness } from '../../../engine/flow/steps/support/plugin-call.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { createFilterThread } from '../step-ports/run-scripts.ts'
import type { PluginsService } from './plugins.ts'

export interface PluginFiltersOptions {
  readonly plugins: Pick<PluginsService, 'find' | 'confirmed'>
  readonly events: Pick<EventsService, 'listen'>
}

/**
 * Makes the filters of confirmed plug-ins available from now on. A template waits for them, within its own time limit.
 */
export function startPluginFilters({ plugins, events }: PluginFiltersOptions): { close(): Promise<void> } {
  const thread = createFilterThread()

  function run(plugin: string, filter: string, values: readonly Data[], leftMs: number) {
    const found = plugins.find(plugin)
    const problem = unreadiness(plugin, found)
    if (problem !== null) throw new SaidError(problem)
    const reply = thread.run(found?.source ?? '', filter, writeJson([...values]), leftMs)
    if (reply === null) return null
    const { outcome, tookMs } = reply
    if (outcome.kind === 'stopped' && outcome.limit === 'time') return null
    if (outcome.kind === 'returned') return { value: parseJson(outcome.value), tookMs }
    if (outcome.kind === 'stopped') throw new SaidError(outcome.said)
    const { line, message } = outcome
    throw new SaidError(
      line === null ? quoted(message) : say('line {{line}}: {{message}}', { line, message }),
    )
  }

  const toFilter = (plugin: string, filter: PluginFilter): HostFilter => ({
    name: filterName(plugin, filter),
    help: filter.description,
    arguments: filter.arguments,
    run: (values, leftMs) => run(plugin, filter.name, values, leftMs),
  })

  /**
   * All plug-ins that can have a filter with this name. The name is ambiguous, because both of its parts can contain a
   * `_`.
   */
  function* ownersOf(name: string) {
    for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1)) {
      const plugin = name.slice(0, at)
      const found = plugins.find(plugin)
      const filter = found?.manifest?.filters.find((one) => filterName(plugin, one) === name)
      if (found !== null && filter !== undefined) yield { plugin, found, filter }
    }
  }

  const host = {
    find(name: string) {
      for (const { plugin, found, filter } of ownersOf(name))
        if (found.status === 'ready') return toFilter(plugin, filter)
      return null
    },
    hintOf(name: string) {
      for (const { plugin, found } of ownersOf(name)) {
        const problem = unreadiness(plugin, found)
        if (problem !== null) return problem
      }
      return name.includes('_')
        ? say("If it belongs to a plug-in, that plug-in isn't installed; see Plug-ins")
        : null
    },
    all: () =>
      plugins
        .confirmed()
        .flatMap(({ manifest }) => manifest?.filters.map((one) => toFilter(manifest.name, one)) ?? []),
  }
  let takeAway = setHostFilters(host)
  events.listen(({ noun }) => {
    if (noun === 'plugin') takeAway = setHostFilters(host)
  })
  return {
    async close() {
      takeAway()
      await thread.close()
    },
  }
}
