import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'

const operationOf = ({ operation = 'get' }: Readonly<Record<string, unknown>>) => operation
const changes = (config: Readonly<Record<string, unknown>>) =>
  operationOf(config) === 'set' || operationOf(config) === 'increment'

export const KeyValueForm = formOf([
  {
    kind: 'choice',
    name: 'operation',
    label: english('Do'),
    initial: 'get',
    options: {
      get: [english('Read the value'), english('None where there is none')],
      set: [english('Keep a value'), english('In place of the one that is there')],
      increment: [english('Count'), english('Adds to the number that is there, or to 0')],
      delete: [english('Delete the value'), english('Its result is the value that was there')],
      list: [english('List values'), english('Those whose keys begin with a text')],
    },
  },
  {
    kind: 'template',
    name: 'key',
    label: english('Key'),
    hint: english('The same key is the same value in every flow.'),
    placeholder: 'last_sync',
    when: (config) => operationOf(config) !== 'list',
  },
  {
    kind: 'template',
    name: 'key',
    label: english('Keys that begin with'),
    optional: true,
    placeholder: 'seen/',
    when: (config) => operationOf(config) === 'list',
  },
  {
    kind: 'json',
    name: 'value',
    label: english('Value'),
    orText: true,
    hint: english('JSON whose texts are templates, or one template.'),
    when: (config) => operationOf(config) === 'set',
  },
  {
    kind: 'template',
    name: 'value',
    label: english('By how much'),
    number: true,
    optional: true,
    placeholder: '1',
    when: (config) => operationOf(config) === 'increment',
  },
  {
    kind: 'template',
    name: 'value',
    label: english('Where there is none'),
    optional: true,
    placeholder: '2020-01-01',
    when: (config) => operationOf(config) === 'get',
  },
  {
    kind: 'template',
    name: 'ttl_seconds',
    label: english('Forget it after seconds'),
    number: true,
    optional: true,
    hint: english('Empty, it is kept until it is deleted.'),
    placeholder: '86400',
    when: changes,
  },
])
