import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'

const operationOf = ({ operation = 'get' }: Readonly<Record<string, unknown>>) => operation
const changes = (config: Readonly<Record<string, unknown>>) =>
  operationOf(config) === 'set' || operationOf(config) === 'increment'

export const KeyValueForm = formOf([
  {
    kind: 'choice',
    name: 'operation',
    label: english('Operation'),
    initial: 'get',
    options: {
      get: [english('Get a value'), english('null if missing')],
      set: [english('Set a value'), english('Overwrites the current value')],
      increment: [english('Count'), english('Starts at 0')],
      delete: [english('Delete value'), english('Returns the previous value')],
      list: [english('List values'), english('All keys with a prefix')],
    },
  },
  {
    kind: 'template',
    name: 'key',
    label: english('Key'),
    hint: english('Keys are shared by all flows.'),
    placeholder: 'last_sync',
    when: (config) => operationOf(config) !== 'list',
  },
  {
    kind: 'template',
    name: 'key',
    label: english('Key prefix'),
    optional: true,
    placeholder: 'seen/',
    when: (config) => operationOf(config) === 'list',
  },
  {
    kind: 'json',
    name: 'value',
    label: english('Value'),
    orText: true,
    hint: english('JSON (strings can be templates), or a template.'),
    when: (config) => operationOf(config) === 'set',
  },
  {
    kind: 'template',
    name: 'value',
    label: english('Amount'),
    number: true,
    optional: true,
    placeholder: '1',
    when: (config) => operationOf(config) === 'increment',
  },
  {
    kind: 'template',
    name: 'value',
    label: english('Default value'),
    optional: true,
    placeholder: '2020-01-01',
    when: (config) => operationOf(config) === 'get',
  },
  {
    kind: 'template',
    name: 'ttl_seconds',
    label: english('Expires after (seconds)'),
    number: true,
    optional: true,
    hint: english('Leave empty to keep it until it is deleted.'),
    placeholder: '86400',
    when: changes,
  },
])
