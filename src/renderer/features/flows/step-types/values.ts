import {
  ArrowDownWideNarrow,
  Braces,
  Database,
  Equal,
  Funnel,
  Merge,
  Sigma,
  TableProperties,
} from '../../../lib/icons.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Steps that derive values from values. */
export const VALUE_FACES = {
  set: {
    label: english('Set values'),
    icon: Equal,
    group: 'values',
    purpose: english('Sets named values'),
    words: english('assign variable map rename fields'),
    refId: 'values',
    config: { values: {} },
    sample: { config: { values: { total: '{{ web1.price * web1.quantity }}' } } },
    summary: (config) =>
      typeof config.values === 'string'
        ? config.values
        : Object.keys(config.values ?? {}).join(', ') || t('no values yet'),
  },
  code: {
    label: english('JavaScript'),
    icon: Braces,
    group: 'values',
    purpose: english('Runs code on the results so far, in a sandbox'),
    words: english('code script function javascript'),
    refId: 'code',
    config: { source: 'return Object.keys(input)' },
    sample: {
      config: { source: 'return input.web1.orders.map((order) => order.total * 1.19)' },
    },
    summary: (config) => shown(config.source, t('no code yet')).split('\n')[0] ?? '',
  },
  key_value: {
    label: english('Key-value store'),
    icon: Database,
    group: 'values',
    purpose: english('Stores and reads values across runs'),
    words: english('store memory cache counter state remember'),
    refId: 'kept',
    config: { operation: 'get' },
    sample: { config: { operation: 'set', key: 'last_sync', value: '{{ now() }}', ttl_seconds: 86_400 } },
    summary: (config) => `${shown(config.operation, 'get')} ${shown(config.key, '…')}`,
  },
  data_table: {
    label: english('Table'),
    icon: TableProperties,
    group: 'values',
    purpose: english('Reads and changes a table in Millrace'),
    words: english(
      'data table store lookup look up database rows records upsert insert seen duplicate remember spreadsheet',
    ),
    refId: 'table_rows',
    config: { operation: 'read' },
    sample: {
      config: {
        table: 'customers',
        operation: 'read',
        filter: [{ column: 'email', value: '{{ web1.email }}' }],
      },
    },
    summary: (config) => `${shown(config.operation, 'read')} ${shown(config.table, '…')}`,
  },
  filter: {
    label: english('Filter a list'),
    icon: Funnel,
    group: 'values',
    purpose: english('Keeps the items that match a condition'),
    words: english('where select remove keep'),
    refId: 'filtered',
    config: {},
    sample: { config: { over: '{{ web1.orders }}', when: 'item.total > 100' } },
    summary: (config) => t('where {{condition}}', { condition: shown(config.when, '…') }),
  },
  sort: {
    label: english('Sort a list'),
    icon: ArrowDownWideNarrow,
    group: 'values',
    purpose: english('Sorts a list'),
    words: english('order by'),
    refId: 'sorted',
    config: {},
    sample: { config: { over: '{{ web1.orders }}', by: 'total', descending: true } },
    summary: (config) =>
      config.descending === true
        ? t('by {{value}}, descending', { value: shown(config.by, t('the items')) })
        : t('by {{value}}', { value: shown(config.by, t('the items')) }),
  },
  aggregate: {
    label: english('Aggregate a list'),
    icon: Sigma,
    group: 'values',
    purpose: english('Counts, sums and groups a list'),
    words: english('group sum average count total summarize'),
    refId: 'totals',
    config: { operations: [{ name: 'count', operation: 'count', of: '' }] },
    sample: {
      config: {
        over: '{{ web1.orders }}',
        operations: [
          { name: 'orders', operation: 'count' },
          { name: 'revenue', operation: 'sum', of: 'total' },
        ],
        by: 'country',
      },
    },
    summary: (config) =>
      (Array.isArray(config.operations) ? config.operations : [])
        .map((one: { name?: unknown }) => shown(one.name, '…'))
        .join(', '),
  },
  merge: {
    label: english('Merge lists'),
    icon: Merge,
    group: 'values',
    purpose: english('Joins two lists or appends one to the other'),
    words: english('join combine append lookup'),
    refId: 'merged',
    config: {},
    sample: {
      config: {
        over: '{{ web1.orders }}',
        with: '{{ web1.customers }}',
        how: 'left',
        on: 'customer_id',
        on_with: 'id',
      },
    },
    summary: (config) =>
      t('{{first}} and {{second}}', { first: shown(config.over, '…'), second: shown(config.with, '…') }),
  },
} as const satisfies Readonly<Record<string, StepFace>>
