import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { TemplateProblem } from '../../../shared/contract/templates.ts'
import { sentenceOf } from '../../lib/template-problem.ts'

/** Converts a problem to a squiggle under its token. */
export function toDiagnostic(doc: Text, problem: TemplateProblem): Diagnostic {
  return { ...rangeOf(doc, problem), severity: problem.severity, message: sentenceOf(problem) }
}

/** Lines and columns count from 1, columns in code points; at least one character is marked. */
function rangeOf(doc: Text, { line, column, token }: TemplateProblem): { from: number; to: number } {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines))
  const before = [...found.text].slice(0, column - 1).join('')
  const from = Math.min(found.from + before.length, doc.length)
  const to = Math.min(from + Math.max(1, token.split('\n', 1)[0]?.length ?? 1), doc.length)
  return to > from ? { from, to } : { from: Math.max(0, from - 1), to: from }
}
