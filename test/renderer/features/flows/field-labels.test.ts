/** Problems name fields by the labels of the forms. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STEP_CONFIGS } from '../../../../src/shared/contract/steps.ts'
import { fieldLabel, placeInWords } from '../../../../src/renderer/features/flows/step-types/field-labels.ts'

const FORMS = globSync([
  'src/renderer/features/flows/step-forms/**/*.{ts,tsx}',
  'src/renderer/features/flows/fields/action-fields.tsx',
  'src/renderer/components/pagination/**/*.tsx',
]).map((path) => readFileSync(path, 'utf8'))

/** A form that has both the field and the label. */
const isInForm = (key: string, label: string) =>
  FORMS.some((source) => new RegExp(`\\b${key}\\b`).test(source) && source.includes(`'${label}'`))

test('problems name each field of a step by its label in the form', () => {
  const named = Object.entries(STEP_CONFIGS).flatMap(([type, config]) =>
    Object.keys(config.shape).map((key) => ({ type, key, label: fieldLabel(type, key) })),
  )
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(({ key, label }) => label === key || !isInForm(key, label))).toEqual([])
})

test('what is wrong in a list names its item as people count', () => {
  expect([
    placeInWords('form_trigger', 'config.fields[2].name'),
    placeInWords('rest', 'config.headers.accept'),
    placeInWords('switch', 'cases[0].label'),
    placeInWords('sql', 'config.statements[1]'),
    placeInWords('filter', 'config.over'),
    placeInWords('filter', ''),
  ]).toEqual([
    'Fields: 3. name',
    'Headers: accept',
    'Cases: 1. label',
    'Or several statements in one transaction: 2.',
    'List',
    '',
  ])
})
