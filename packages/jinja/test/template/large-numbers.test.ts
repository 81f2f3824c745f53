import { expect, test } from 'vitest'
import { renderTemplate, TemplateError } from '../../src/template/index.ts'
import type { Operation } from '../../src/template/base/operation.ts'
import { FILTERS } from '../../src/template/filters/filters.ts'
import { GLOBAL_LIST } from '../../src/template/globals/globals.ts'
import { TABLES } from '../../src/template/methods/attributes.ts'

const NUMBERS = ['10**9', '10**30', '-10**9', '10.0**300']
const SUBJECTS = ["'text'", '7', '1.5', "[3, 'a', 1]", "{'a': [1, {'b': 2}]}", '(1, 2)', "b'by'"]

/** The arguments of an operation with a number for each parameter in turn, and the others at their defaults. */
function calls({
  signature: { parameters, positionalOnly, takesRest },
}: Operation<never, unknown>): string[] {
  return NUMBERS.flatMap((number) => [
    ...parameters.map((_, place) =>
      parameters
        .slice(0, Math.max(place + 1, parameters.filter(({ required }) => required).length))
        .map(({ name, required }, at) => {
          if (at !== place && !required) return null
          const value = at === place ? number : "'x'"
          return at < positionalOnly || required ? value : `${name}=${value}`
        })
        .filter((argument) => argument !== null)
        .join(', '),
    ),
    ...(takesRest ? [number] : []),
  ])
}

function defectsOf(templates: readonly string[]): string[] {
  return templates.flatMap((template) => {
    try {
      renderTemplate(template, {})
    } catch (error) {
      if (!(error instanceof TemplateError)) return [`${template}: ${String(error)}`]
    }
    return []
  })
}

test('no filter, method or global has a defect caused by large numbers', () => {
  const filters = [...FILTERS.values()].flatMap((one) =>
    calls(one).flatMap((args) => SUBJECTS.map((subject) => `{{ ${subject} | ${one.name}(${args}) }}`)),
  )
  const methods = Object.values(TABLES)
    .flatMap((table) => [...(table as ReadonlyMap<string, Operation<never, unknown>>).values()])
    .flatMap((one) =>
      calls(one).flatMap((args) => SUBJECTS.map((subject) => `{{ (${subject}).${one.name}(${args}) }}`)),
    )
  const globals = GLOBAL_LIST.flatMap(({ operation }) =>
    calls(operation).map((args) => `{{ ${operation.name}(${args}) }}`),
  )
  const formats = NUMBERS.flatMap((number) => [
    `{{ '%*d' % (${number}, 1) }}`,
    `{{ '{:>{}}'.format('x', ${number}) }}`,
    `{{ '{:.{}f}'.format(1.5, ${number}) }}`,
    `{{ 'x' * (${number}) }}`,
    `{{ [1] * (${number}) }}`,
    `{{ 'text'[(${number}):(${number}):(${number})] }}`,
  ])
  const templates = [...filters, ...methods, ...globals, ...formats]
  expect(templates.length).toBeGreaterThan(2_000)
  expect(defectsOf(templates)).toEqual([])
})

test('int gives its default for infinity, as Jinja does', () => {
  const sources = [
    "'inf' | int(3)",
    "'-inf' | int(4)",
    "'1e400' | int(7)",
    "('9' * 5000) | int",
    "('inf' | float) | int(5)",
  ]
  expect(sources.map((source) => renderTemplate(`{{ ${source} }}`, {}))).toEqual(['3', '4', '7', '0', '5'])
})
