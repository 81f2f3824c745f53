import { expect, test } from 'vitest'
import { nearest, repairTemplate } from '@millrace/jinja'

const repaired = (source: string, expression = false) => {
  const found = repairTemplate(source, { names: ['order', 'item', 'index'], expression })
  return found && (found.isCertain ? found.source : `${found.source} ?`)
}

test('a template gets the names, tags and ends that were meant', () => {
  const templates = {
    '{{ ordr.id | uper }}': '{{ order.id | upper }}',
    '{{ order.id }': '{{ order.id }}',
    '{{ order.id': '{{ order.id }}',
    '{{ order.id %}': '{{ order.id }}',
    '{% if order }}x{% endif %}': '{% if order %}x{% endif %}',
    '{% if order %}x{% endfi %}': '{% if order %}x{% endif %}',
    '{% if order %}x{% end if %}': '{% if order %}x{% endif %}',
    '{% if order %}a{% else if order.x %}b{% endif %}': '{% if order %}a{% elif order.x %}b{% endif %}',
    '{% if order = 1 && !item %}a{% endif %}': '{% if order == 1 and not item %}a{% endif %}',
    '{{ order is defned }}': '{{ order is defined }}',
    '😀\n{{ itm }}': '😀\n{{ item }}',
    // These could also have been meant differently.
    '{% if order %}x': '{% if order %}x{% endif %} ?',
    '{% for x in order %}{{ x }}{% endif %}': '{% for x in order %}{{ x }}{% endfor %} ?',
    "{{ order | default('x }}": "{{ order | default('x') }} ?",
    "{{ order | default'x') }}": "{{ order | default('x') }} ?",
    '{{ order[0 }}': '{{ order[0] }} ?',
    '{"a": {{ order.a, "b": 1}': '{"a": {{ order.a }}, "b": 1} ?',
  }
  expect(Object.fromEntries(Object.keys(templates).map((source) => [source, repaired(source)]))).toEqual(
    templates,
  )
  expect(repaired('ordr.id > 1', true)).toBe('order.id > 1')
})

test('nothing is offered for what is right, unlike anything or too long', () => {
  expect([
    repaired('{{ order }}'),
    repaired('{{ zebra }}'),
    repaired(`{{ ordr }}${' '.repeat(2_000)}`),
  ]).toEqual([null, null, null])
})

test('two names that are equally near are both named, and neither is certain', () => {
  expect(nearest('oder1', ['order1', 'oder2', 'far'])).toEqual(['order1', 'oder2'])
  const found = repairTemplate('{{ web3 }}', { names: ['web1', 'web2'] })
  expect(found).toEqual({ source: '{{ web1 }}', isCertain: false })
})

test.each(['{{ ordr }}', '{{ (', "{{ 'x", '{% if ordr %}', '{{ a | ', '}}'])(
  'the longest template of %s ends',
  (part) => {
    expect(repaired(part.repeat(Math.floor(2_000 / part.length)))).not.toBe('')
  },
)
