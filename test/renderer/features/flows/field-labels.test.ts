/** Problems name fields by the labels of the forms. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { definitionOf, facesOf, STEP_CONFIGS } from '../../../../src/shared/contract/step-types/index.ts'
import { FOR_EACH_FIELDS } from '../../../../src/shared/contract/step-types/parts/for-each.ts'
import { fieldLabel, placeInWords } from '../../../../src/renderer/features/flows/model/step-errors.ts'

const FLOWS = 'src/renderer/features/flows'
const FORMS = globSync(`${FLOWS}/step-forms/*.{ts,tsx}`).map((path) => readFileSync(path, 'utf8'))

const ACTION_FIELDS = readFileSync(`${FLOWS}/fields/action-fields.tsx`, 'utf8')

/** Fields whose control has its own label. */
const LABELLED: Readonly<Record<string, string>> = {
  auth_id: `${FLOWS}/fields/auth-field.tsx`,
  connector_id: `${FLOWS}/fields/action-fields.tsx`,
  action: `${FLOWS}/fields/action-fields.tsx`,
  pagination: 'src/renderer/components/pagination/paging-sheet.tsx',
}

test('problems name each field of a step by its label in the form', () => {
  const named = Object.entries(STEP_CONFIGS).flatMap(([type, config]) =>
    Object.keys(config.shape).map((key) => ({ type, key, label: fieldLabel(type, key) })),
  )
  const isLabelled = (key: string, label: string) => {
    const control = LABELLED[key]
    return (
      control === undefined || readFileSync(control, 'utf8').match(`(?:t|english)\\('${label}'\\)`) !== null
    )
  }
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(({ key, label }) => label === key || !isLabelled(key, label))).toEqual([])
})

test('a form that is more than a list has each field of its type, by the label of the definition', () => {
  const [table = ''] = FORMS.filter((source) => source.includes('OWN_FORMS: '))
  const own = [...table.matchAll(/^ {2}(\w+): (\w+),$/gm)].map(([, type = '', form = '']) => {
    const own = FORMS.find((one) => one.includes(`function ${form}(`)) ?? ''
    const parts = [
      own.includes('<ActionInput ') ? ACTION_FIELDS : '',
      own.includes('<ForEachSection ') ? FOR_EACH_FIELDS.map((name) => `'${name}'`).join() : '',
    ]
    const source = [own, ...parts].join('\n')
    const isWhole = /<FormFields \{\.\.\.props\} \/>/.test(source)
    const names = Object.keys(definitionOf(type)?.fields ?? {}).filter((name) => LABELLED[name] === undefined)
    return {
      type,
      missing: names.filter((name) => {
        const isMentioned =
          new RegExp(`'${name}'|config\\.${name}\\b`).test(source) ||
          FORMS.some((one) => one.includes(`frameOf(props, '${name}')`))
        return !isWhole && !facesOf(type, name).every(({ option }) => option) && !isMentioned
      }),
    }
  })
  expect(own.length).toBeGreaterThan(10)
  expect(own.filter(({ missing }) => missing.length > 0)).toEqual([])
})

const words = (type: string, field: string) => placeInWords({ type, config: {} }, field, null)

test('what is wrong in a list names its item as people count', () => {
  expect([
    words('form_trigger', 'config.fields[2].name'),
    words('rest', 'config.headers.accept'),
    words('switch', 'cases[0].label'),
    words('sql', 'config.statements[1]'),
    words('filter', 'config.over'),
    words('filter', ''),
  ]).toEqual([
    'Fields: 3. name',
    'Headers: accept',
    'Cases: 1. label',
    'Or several statements in one transaction: 2.',
    'List',
    '',
  ])
})
