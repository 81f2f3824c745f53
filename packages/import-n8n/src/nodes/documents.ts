/** Converts nodes that read HTML and Markdown. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { oneItem, quoted } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asStep, type NodeType } from './node-context.ts'

const TAKES: Readonly<Record<string, string>> = {
  text: 'text',
  html: 'html',
  attribute: 'attribute',
  value: 'value',
}

/** "HTML" (extract) and the older "HTML Extract". */
export const htmlNode: NodeType = {
  runs: 'each',
  convert({ node, ref, note, value }) {
    const { parameters } = node
    const isOlder = node.type.endsWith('.htmlExtract')
    if (!isOlder && parameters['operation'] !== 'extractHtmlContent') refuse(say`creates HTML`)
    if ((textOf(parameters['sourceData']) || 'json') !== 'json') refuse(say`reads a file`)
    if (childOf(parameters, 'options')['cleanUpText'] === false) refuse(say`keeps line breaks`)
    const property = constant(parameters['dataPropertyName']) || 'data'
    const path = property.split('.').map((key) => `[${JSON.stringify(key)}]`)
    note(
      null,
      say`returned an empty string if it found nothing; here it returns null, and block elements separate words`,
    )
    const given = listOf(childOf(parameters, 'extractionValues')['values']).filter(isRecord).slice(0, 100)
    const fields = Object.fromEntries(given.map((one) => [constant(one['key']), fieldOf(one)]))
    const config = { text: value('config.text', `={{ $json${path.join('')} }}`), fields }
    return asStep({ ref_id: ref, type: 'html_extract', config }, oneItem(ref))
  },
}

function fieldOf(one: Plain): Plain {
  const take = TAKES[textOf(one['returnValue']) || 'text'] ?? refuse(say`reads values in an unusual way`)
  if (textOf(one['skipSelectors']) !== '') refuse(say`skips some elements`)
  return {
    selector: constant(one['cssSelector']).slice(0, 1_000),
    take,
    ...(take === 'attribute' ? { attribute: constant(one['attribute']).slice(0, 200) } : {}),
    list: one['returnArray'] === true,
  }
}

/** Converts between Markdown and HTML, and adds the result to the item. */
export const markdownNode: NodeType = {
  runs: 'each',
  convert({ node, ref, source, note, text }) {
    const { parameters } = node
    const isToHtml = parameters['mode'] === 'markdownToHtml'
    const key = constant(parameters['destinationKey']) || 'data'
    if (key.includes('.')) refuse(say`puts its result into an object`)
    if (Object.keys(childOf(parameters, 'options')).length > 0)
      note(null, say`had options for the conversion; here there are none`)
    if (isToHtml) note(null, say`kept HTML in Markdown; here it is shown as text`)
    const config = {
      text: text('config.text', parameters[isToHtml ? 'markdown' : 'html']),
      to: isToHtml ? 'html' : 'markdown',
    }
    return asStep(
      { ref_id: ref, type: 'markdown', config },
      {
        ...oneItem(ref),
        whole: `dict(${source?.whole ?? '{}'}, **{${quoted(key)}: ${ref}})`,
        js: `{ ...${source?.js ?? '{}'}, ${JSON.stringify(key)}: input.${ref} }`,
      },
    )
  },
}

const constant = (value: unknown): string =>
  isExpression(value) ? refuse(say`uses an expression for what it extracts`) : textOf(value)
