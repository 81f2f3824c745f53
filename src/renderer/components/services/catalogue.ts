/**
 * Everything that can be added to a flow, as one list: step types, parts of plug-ins, services with their actions, and
 * samples.
 */
import type { ConnectorAuth, ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { FlowSample } from '../../../shared/contract/flow-samples.ts'
import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import {
  STEP_DEFINITIONS,
  STEP_TYPES,
  type StepType,
  TRIGGER_TYPES,
} from '../../../shared/contract/step-types/index.ts'
import type { StepDefinition } from '../../../shared/contract/step-types/parts/step-type.ts'
import { inEnglish, t, translateConnectorText, translateSampleText } from '../../lib/i18n.ts'
import { icon, type LucideIcon } from '../../lib/icons.tsx'
import { anyIcon } from '../plugins/any-icon.tsx'
import { PLUGIN_PARTS, PLUGIN_STEP_TYPES, partsOf } from '../plugins/plugin-parts.ts'
import { titleOfPlugin } from '../plugins/plugin-words.ts'

/** A step to add. */
export interface Addition {
  readonly type: StepType
  /** Defaults to the name of the type. */
  readonly title?: string
  readonly config?: Readonly<Record<string, unknown>>
}

interface Shown {
  readonly id: string
  readonly label: string
  /** Its purpose, in one line. */
  readonly purpose: string
  /** Further words to find it by. */
  readonly words: string
}

export type TypeEntry = Shown & { readonly kind: 'type'; readonly icon: LucideIcon; readonly added: Addition }
export type PartEntry = Shown & {
  readonly kind: 'part'
  readonly icon: LucideIcon
  readonly added: Addition
  readonly plugin: string
}
export type ActionEntry = Shown & {
  readonly kind: 'action'
  readonly connector: Connector
  readonly action: Action
}
/** A service, which stands for its actions. */
export type ServiceEntry = Shown & { readonly kind: 'service'; readonly connector: Connector }
export type SampleEntry = Shown & { readonly kind: 'sample'; readonly sample: FlowSample }
export type Entry = TypeEntry | PartEntry | ActionEntry | ServiceEntry | SampleEntry

interface Sources {
  readonly connectors: readonly Connector[]
  readonly actions: readonly Action[]
  readonly plugins: readonly Plugin[]
  readonly samples: readonly FlowSample[]
}

/** The whole catalogue, in the order shown before anything is typed. */
export function catalogueOf({ connectors, actions, plugins, samples }: Sources): readonly Entry[] {
  const byId = new Map(connectors.map((connector) => [connector.id, connector]))
  const parts = plugins.filter(({ status }) => status === 'ready').flatMap((plugin) => partEntries(plugin))
  // The general step types for plug-ins are replaced by the plug-ins' own steps and triggers.
  const replaced = new Set<StepType>(parts.map(({ added }) => added.type))
  return [
    ...STEP_TYPES.filter((type) => !replaced.has(type)).map(typeEntry),
    ...parts,
    ...connectors
      .filter((connector) => actions.some((one) => one.connector_id === connector.id))
      .map(serviceEntry),
    ...actions.flatMap((action) => {
      const connector = byId.get(action.connector_id)
      return connector === undefined ? [] : [actionEntry(action, connector)]
    }),
    ...samples.map(sampleEntry),
  ]
}

/** A trigger can only be the first step. */
export const isTrigger = (entry: Entry) =>
  (entry.kind === 'type' || entry.kind === 'part') && TRIGGER_TYPES.includes(entry.added.type)

export function typeEntry(type: StepType): TypeEntry {
  const { label, purpose, words, icon: name }: StepDefinition = STEP_DEFINITIONS[type]
  return {
    kind: 'type',
    id: `type ${type}`,
    label: t(label),
    purpose: t(purpose),
    // English words find it in other languages, too.
    words: `${type.replaceAll('_', ' ')} ${inEnglish(label)} ${inEnglish(words)} ${t(words)}`,
    icon: icon(name),
    added: { type },
  }
}

function partEntries(plugin: Plugin): readonly PartEntry[] {
  return PLUGIN_STEP_TYPES.flatMap((type) => {
    const { kind, noun } = PLUGIN_PARTS[type]
    return partsOf(plugin, kind).map(({ part }): PartEntry => ({
      kind: 'part',
      id: `part ${plugin.name} ${type} ${part.name}`,
      label: part.label,
      purpose: part.description,
      words: part.words,
      icon: anyIcon(part.icon),
      plugin: titleOfPlugin(plugin),
      added: {
        type,
        config: {
          plugin: plugin.name,
          [noun]: part.name,
          hash: plugin.hash,
          input: Object.fromEntries(
            part.fields
              .filter(
                ({ kind: control, required, default: value }) =>
                  control === 'switch' && required && value === undefined,
              )
              .map(({ name }) => [name, false]),
          ),
        },
      },
    }))
  })
}

function serviceEntry(connector: Connector): ServiceEntry {
  const { id, name, tags, short_description: purpose } = connector
  return {
    kind: 'service',
    id: `service ${id}`,
    label: name,
    purpose: translateConnectorText(purpose, connector),
    words: `${purpose} ${tags.join(' ')}`,
    connector,
  }
}

function actionEntry(action: Action, connector: Connector): ActionEntry {
  const { name, title, tag, short_description: purpose } = action
  return {
    kind: 'action',
    id: actionId(connector.id, name),
    label: translateConnectorText(title, connector) || name,
    purpose: translateConnectorText(purpose, connector),
    words: `${name.replaceAll('_', ' ')} ${title} ${tag} ${translateConnectorText(tag, connector)}`,
    connector,
    action,
  }
}

export const actionId = (connectorId: string, action: string) => `action ${connectorId} ${action}`

function sampleEntry(sample: FlowSample): SampleEntry {
  const { id, name, description, teaches, tags } = sample
  return {
    kind: 'sample',
    id: `sample ${id}`,
    label: translateSampleText(name),
    purpose: translateSampleText(description),
    words: `${name} ${description} ${teaches} ${translateSampleText(teaches)} ${tags.join(' ')}`,
    sample,
  }
}

/** The step that calls an action, with the auth that is most likely meant. */
export function additionOf({ connector, action }: ActionEntry, auth: ConnectorAuth | undefined): Addition {
  return {
    type: 'connector_action',
    title: translateConnectorText(action.title, connector) || action.name,
    config: {
      connector_id: connector.id,
      action: action.name,
      ...(auth === undefined ? {} : { auth_id: auth.id }),
    },
  }
}

/** For each connector, its only auth or the one used last. */
export function authsMeant(
  auths: readonly ConnectorAuth[],
  uses: readonly ConnectorAuthUse[],
): ReadonlyMap<string, ConnectorAuth> {
  const used = new Map(uses.map(({ auth_id: id, last_used: at }) => [id, at ?? '']))
  const lastUsed = ({ id }: ConnectorAuth) => used.get(id) ?? ''
  // If a connector has several auths, the map keeps the last one.
  return new Map(
    auths
      .toSorted((a, b) => lastUsed(a).localeCompare(lastUsed(b)) || a.created_at.localeCompare(b.created_at))
      .map((auth) => [auth.connector_id, auth]),
  )
}
