/** Converts forms. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { oneItem, quoted, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asStep, type NodeType } from './node-context.ts'

export const formNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ node, ref, note }) {
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const fields = fieldsOf(listOf(childOf(parameters, 'formFields')['values']).filter(isRecord).slice(0, 50))
    note(null, say`has a new URL, which needs the flow's token unless you turn that off`)
    const authentication = textOf(parameters['authentication']) || 'none'
    if (authentication !== 'none')
      note(null, say`checked people with ${authentication}; here they open the link with the flow's token`)
    const config = {
      title: constant(parameters['formTitle']).slice(0, 200),
      description: constant(parameters['formDescription']).slice(0, 4_000),
      fields: fields.map(({ field }) => field),
      submit_label: constant(options['buttonLabel']).slice(0, 60),
      ...endOf(parameters, options),
    }
    return asStep({ ref_id: ref, type: 'form_trigger', config }, filledIn(ref, fields))
  },
}

interface NamedField {
  /** The key by which later nodes read the field. */
  readonly key: string
  readonly field: { readonly name: string; readonly [key: string]: unknown }
}

const KINDS: Readonly<Record<string, string>> = {
  text: 'text',
  textarea: 'textarea',
  number: 'number',
  email: 'email',
  date: 'date',
  dropdown: 'select',
  radio: 'select',
}

/** Reads the fields, leaving out text between them. */
function fieldsOf(values: readonly Plain[]): NamedField[] {
  const names = new Set<string>()
  return values
    .filter((one) => one['fieldType'] !== 'html')
    .map((one) => {
      const label = constant(one['fieldLabel'])
      const key = constant(one['fieldName']) || label
      const kind = textOf(one['fieldType']) || 'text'
      const type = KINDS[kind] ?? refuse(say`has a field of the type "${kind.slice(0, 40)}"`)
      if (one['multiselect'] === true) refuse(say`has a field that allows several choices`)
      const name = nameOf(key, names)
      // n8n's editor leaves an empty option behind.
      const options = listOf(childOf(one, 'fieldOptions')['values'])
        .filter(isRecord)
        .map((option) => constant(option['option']))
        .filter((option) => option.trim() !== '')
      return {
        key,
        field: {
          name,
          type,
          label: label.slice(0, 300),
          required: one['requiredField'] === true,
          ...(type === 'select' ? { options } : {}),
        },
      }
    })
}

/** The key as a name that templates can read. */
function nameOf(key: string, taken: Set<string>): string {
  const words = key
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase()
    .slice(0, 80)
  const base = /^[a-z]/.test(words) ? words : `field_${words}`.replace(/_$/, '')
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base}_${number}`
  taken.add(name)
  return name
}

function endOf(parameters: Plain, options: Plain): Plain {
  const end = childOf(childOf(options, 'respondWithOptions'), 'values')
  if (parameters['responseMode'] === 'responseNode') return { response: 'page' }
  if (end['respondWith'] === 'redirect')
    return { response: 'redirect', redirect_url: constant(end['redirectUrl']).slice(0, 2_000) }
  const text = constant(end['formSubmittedText'] ?? options['formSubmittedText'])
  return { response: 'text', response_text: text.slice(0, 4_000) }
}

function filledIn(ref: string, fields: readonly NamedField[]): Source {
  const paths = fields.map(({ key, field }) => [key, `${ref}.${field.name}`] as const)
  return {
    ...oneItem(ref),
    whole: `{${paths.map(([key, path]) => `${quoted(key)}: ${path}`).join(', ')}}`,
    js: `{ ${paths.map(([key, path]) => `${JSON.stringify(key)}: input.${path}`).join(', ')} }`,
    fields: { ...Object.fromEntries(paths), submittedAt: null, formMode: null },
  }
}

const constant = (value: unknown): string =>
  isExpression(value) ? refuse(say`uses an expression for the text of its page`) : textOf(value)
