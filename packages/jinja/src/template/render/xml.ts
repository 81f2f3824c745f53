import { say } from '../../data/said.ts'
import type { PrintObserver } from '../base/limits.ts'
import { Fault } from '../base/faults.ts'
import type { StatementOf } from '../base/tree.ts'
import type { TracedValue } from '../base/traced-value.ts'
import { Markup, type Value } from '../base/value.ts'
import { templateOf } from './cache.ts'
import { renderCompiled, type TemplateContext, type TemplateOptions } from './render.ts'
import { ValueTrace } from './value-trace.ts'

/**
 * Renders an XML template. Inserted values are text, so that no value can add an element. What `|e` or `|safe`
 * returns is inserted as it is, and so is a value before everything else, which is the whole document.
 *
 * @throws TemplateError
 */
export function renderXml(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): { text: string; traced: readonly TracedValue[] } {
  const compiled = templateOf(source, options)
  const trace = new ValueTrace(compiled.source, compiled.program)
  const text = renderCompiled(compiled, context, options, (evaluation) => {
    evaluation.observer = new XmlPrinter(trace)
  })
  return { text, traced: trace.all }
}

class XmlPrinter implements PrintObserver {
  private readonly trace: ValueTrace
  private isCdata = false
  private scanned = 0

  constructor(trace: ValueTrace) {
    this.trace = trace
  }

  print(
    value: Value,
    statement: StatementOf<'print'>,
    before: string | null,
    write: (value: Value) => string,
  ): string {
    this.trace.note(value, statement)
    const text = write(value)
    // Before its first element a document has no text, so a value there is XML itself.
    if (before === null || value instanceof Markup || (this.scanned === 0 && before.trim() === ''))
      return text
    if (FORBIDDEN.test(text))
      throw new Fault(
        'runtime',
        say`The value has a character that XML doesn't allow, such as a control character`,
      )
    this.scan(before)
    const written = this.isCdata
      ? text.replaceAll(']]', ']]]><![CDATA[]')
      : text.replace(/[&<>"'\r]/g, (character) => ESCAPED[character] ?? character)
    this.scanned = before.length + written.length
    return written
  }

  /** Follows CDATA sections in the literal parts of the template. */
  private scan(output: string): void {
    for (let at = this.scanned; ;) {
      const mark = this.isCdata ? ']]>' : '<![CDATA['
      const found = output.indexOf(mark, at)
      if (found === -1) break
      this.isCdata = !this.isCdata
      at = found + mark.length
    }
    this.scanned = output.length
  }
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}

/** All characters except those of XML 1.0 (fifth edition, 2.2). */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
