import { englishOf, type Said } from '@millrace/jinja/said'
import type { Step } from './steps.ts'
import { isRecord, textOf } from './plain-json.ts'
import type { Node } from './workflow.ts'

/**
 * A node without an equivalent becomes a step with the node's type that keeps its content, the nodes attached to it,
 * and the reason. A run fails there.
 */
export function keptStep(node: Node, ref: string, attached: readonly Node[], why: Said | null = null): Step {
  const config = {
    n8n: {
      ...(why === null ? {} : { not_translated: englishOf(why) }),
      type: node.type,
      type_version: node.version,
      parameters: withoutSecrets(node.parameters),
      ...(attached.length === 0 ? {} : { attached: attached.map(partOf) }),
    },
  }
  return { ref_id: ref, type: node.type.slice(0, 60) || 'unknown', config }
}

const partOf = ({ name, type, parameters }: Node) => ({ name, type, parameters: withoutSecrets(parameters) })

/** The original parameters, without strings whose names suggest secrets. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > 40) return null
  if (typeof value === 'string') return value.length > 20_000 ? `${value.slice(0, 20_000)}…` : value
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  if (!isRecord(value)) return value
  const pair = SECRET.test(textOf(value['name'])) && typeof value['value'] === 'string'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, item]) => {
        const isSecret =
          (SECRET.test(key) || (pair && key === 'value')) && typeof item === 'string' && !item.startsWith('=')
        return [key, isSecret ? '' : withoutSecrets(item, depth + 1)]
      }),
  )
}

const SECRET = /token|secret|password|passphrase|api_?key|authorization|credential|private_?key/i
