import { formOf } from './form-of.tsx'

const operationOf = ({ operation = 'get' }: Readonly<Record<string, unknown>>) => operation
const changes = (config: Readonly<Record<string, unknown>>) =>
  operationOf(config) === 'set' || operationOf(config) === 'increment'

export const KeyValueForm = formOf([
  {
    kind: 'choice',
    name: 'operation',
    label: 'Do',
    initial: 'get',
    options: {
      get: ['Read the value', 'None where there is none'],
      set: ['Keep a value', 'In place of the one that is there'],
      increment: ['Count', 'Adds to the number that is there, or to 0'],
      delete: ['Delete the value', 'Its result is the value that was there'],
      list: ['List values', 'Those whose keys begin with a text'],
    },
  },
  {
    kind: 'template',
    name: 'key',
    label: 'Key',
    hint: 'The same key is the same value in every flow.',
    placeholder: 'last_sync',
    when: (config) => operationOf(config) !== 'list',
  },
  {
    kind: 'template',
    name: 'key',
    label: 'Keys that begin with',
    optional: true,
    placeholder: 'seen/',
    when: (config) => operationOf(config) === 'list',
  },
  {
    kind: 'json',
    name: 'value',
    label: 'Value',
    orText: true,
    hint: 'JSON whose texts are templates, or one template.',
    when: (config) => operationOf(config) === 'set',
  },
  {
    kind: 'template',
    name: 'value',
    label: 'By how much',
    number: true,
    optional: true,
    placeholder: '1',
    when: (config) => operationOf(config) === 'increment',
  },
  {
    kind: 'template',
    name: 'value',
    label: 'Where there is none',
    optional: true,
    placeholder: '2020-01-01',
    when: (config) => operationOf(config) === 'get',
  },
  {
    kind: 'template',
    name: 'ttl_seconds',
    label: 'Forget it after seconds',
    number: true,
    optional: true,
    hint: 'Empty, it is kept until it is deleted.',
    placeholder: '86400',
    when: changes,
  },
])
