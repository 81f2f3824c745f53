import type { CompletionEntry, TemplatePreview, TemplateProblem } from '../../../shared/contract/templates.ts'
import type { ScopeNode } from '../../lib/scope.ts'

/** What a template editor asks of whoever knows where the template stands. */
export interface TemplateHelp {
  /** The text is one expression by itself, without braces. */
  readonly bare: boolean
  /** Without braces the text is the path of a field of the entries. */
  readonly entryPath: boolean
  /** What the language has. */
  readonly entries: () => readonly CompletionEntry[]
  /** Names that can be read, with what is known of them. */
  readonly scope: () => readonly ScopeNode[]
  /** What may follow an expression, each with the text that comes of it; empty where its value is not known. */
  readonly continued: (expression: string) => Promise<readonly TemplatePreview['continuations'][number][]>
  /** What is wrong with the text; the newest call counts. */
  readonly inspect: (text: string) => Promise<readonly TemplateProblem[]>
}
