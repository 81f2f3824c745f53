import { ArrowDownWideNarrow, Equal, Funnel, Merge, Sigma } from 'lucide-react'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that make values of values. */
export const VALUE_FACES = {
  set: {
    label: 'Set values',
    icon: Equal,
    group: 'values',
    purpose: 'Puts values together under names',
    words: 'assign variable map',
    refId: 'values',
    config: { values: {} },
    sample: { config: { values: { total: '{{ web1.price * web1.quantity }}' } } },
    summary: (config) =>
      typeof config.values === 'string'
        ? config.values
        : Object.keys(config.values ?? {}).join(', ') || 'no values yet',
  },
  filter: {
    label: 'Filter a list',
    icon: Funnel,
    group: 'values',
    purpose: 'Keeps the entries for which a condition holds',
    words: 'where select',
    refId: 'filtered',
    config: {},
    sample: { config: { over: '{{ web1.orders }}', when: 'item.total > 100' } },
    summary: (config) => `where ${shown(config.when, '…')}`,
  },
  sort: {
    label: 'Sort a list',
    icon: ArrowDownWideNarrow,
    group: 'values',
    purpose: 'Puts the entries of a list in order',
    words: 'order by',
    refId: 'sorted',
    config: {},
    sample: { config: { over: '{{ web1.orders }}', by: 'total', descending: true } },
    summary: (config) =>
      `by ${shown(config.by, 'the entries')}${config.descending === true ? ', greatest first' : ''}`,
  },
  aggregate: {
    label: 'Aggregate a list',
    icon: Sigma,
    group: 'values',
    purpose: 'Counts, sums and groups the entries of a list',
    words: 'group sum average count summarize',
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
    label: 'Merge lists',
    icon: Merge,
    group: 'values',
    purpose: 'Joins two lists, or puts one behind the other',
    words: 'join combine append lookup',
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
    summary: (config) => `${shown(config.over, '…')} and ${shown(config.with, '…')}`,
  },
} as const satisfies Readonly<Record<string, StepFace>>
