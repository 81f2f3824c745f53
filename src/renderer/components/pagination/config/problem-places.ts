import type { ConfigProblem } from '../../../../shared/contract/pagination.ts'
import { findField, offsetInString, scanJson } from '../../../lib/json-text.ts'
import type { JsonNode } from '../../../lib/json-text.ts'

/** A problem and its place in the text of the configuration. */
export interface PlacedProblem {
  readonly severity: ConfigProblem['severity']
  readonly message: string
  readonly field: string
  readonly from: number
  readonly to: number
}

export function placeProblems(text: string, problems: readonly ConfigProblem[]): readonly PlacedProblem[] {
  const { root, fault } = scanJson(text)
  if (fault !== null) {
    const { at, message } = fault
    return [{ severity: 'error', message, field: '', from: at, to: Math.min(text.length, at + 1) }]
  }
  if (root === null) return []
  return problems.map((problem) => ({
    severity: problem.severity,
    message: problem.message,
    field: problem.field,
    ...placeOf(text, root, problem),
  }))
}

function placeOf(
  text: string,
  root: JsonNode,
  { code, field, line, column }: ConfigProblem,
): { from: number; to: number } {
  const { member, node } = findField(root, field)
  const isInside = line !== null && column !== null && code !== 'not_a_dictionary'
  if (node.kind === 'string' && isInside) {
    const from = Math.min(offsetInString(text, node, line, column), node.to - 2)
    const word = /^(?:\{\{\s*|\\?["'])?[\w.$]+/.exec(text.slice(from, node.to - 1))?.[0].length ?? 1
    return { from, to: from + Math.max(1, word) }
  }
  // A whole object would be underlined over many lines, so only its key or its bracket is.
  if (node.kind === 'object' || node.kind === 'array') {
    const named = member !== null && typeof member.key === 'string'
    return named ? { from: member.from, to: member.to } : { from: node.from, to: node.from + 1 }
  }
  return { from: node.from, to: node.to }
}

/** Line and column of an offset, both from 1. */
export function lineOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
