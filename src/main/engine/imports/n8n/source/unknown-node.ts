import type { StepInput } from '../../../../../shared/contract/steps.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Node } from './workflow.ts'

/**
 * A node of a type for which there is no step, as a step of that type: kept as it was, with the nodes that only belong
 * to it. A run fails there.
 */
export function keptStep(node: Node, ref: string, attached: readonly Node[]): StepInput {
  const config = {
    n8n: {
      type: node.type,
      type_version: node.version,
      parameters: withoutSecrets(node.parameters),
      ...(attached.length === 0 ? {} : { attached: attached.map(partOf) }),
    },
  }
  return { ref_id: ref, type: node.type.slice(0, 60) || 'unknown', config }
}

const partOf = ({ name, type, parameters }: Node) => ({ name, type, parameters: withoutSecrets(parameters) })
