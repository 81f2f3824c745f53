import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import { translateConnectorText } from '../../../lib/i18n.ts'

/** An action of a service, chosen by the service's name: a step with connector, action and the only auth. */
export interface ServiceAction {
  readonly key: string
  readonly type: 'connector_action'
  readonly connector: Connector
  readonly action: Action
  readonly config: Readonly<Record<string, string>>
}

/** What the list of step types adds. */
export type Addition = StepType | ServiceAction

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
