import type { CompletionEntry, TemplatePreview, TemplateProblem } from '../../../shared/contract/templates.ts'
import type { ScopeNode } from '../../lib/scope.ts'

/** The information that a template editor needs about the place of its template. */
export interface TemplateHelp {
  /** The text is a single expression, without braces. */
  readonly bare: boolean
  /** Without braces the text is the path of a field of the items. */
  readonly entryPath: boolean
  /** The filters, tests, globals, methods and tags of the language. */
  readonly entries: () => readonly CompletionEntry[]
  /** Names that can be read, with what is known about them. */
  readonly scope: () => readonly ScopeNode[]
  /** Filters and methods that can follow an expression, each with its result; empty if its value isn't known. */
  readonly continued: (expression: string) => Promise<readonly TemplatePreview['continuations'][number][]>
  /** The problems of the text; the latest call wins. */
  readonly inspect: (text: string) => Promise<readonly TemplateProblem[]>
}
