import { englishOf } from '@millrace/jinja/said'
import { type OpenPart, partsOf } from './open-text.ts'

export interface TemplateOptions {
  /** Whether `{{ … }}` is a Millrace template rather than literal. */
  readonly keepsTemplates: boolean
  /** The expression that reads a shell variable. */
  readonly read: (name: string) => string
}

/** A template that renders to exactly this string, whatever characters it contains. */
export function toTemplate(text: string, options: TemplateOptions): string {
  return endOfText(
    partsOf(text)
      .map((part) => (typeof part === 'string' ? plain(part, options) : openPart(part, options)))
      .join(''),
  )
}

/** The string as part of an expression, such as `'Basic ' ~ token`. */
export function toExpression(text: string, { read }: TemplateOptions): string {
  const parts = partsOf(text).map((part) =>
    typeof part === 'string' ? quoted(part) : expressionOf(part, read),
  )
  return parts.length === 0 ? "''" : parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' ~ ')})`
}

/** A template that fails when it is rendered, and says what is missing. */
export const placeholder = (what: string): string => `{{ not_imported(${quoted(what)}) }}`

/** Whether the string, used as a template, renders to itself. */
export function isOwnTemplate(text: string): boolean {
  return plain(text, { keepsTemplates: false }) === text && endOfText(text) === text
}

function openPart(part: OpenPart, { read }: TemplateOptions): string {
  return part.kind === 'missing' ? placeholder(englishOf(part.what)) : `{{ ${expressionOf(part, read)} }}`
}

function expressionOf(part: OpenPart, read: TemplateOptions['read']): string {
  if (part.kind === 'missing') return `not_imported(${quoted(englishOf(part.what))})`
  return part.isEncoded
    ? `${read(part.name)} | string | urlencode | replace('/', '%2F') | replace('%20', '+')`
    : read(part.name)
}

/** Templates drop the `\r` of a line break, and begin at `{{`, `{%` and `{#`. */
function plain(text: string, { keepsTemplates }: Pick<TemplateOptions, 'keepsTemplates'>): string {
  const kept = keepsTemplates ? splitTemplates(text) : [text]
  return kept
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replaceAll(/\{(?=[{%#])/g, "{{ '{' }}").replaceAll('\r', "{{ '\\r' }}"),
    )
    .join('')
}

/** Plain text and templates alternately, beginning with plain text. */
export function splitTemplates(text: string): string[] {
  const pieces: string[] = []
  let from = 0
  for (;;) {
    const start = text.indexOf('{{', from)
    const end = start === -1 ? -1 : text.indexOf('}}', start)
    if (end === -1) return [...pieces, text.slice(from)]
    pieces.push(text.slice(from, start), text.slice(start, end + 2))
    from = end + 2
  }
}

/** A template's last line break isn't rendered. */
function endOfText(template: string): string {
  return template.endsWith('\n') ? `${template.slice(0, -1)}{{ '\\n' }}` : template
}

function quoted(text: string): string {
  const inner = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
  return `'${inner}'`
}
