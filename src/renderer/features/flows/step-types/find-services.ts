import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { Plugin } from '../../../../shared/contract/plugins/plugins.ts'
import { type StepType, TRIGGER_TYPES } from '../../../../shared/contract/step-types/index.ts'
import { translateConnectorText } from '../../../lib/i18n.ts'
import { PLUGIN_PARTS, PLUGIN_STEP_TYPES, type PluginStepType, partsOf } from '../model/plugin-parts.ts'
import type { StepFace } from './face.ts'
import { faceOfPart } from './index.ts'

/** An action of a service, chosen by the service's name: a step with connector, action and the only auth. */
export interface ServiceAction {
  readonly key: string
  readonly type: 'connector_action'
  readonly connector: Connector
  readonly action: Action
  readonly config: Readonly<Record<string, string>>
}

/** A step or trigger of a plug-in. */
export interface PluginChoice {
  readonly key: string
  readonly type: PluginStepType
  readonly face: StepFace
  readonly config: Readonly<Record<string, unknown>>
}

/** What the list of step types adds. */
export type Addition = StepType | PluginChoice | ServiceAction

/** Those of a plug-in. */
export function choicesOf(plugin: Plugin, isFirst: boolean): readonly PluginChoice[] {
  return PLUGIN_STEP_TYPES.filter((type) => isFirst || !TRIGGER_TYPES.includes(type)).flatMap((type) => {
    const { kind, noun } = PLUGIN_PARTS[type]
    return partsOf(plugin, kind).map((named) => ({
      key: `${plugin.name} ${type} ${named.part.name}`,
      type,
      face: faceOfPart(type, named),
      config: {
        plugin: plugin.name,
        [noun]: named.part.name,
        hash: plugin.hash,
        input: Object.fromEntries(
          named.part.fields
            .filter(
              ({ kind: control, required, default: value }) =>
                control === 'switch' && required && value === undefined,
            )
            .map(({ name }) => [name, false]),
        ),
      },
    }))
  })
}

const SERVICES = 3
const ACTIONS = 12
const SHORTEST = 2

/** The services that a search names, by a word in it: `hubspot contacts`. */
export function servicesNamed(connectors: readonly Connector[], query: string): readonly Connector[] {
  const words = wordsOf(query).filter((word) => word.length >= SHORTEST)
  return connectors
    .filter(({ name }) => words.some((word) => wordsOf(name).some((part) => part.startsWith(word))))
    .slice(0, SERVICES)
}

/** The actions of a service that the other words of a search name; all of them if there are no others. */
export function actionsNamed(
  connector: Connector,
  actions: readonly Action[],
  auths: readonly ConnectorAuth[],
  query: string,
): readonly ServiceAction[] {
  const name = wordsOf(connector.name)
  const others = wordsOf(query).filter((word) => !name.some((part) => part.startsWith(word)))
  const own = auths.filter(({ connector_id: id }) => id === connector.id)
  const [auth] = own
  return actions
    .filter((action) => {
      const text =
        `${action.name} ${action.title} ${translateConnectorText(action.title, connector)}`.toLowerCase()
      return others.every((word) => text.includes(word))
    })
    .slice(0, ACTIONS)
    .map((action) => ({
      key: `${connector.id} ${action.name}`,
      type: 'connector_action',
      connector,
      action,
      config: {
        connector_id: connector.id,
        action: action.name,
        ...(own.length === 1 && auth !== undefined ? { auth_id: auth.id } : {}),
      },
    }))
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
