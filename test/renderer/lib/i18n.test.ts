import { afterEach, expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRelative,
  formatTimeSpan,
} from '../../../src/renderer/lib/format.ts'
import { setLanguage, t, tn } from '../../../src/renderer/lib/i18n.ts'

afterEach(() => setLanguage('en'))

test('an English sentence is its own key, with its values inserted and templates left unchanged', () => {
  expect([
    t('Kept. At: {{ web1.id }}'),
    t('{{a}} and {{ web1.id }} and {{b}}', { a: '<b>$t(x) {{b}}</b>', b: 4747 }),
    t('{{context}} {{count}}', { context: 'x', count: 1204 }),
    tn(1, '{{count}} run of {{name}}', '{{count}} runs of {{name}}', { name: 'A' }),
    tn(1204, '{{count}} run of {{name}}', '{{count}} runs of {{name}}', { name: 'A' }),
  ]).toEqual([
    'Kept. At: {{ web1.id }}',
    '<b>$t(x) {{b}}</b> and {{ web1.id }} and 4747',
    'x 1,204',
    '1 run of A',
    '1,204 runs of A',
  ])
})

test('German has its own sentences, numbers and dates', async () => {
  await setLanguage('de')
  const now = Date.parse('2027-05-20T12:00:00')
  expect({
    past: formatRelative(now - 2 * 86_400_000, now),
    future: formatRelative(now + 240_000, now),
    date: formatRelative(now - 20 * 86_400_000, now),
    duration: formatDuration(1_240),
    bytes: formatBytes(3_200),
    count: formatCount(1_204),
    unknown: t('A sentence that German lacks'),
  }).toEqual({
    past: 'vor 2 Tagen',
    future: 'in 4 min',
    date: '30. Apr.',
    duration: '1,24 s',
    bytes: '3,1 kB',
    count: '1.204',
    unknown: 'A sentence that German lacks',
  })
})

test('a span has its hours unless it begins and ends at midnight', () => {
  const at = (text: string) => Date.parse(`2026-11-${text}`)
  expect(
    [
      formatTimeSpan(at('27T00:00'), at('28T00:00')),
      formatTimeSpan(at('27T00:00'), at('29T00:00')),
      formatTimeSpan(at('27T00:00'), at('28T09:00')),
      formatTimeSpan(at('27T14:00'), at('27T15:00')),
    ].map((text) => text.replaceAll(/\s/g, ' ')),
  ).toEqual([
    'Fri 27 Nov',
    'Fri 27 Nov – Sat 28 Nov',
    'Fri 27 Nov, 00:00 – Sat 28 Nov, 09:00',
    'Fri 27 Nov, 14:00–15:00',
  ])
})
