/** The plug-ins whose steps and triggers a flow uses, as far as the page knows them. */
import type { PluginField, PluginManifest, PluginPart } from '../../../shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { titleOfPlugin, translatePluginText } from './plugin-words.ts'

/** Null until they are read. */
export type Plugins = readonly Plugin[] | null

export type TypedConfig = Pick<Step, 'type' | 'config'>

/** By step type: the key of the parts in a manifest, and the config field that names one of them. */
export const PLUGIN_PARTS = {
  plugin: { kind: 'steps', noun: 'step' },
  plugin_trigger: { kind: 'triggers', noun: 'trigger' },
} as const
export type PluginStepType = keyof typeof PLUGIN_PARTS
export const PLUGIN_STEP_TYPES = ['plugin_trigger', 'plugin'] as const satisfies readonly PluginStepType[]

export const isPluginStep = (type: string): type is PluginStepType => Object.hasOwn(PLUGIN_PARTS, type)

/** The step or trigger that a config names, with its texts in the language of the page. */
export interface NamedPart {
  readonly plugin: Plugin
  readonly title: string
  readonly part: PluginPart
}

/** Undefined if the step isn't from a plug-in, or its plug-in isn't installed or can't be read. */
export function partOf({ type, config }: TypedConfig, plugins: Plugins): NamedPart | undefined {
  if (!isPluginStep(type)) return undefined
  const plugin = plugins?.find(({ name }) => name === config.plugin)
  const { kind, noun } = PLUGIN_PARTS[type]
  return plugin && partsOf(plugin, kind).find(({ part }) => part.name === config[noun])
}

export function partsOf(plugin: Plugin, kind: 'steps' | 'triggers'): readonly NamedPart[] {
  const { manifest } = plugin
  if (manifest === null) return []
  const title = titleOfPlugin(plugin)
  return manifest[kind].map((part) => ({ plugin, title, part: translated(part, manifest) }))
}

function translated(part: PluginPart, manifest: PluginManifest): PluginPart {
  const say = (text: string) => translatePluginText(text, manifest)
  return {
    ...part,
    label: say(part.label),
    description: say(part.description),
    // English words find it in other languages, too.
    words: `${part.words} ${part.label} ${part.name} ${manifest.title} ${manifest.name}`,
    docs: say(part.docs),
    fields: part.fields.map(({ hint, options, ...field }): PluginField => ({
      ...field,
      label: say(field.label),
      ...(hint === undefined ? {} : { hint: say(hint) }),
      ...(options === undefined
        ? {}
        : {
            options: Object.fromEntries(Object.entries(options).map(([value, label]) => [value, say(label)])),
          }),
    })),
  }
}
