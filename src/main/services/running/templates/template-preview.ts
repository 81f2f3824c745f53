/** Previews a template as its field will evaluate it: its errors, and its result with the available values. */
import type { Json } from '../../../../shared/contract/base/common.ts'
import { SAID, say, type Spoken, spoken, withHint } from '../../../../shared/contract/base/message.ts'
import type { PreviewKind, TemplatePreview } from '../../../../shared/contract/templates.ts'
import { isJsonTemplate } from '../../../engine/connector/action-request.ts'
import { type Data, estimateBytes, Float, isDictionary, isList } from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import {
  hasTags,
  NotADictionaryError,
  parseLiteral,
  positionOf,
  TemplateError,
} from '@millrace/jinja/environment'
import { PREVIEW, type TemplateScope } from './template-places.ts'

type Problem = TemplatePreview['problems'][number]

export function previewTemplate(
  template: string,
  kind: PreviewKind,
  { names, later, loops, values }: TemplateScope,
  redactor: Redactor,
): Omit<TemplatePreview, 'outcome' | 'continuations'> {
  const expression = kind === 'condition' && !hasTags(template)
  if (expression && template.trim() === '') return { problems: [], missing: [], loops, rendered: null }
  const known = new Set([...names.keys(), ...later, 'webhook'])
  const problems = PREVIEW.check(template, { expression, names: known }).map((problem): Problem => ({
    severity: 'error',
    ...placed(problem),
  }))
  if (problems.length > 0) return { problems, missing: [], loops, rendered: null }

  const reads = [...PREVIEW.namesRead(template, { expression })]
  const ahead = reads
    .filter((name) => later.has(name))
    .map((name): Problem => ({
      severity: 'warning',
      ...spoken(say('"{{name}}" hasn\'t run yet at this point', { name })),
      ...tokenPlace(template, name),
      hint: null,
    }))
  const missing = reads.filter((name) => known.has(name) && values[name] === undefined)
  if (missing.length > 0) return { problems: ahead, missing, loops, rendered: null }
  try {
    const rendered = shown(RENDERERS[kind](template, values), redactor)
    return { problems: ahead, missing: [], loops, rendered }
  } catch (error) {
    return { problems: [...ahead, problemOf(error)], missing: [], loops, rendered: null }
  }
}

interface Rendered {
  readonly text: string
  readonly value: Data
}

type Values = TemplateScope['values']

const RENDERERS: { readonly [K in PreviewKind]: (template: string, values: Values) => Rendered } = {
  value: (template, values) => ({
    text: PREVIEW.renderString(template, values),
    value: PREVIEW.evaluate(template, values),
  }),
  text(template, values) {
    const text = PREVIEW.renderString(template, values)
    return { text, value: text }
  },
  xml(template, values) {
    const text = PREVIEW.renderXml(template, values)
    return { text, value: text }
  },
  condition(template, values) {
    const value = PREVIEW.evaluateCondition(template, values)
    return { text: String(value), value }
  },
  dictionary: (template, values) => PREVIEW.renderDictionary(template, values),
  body(template, values) {
    if (!isJsonTemplate(template)) return RENDERERS.value(template, values)
    const text = PREVIEW.renderJsonBody(template, values)
    return { text, value: literalOf(text) }
  },
}

/** The value that the input is read as; the input itself if it isn't a literal. */
function literalOf(text: string): Data {
  try {
    return parseLiteral(text)
  } catch (error) {
    if (error instanceof TemplateError) return text
    throw error
  }
}

function shown({ text, value }: Rendered, redactor: Redactor): TemplatePreview['rendered'] {
  const tooLarge = estimateBytes(value, MOST_BYTES) >= MOST_BYTES
  return {
    text: redactor.redactText(text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) : text),
    value: (tooLarge ? null : redactor.redactData(value)) as Json,
    type: typeOf(value),
    truncated: tooLarge || text.length > MOST_TEXT,
  }
}

/** Limited, because nobody reads more below a field, and the preview is sent with every keystroke. */
const MOST_TEXT = 20_000
const MOST_BYTES = 100_000

function typeOf(value: Data): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return 'number'
  if (isList(value)) return 'list'
  return isDictionary(value) ? 'dictionary' : 'value'
}

function problemOf(error: unknown): Problem {
  if (error instanceof TemplateError) return { severity: 'error', ...placed(error) }
  if (error instanceof NotADictionaryError) {
    const said = error.text === '' ? say('This renders to nothing; it must be an object') : error.said
    return { severity: 'error', ...spoken(said), line: 1, column: 1, token: '', hint: null }
  }
  throw error
}

function placed({
  message,
  line,
  column,
  token,
  hint,
  said,
  advice,
}: Omit<Problem, 'severity'> & Pick<TemplateError, 'said' | 'advice'>): Omit<Problem, 'severity'> & Spoken {
  return { message, line, column, token, hint, [SAID]: withHint(said, advice) }
}

/** The first occurrence of a name as a separate word. */
function tokenPlace(template: string, name: string): Pick<Problem, 'line' | 'column' | 'token'> {
  // linear: a name, which has no special characters
  const at = Math.max(0, template.search(new RegExp(`(?<![\\w.])${name}(?!\\w)`)))
  return { ...positionOf(template, at, at), token: name }
}
