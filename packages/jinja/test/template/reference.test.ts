import { describe, expect, it } from 'vitest'
import { writeJson } from '../../src/data/json.ts'
import {
  completionEntries,
  renderDictionary,
  renderTemplate,
  TemplateError,
} from '../../src/template/index.ts'
import { referenceLine } from './reference-line.ts'
import { readText } from '../../../../scripts/lib/read-text.ts'

const text = readText('docs/reference/templates.md')
const context = JSON.parse(block('json context')[0] ?? '{}') as Record<string, unknown>

describe('the reference in docs/reference/templates.md', () => {
  it('shows the actual results of templates', () => {
    const examples = block('jinja').flatMap(examplesIn)
    expect(examples.length).toBeGreaterThan(70)
    expect(
      examples.map(([template]) => [template, outcome(() => renderTemplate(template, context))]),
    ).toEqual(examples)
  })

  it('shows the actual values of dictionary strings', () => {
    const examples = block('dictionary').flatMap(examplesIn)
    expect(examples.length).toBeGreaterThan(3)
    expect(
      examples.map(([source]) => [source, outcome(() => writeJson(renderDictionary(source, context).value))]),
    ).toEqual(examples)
  })

  it('lists every tag, filter, test, global and method like completion', () => {
    const lines = new Set(text.split('\n'))
    expect(
      completionEntries()
        .map(referenceLine)
        .filter((line) => !lines.has(line)),
    ).toEqual([])
  })
})

function block(language: string): string[] {
  return [...text.matchAll(/^```(\w[^\n]*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , body = '']) => body)
}

/** Lines of the form `template → result`. */
function examplesIn(body: string): [template: string, result: string][] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.lastIndexOf(' →')
      return [line.slice(0, at), line.slice(at + 3)]
    })
}

function outcome(work: () => string): string {
  try {
    return work()
  } catch (error) {
    if (error instanceof TemplateError) return `!${error.kind}`
    throw error
  }
}
