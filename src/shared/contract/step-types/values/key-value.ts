import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template, numeric } from '../parts/fields.ts'
import { stepType, shown, type Config } from '../parts/step-type.ts'

export const KEY_VALUE_OPERATIONS = ['get', 'set', 'delete', 'increment', 'list'] as const

const does =
  (...operations: readonly unknown[]) =>
  ({ operation = 'get' }: Config) =>
    operations.includes(operation)

export const keyValue = stepType({
  family: 'values',
  label: 'Key-value store',
  purpose: 'Stores and reads values across runs',
  words: 'store memory cache counter state remember',
  icon: 'database',
  refId: 'kept',
  config: z
    .strictObject({
      operation: z
        .enum(KEY_VALUE_OPERATIONS)
        .default('get')
        .describe('What to do: `get`, `set`, `delete`, `increment` (returns the new number) or `list`.'),
      key: template
        .default('')
        .describe('The key, up to 500 characters. For `list`: what the keys begin with.'),
      value: json
        .optional()
        .describe(
          'For `set` the value to store, for `increment` the amount (default 1), for `get` the default if the key is missing.',
        ),
      ttl_seconds: numeric
        .nullable()
        .optional()
        .describe(
          'For `set` and `increment`: seconds until the key is deleted. If null or absent, it is kept.',
        ),
    })
    .meta({
      description: 'Stores and reads values across runs. All flows share one encrypted store.',
      examples: [{ operation: 'increment', key: 'orders:count', value: 1 }],
    }),
  fields: {
    operation: {
      label: 'Operation',
      options: {
        get: ['Get a value', 'null if missing'],
        set: ['Set a value', 'Overwrites the current value'],
        increment: ['Count', 'Starts at 0'],
        delete: ['Delete value', 'Returns the previous value'],
        list: ['List values', 'All keys with a prefix'],
      },
    },
    key: [
      {
        label: 'Key',
        hint: 'Keys are shared by all flows.',
        placeholder: 'last_sync',
        when: (config) => !does('list')(config),
      },
      { label: 'Key prefix', optional: true, placeholder: 'seen/', when: does('list') },
    ],
    value: [
      {
        label: 'Value',
        orText: true,
        hint: 'JSON (strings can be templates), or a template.',
        when: does('set'),
      },
      {
        label: 'Amount',
        kind: 'template',
        number: true,
        optional: true,
        placeholder: '1',
        when: does('increment'),
      },
      {
        label: 'Default value',
        kind: 'template',
        optional: true,
        placeholder: '2020-01-01',
        when: does('get'),
      },
    ],
    ttl_seconds: {
      label: 'Expires after (seconds)',
      optional: true,
      hint: 'Leave empty to keep the value until it is deleted.',
      placeholder: '86400',
      when: does('set', 'increment'),
    },
  },
  result: json.describe('The value; for `list` the keys with their values.'),
  first: { operation: 'get' },
  sample: { config: { operation: 'set', key: 'last_sync', value: '{{ now() }}', ttl_seconds: 86_400 } },
  summary: (config) => `${shown(config.operation, 'get')} ${shown(config.key, '…')}`,
})
