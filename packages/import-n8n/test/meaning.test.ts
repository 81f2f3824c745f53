import { describe, expect, it } from 'vitest'
import { CARRIED_METHODS, LACKING_METHODS } from '../src/expression/script.ts'
import { METHODS } from '../../../src/sandbox/n8n/extensions.ts'
import { aWorkflow, codeOf, hook, type Json, type NodeLike, runImported, set } from './n8n-workflow.ts'

/** A set node whose fields have types. */
const typed = (
  name: string,
  fields: readonly (readonly [string, string, unknown])[],
  more: Json = {},
): NodeLike => ({
  name,
  type: 'set',
  typeVersion: 3.4,
  parameters: {
    assignments: {
      assignments: fields.map(([field, type, value]) => ({ id: field, name: field, type, value })),
    },
    options: {},
    ...more,
  },
})

/** The result of a node "Shape" after a webhook with a body. */
async function shaped(shape: NodeLike, body: Json, more: Json = {}) {
  const { error, results, notes } = await runImported(
    aWorkflow([hook, shape], [`Webhook -> ${shape.name}`], more),
    body,
  )
  return { error, shape: results['shape'], notes: notes.filter((note) => note.startsWith('Shape')) }
}

const BODY = {
  nothing: null,
  price: '9.50',
  count: 3,
  yes: true,
  list: [1, null, 'x'],
  empty: [],
  deep: { a: { b: 'c' } },
  name: 'ada LOVELACE',
  at: '2024-03-30T23:30:00.000Z',
}

describe('expressions mean what they mean in n8n', () => {
  it('strings contain what JavaScript makes of null, booleans and lists', async () => {
    const shape = typed('Shape', [
      [
        'text',
        'string',
        '={{ $json.body.nothing }}|{{ $json.body.yes }}|{{ $json.body.list }}|{{ $json.body.deep }}|{{ $json.body.gone.further }}|{{ $json.body.count }}',
      ],
      [
        'code',
        'string',
        '={{ $json.body.nothing ?? "none" }}|{{ $json.body.list.map(x => x) }}|{{ !$json.body.empty }}',
      ],
    ])
    expect(await shaped(shape, BODY)).toEqual({
      error: null,
      shape: { text: '|true|1,,x|[object Object]||3', code: 'none|1,,x|false' },
      notes: [],
    })
  })

  it('JavaScript decides what is true, what "+" joins and what "*" turns into a number', async () => {
    const shape = typed('Shape', [
      ['product', 'number', '={{ $json.body.price * 100 }}'],
      ['joined', 'string', '={{ $json.body.price + 1 }}'],
      ['truth', 'boolean', '={{ $json.body.empty ? true : false }}'],
      ['same', 'boolean', "={{ $json.body.count == '3' }}"],
      ['missing', 'string', '={{ $json.body.gone.further }}'],
      ['nan', 'any', '={{ $json.body.name * 1 || 0 }}'],
    ])
    expect((await shaped(shape, BODY)).shape).toEqual({
      product: 950,
      joined: '9.501',
      truth: true,
      same: true,
      missing: null,
      nan: 0,
    })
  })

  it('fields have their configured types, or the node fails', async () => {
    const shape = typed('Shape', [
      ['text', 'string', '={{ $json.body.count }}'],
      ['json', 'string', '={{ $json.body.deep }}'],
      ['number', 'number', '={{ $json.body.price }}'],
      ['flag', 'boolean', '={{ "TRUE" }}'],
      ['list', 'array', '={{ "[1, 2]" }}'],
      ['object', 'object', '={ "a": {{ $json.body.count }} }'],
      ['nothing', 'number', '={{ $json.body.nothing }}'],
      ['path.to', 'string', 'x'],
    ])
    expect((await shaped(shape, BODY)).shape).toEqual({
      text: '3',
      json: '{"a":{"b":"c"}}',
      number: 9.5,
      flag: true,
      list: [1, 2],
      object: { a: 3 },
      nothing: null,
      path: { to: 'x' },
    })
    const wrong = await shaped(typed('Shape', [['n', 'number', '={{ $json.body.name }}']]), BODY)
    expect(wrong.error).toContain("'n' expects a number but we got 'ada LOVELACE'")
  })

  it("support n8n's own methods and functions", async () => {
    const calls: readonly (readonly [string, string, unknown])[] = [
      ['empty', '$json.body.gone.isEmpty()', true],
      ['some', '$json.body.list.isNotEmpty()', true],
      ['first', '$json.body.list.first()', 1],
      ['last', '$json.body.list.last()', 'x'],
      ['compact', '$json.body.list.compact()', [1, 'x']],
      ['unique', '[1, 1, {a: 1}, {a: 1}].unique()', [1, { a: 1 }]],
      ['sum', '[1, 2, 3].sum()', 6],
      ['pluck', '[{a: 1, b: 2}, {a: 3}].pluck("a")', [1, 3]],
      ['chunk', '[1, 2, 3].chunk(2)', [[1, 2], [3]]],
      ['union', '[1, 2].union([2, 3])', [1, 2, 3]],
      ['keys', '$json.body.deep.keys()', ['a']],
      ['round', '(1.256).round(2)', 1.26],
      ['number', '$json.body.price.toNumber() + 1', 10.5],
      ['base64', '"häß".base64Encode()', 'aMOkw58='],
      ['text', '"aMOkw58=".base64Decode()', 'häß'],
      ['url', '"a b&c".urlEncode()', 'a%20b%26c'],
      ['if', '$if($json.body.count > 2, "many", "few")', 'many'],
      ['ifEmpty', '$ifEmpty($json.body.empty, "nothing")', 'nothing'],
      ['max', '$max(1, 5, 3)', 5],
      ['chained', '$json.body.list.compact().last().toUpperCase()', 'X'],
      ['optional', '$json.body.gone?.first()', null],
    ]
    const shape = typed(
      'Shape',
      calls.map(([name, code]) => [name, 'any', `={{ ${code} }}`]),
    )
    const { error, shape: given } = await shaped(shape, BODY)
    expect({ error, given }).toEqual({
      error: null,
      given: Object.fromEntries(calls.map(([name, , value]) => [name, value])),
    })
    const failed = await shaped(typed('Shape', [['x', 'any', '={{ $json.body.gone.first() }}']]), BODY)
    expect(failed.error).toContain('first() cannot be called on undefined')
  })

  it("dates are moved, compared and formatted in the workflow's time zone, across clock changes", async () => {
    const at = 'DateTime.fromISO($json.body.at)'
    const calls: readonly (readonly [string, string, unknown])[] = [
      ['iso', at, '2024-03-31T00:30:00.000+01:00'],
      ['day', `${at}.plus({ days: 1 })`, '2024-04-01T00:30:00.000+02:00'],
      ['hours', `${at}.plus({ hours: 24 })`, '2024-04-01T01:30:00.000+02:00'],
      ['own', `$json.body.at.toDateTime().plus(2, 'months').format('dd.MM.yyyy')`, '30.05.2024'],
      ['month', `${at}.startOf('month').toISODate()`, '2024-03-01'],
      ['quarter', `${at}.endOf('quarter').toFormat('yyyy-MM-dd HH:mm')`, '2024-03-31 23:59'],
      ['leap', `DateTime.fromISO('2024-01-31').plus({ month: 1 }).day`, 29],
      ['diff', `DateTime.fromISO('2024-04-01').diff(DateTime.fromISO('2024-03-30'), 'days').days`, 2],
      [
        'days',
        `DateTime.fromISO('2024-03-01').diff(DateTime.fromISO('2024-01-15'), ['months', 'days']).toObject()`,
        { months: 1, days: 15 },
      ],
      [
        'format',
        `DateTime.fromFormat('05/02/24 07:08', 'dd/MM/yy HH:mm').toISO()`,
        '2024-02-05T07:08:00.000+01:00',
      ],
      ['zone', `${at}.setZone('America/New_York').toFormat("d LLL, h:mm a")`, '30 Mar, 7:30 PM'],
      ['utc', `${at}.toUTC().toISO()`, '2024-03-30T23:30:00.000Z'],
      ['week', `${at}.weekNumber`, 13],
      ['before', `${at} < $now`, true],
      ['js', `new Date($json.body.at).getTime()`, 1711841400000],
      ['invalid', `DateTime.fromISO('never').isValid`, false],
    ]
    const shape = typed(
      'Shape',
      calls.map(([name, code]) => [name, 'any', `={{ ${code} }}`]),
    )
    const { error, shape: given } = await shaped(shape, BODY, { settings: { timezone: 'Europe/Berlin' } })
    expect({ error, given }).toEqual({
      error: null,
      given: Object.fromEntries(calls.map(([name, , value]) => [name, value])),
    })
  })

  it('times, numbers and periods are written in any language, and read in any form', async () => {
    const at = "DateTime.fromISO('2024-03-31T00:30')"
    const calls: readonly (readonly [string, string, unknown])[] = [
      ['language', `${at}.setLocale('fr').toFormat('cccc d LLLL')`, 'dimanche 31 mars'],
      ['preset', `${at}.toLocaleString(DateTime.DATE_FULL, { locale: 'de' })`, '31. März 2024'],
      [
        'price',
        "(1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })",
        '1.234,50\u00a0€',
      ],
      ['date', "new Date(0).toLocaleDateString('en-GB', { timeZone: 'UTC' })", '01/01/1970'],
      ['sorted', "['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b, 'de'))", ['a', 'ä', 'z']],
      ['intl', "new Intl.NumberFormat('de').format(0.5)", '0,5'],
      ['relative', `${at}.toRelative({ base: ${at}.minus({ days: 3 }), locale: 'de' })`, 'in 3 Tagen'],
      ['human', 'Duration.fromObject({ hours: 2, minutes: 5 }).toHuman()', '2 hours, 5 minutes'],
      ['week date', "DateTime.fromISO('2024-W05-3').toISODate()", '2024-01-31'],
      ['week', `${at}.set({ weekYear: 2025, weekNumber: 1, weekday: 1 }).toISODate()`, '2024-12-30'],
      [
        'local week',
        `DateTime.fromISO('2024-03-31').startOf('week', { useLocaleWeeks: true }).toISODate()`,
        '2024-03-31',
      ],
      ['sql', "'2024-02-03 04:05:06'.toDateTime().toISO()", '2024-02-03T04:05:06.000+01:00'],
      ['mail', "'Sat, 03 Feb 2024 04:05:06 +0100'.toDateTime().toMillis()", 1_706_929_506_000],
      ['interval', `Interval.fromDateTimes(${at}, ${at}.plus({ days: 2 })).count('days')`, 3],
      ['until', `${at}.until(${at}.plus({ weeks: 1 })).length('hours')`, 167],
      [
        'zone',
        "$json.body.zone && DateTime.fromISO('1947-06-01', { zone: $json.body.zone }).toISO()",
        '1947-06-01T00:00:00.000+03:00',
      ],
      ['summer', `'2024-07-01T10:00:00'.toDateTime().isDst()`, true],
    ]
    const shape = typed(
      'Shape',
      calls.map(([name, code]) => [name, 'any', `={{ ${code} }}`]),
    )
    const { error, shape: given } = await shaped(
      shape,
      { ...BODY, zone: 'Europe/Berlin' },
      { settings: { timezone: 'Europe/Berlin' } },
    )
    expect({ error, given }).toEqual({
      error: null,
      given: Object.fromEntries(calls.map(([name, , value]) => [name, value])),
    })
  })

  it('a step has its own code alone, and the time zone of the workflow', async () => {
    const { flow } = await runImported(
      aWorkflow([hook, codeOf('Now', 'return { at: $now.toISO() }')], ['Webhook -> Now'], {
        settings: { timezone: 'Asia/Kolkata' },
      }),
    )
    expect(flow?.steps.at(-1)?.config).toEqual({
      runtime: 'n8n',
      source: `$timezone("Asia/Kolkata")
const $result = await (async () => {
return { at: $now.toISO() }
})()
return $returned($result)[0]`,
    })
  })

  it("calls with the names of n8n's methods are passed to those that there are", () => {
    const methods = Object.values(METHODS).flatMap((kind) => Object.keys(kind))
    expect([...new Set(methods)].toSorted()).toEqual([...CARRIED_METHODS].toSorted())
    expect(methods.filter((name) => LACKING_METHODS.has(name))).toEqual([])
  })

  it.each([
    ['{{ $json.a.toTitleCase() }}', '.toTitleCase'],
    ['{{ $json.a.hash() }}', '.hash'],
    ['{{ $execution.id }}', '$execution'],
    ['{{ $json.constructor }}', 'constructor'],
    ['{{ $("Nowhere").item.json.a }}', 'Nowhere'],
    ['{{ $binary.data }}', '$binary'],
    ['{{ while (true) {} }}', "can't be read"],
    [`{{ ${'('.repeat(5_000)} }}`, 'nested'],
  ])('a node without an equivalent is kept as it was and fails there: %#', async (code, why) => {
    const { error, notes } = await shaped(typed('Shape', [['x', 'string', `=${code}`]]), BODY)
    expect(error).toContain('n8n-nodes-base.set')
    expect(notes).toEqual([expect.stringContaining(why)])
    expect(notes[0]).toContain('fails when it runs')
  })
})

const rows = (name: string, list: string) => codeOf(name, `return ${list}.map((json) => ({ json }))`)

describe('items', () => {
  it('a code node returns any number of items, and what follows runs for each', async () => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          codeOf('Two', 'return [{ json: { n: 1 } }, { json: { n: 2 } }]'),
          set('Each', { n: '={{ $json.n * 10 }}', of: "={{ $('Webhook').item.json.body.name }}" }),
          codeOf(
            'All',
            'return [{ json: { all: $input.all().map((item) => item.json), first: $("Two").first().json.n } }]',
          ),
        ],
        ['Webhook -> Two', 'Two -> Each', 'Each -> All'],
      ),
      { name: 'x' },
    )
    expect({ error, all: results['all'] }).toEqual({
      error: null,
      all: [
        {
          all: [
            { n: '10', of: 'x' },
            { n: '20', of: 'x' },
          ],
          first: 1,
        },
      ],
    })
  })

  it('a code node that runs once per item drops items for which it returns nothing', async () => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('Rows', '[1, 2, 3].map((n) => ({ n }))'),
          {
            name: 'Odd',
            type: 'code',
            typeVersion: 2,
            parameters: {
              mode: 'runOnceForEachItem',
              jsCode:
                'if ($json.n === 2) return null\nreturn { json: { n: $input.item.json.n, at: $itemIndex } }',
            },
          },
        ],
        ['Webhook -> Rows', 'Rows -> Odd'],
      ),
    )
    expect({ error, odd: results['odd'] }).toEqual({
      error: null,
      odd: [
        { n: 1, at: 0 },
        { n: 3, at: 2 },
      ],
    })
  })

  it('"execute once" takes only the first item, and nothing runs without items', async () => {
    const once = { ...set('Once', { n: '={{ $json.n }}' }), executeOnce: true }
    const run = (list: string) =>
      runImported(
        aWorkflow(
          [hook, rows('Rows', list), once, set('After', { n: '={{ $json.n }}!' })],
          ['Webhook -> Rows', 'Rows -> Once', 'Once -> After'],
        ),
      )
    const [three, none] = await Promise.all([run('[3, 1, 2].map((n) => ({ n }))'), run('[]')])
    expect({
      three: three.results['after'],
      none: none.results['after'],
      errors: [three.error, none.error],
    }).toEqual({
      three: { n: '3!' },
      none: undefined,
      errors: [null, null],
    })
  })

  it('a filter passes matching items; without any, nodes that combine items do not run', async () => {
    const filter = (value: number): NodeLike => ({
      name: 'Filter',
      type: 'filter',
      typeVersion: 2.2,
      parameters: {
        conditions: {
          options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
          combinator: 'and',
          conditions: [
            {
              leftValue: '={{ [$json.n].map(n => n * 2)[0] }}',
              rightValue: value,
              operator: { type: 'number', operation: 'gt' },
            },
          ],
        },
        options: {},
      },
    })
    const gather: NodeLike = {
      name: 'Gather',
      type: 'aggregate',
      parameters: { aggregate: 'aggregateAllItemData', options: {} },
    }
    const run = (value: number) =>
      runImported(
        aWorkflow(
          [
            hook,
            rows('Rows', '[1, 2, 3].map((n) => ({ n }))'),
            filter(value),
            gather,
            set('After', { all: '={{ $json.data }}' }),
          ],
          ['Webhook -> Rows', 'Rows -> Filter', 'Filter -> Gather', 'Gather -> After'],
        ),
      )
    const [some, none] = await Promise.all([run(3), run(100)])
    expect({ some: some.results, none: none.results, errors: [some.error, none.error] }).toMatchObject({
      some: { gather: { data: [{ n: 2 }, { n: 3 }] } },
      errors: [null, null],
    })
    expect(none.results).not.toHaveProperty('gather')
    expect(none.results).not.toHaveProperty('after')
  })

  it('an if sends each item to its branch, and a merge joins both branches', async () => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('Rows', '[1, 2, 3].map((n) => ({ n }))'),
          {
            name: 'If',
            type: 'if',
            parameters: {
              conditions: { number: [{ value1: '={{ $json.n }}', operation: 'larger', value2: 1 }] },
            },
          },
          set('Big', { n: '={{ $json.n }}', is: 'big' }),
          set('Small', { n: '={{ $json.n }}', is: 'small' }),
          { name: 'Merge', type: 'merge', typeVersion: 3, parameters: {} },
          codeOf('All', 'return [{ json: { all: items.map(({ json }) => json.n + json.is) } }]'),
        ],
        [
          'Webhook -> Rows',
          'Rows -> If',
          'If:0 -> Big',
          'If:1 -> Small',
          'Big -> Merge',
          'Small -> Merge:1',
          'Merge -> All',
        ],
      ),
    )
    expect({ error, all: results['all'] }).toEqual({
      error: null,
      all: [{ all: ['2big', '3big', '1small'] }],
    })
  })

  it('lists in fields become items, and items become lists', async () => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          {
            name: 'Split',
            type: 'splitOut',
            parameters: { fieldToSplitOut: 'body.list', include: 'allOtherFields', options: {} },
          },
          {
            name: 'Sort',
            type: 'sort',
            parameters: {
              sortFieldsUi: { sortField: [{ fieldName: 'body.list', order: 'descending' }] },
              options: { disableDotNotation: true },
            },
          },
          { name: 'Limit', type: 'limit', parameters: { maxItems: 2 } },
          {
            name: 'Gather',
            type: 'aggregate',
            parameters: {
              fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'body.list' }] },
              options: { disableDotNotation: true },
            },
          },
        ],
        ['Webhook -> Split', 'Split -> Sort', 'Sort -> Limit', 'Limit -> Gather'],
      ),
      { list: [2, 9, 5] },
    )
    expect({ error, gathered: results['gather'] }).toEqual({ error: null, gathered: { 'body.list': [9, 5] } })
  })

  it('items are summarized, and duplicates removed', async () => {
    const list = "[{ c: 'x', n: 2 }, { c: 'y', n: '5' }, { c: 'x', n: 3 }, { c: 'x', n: 3 }]"
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('Rows', list),
          { name: 'Once', type: 'removeDuplicates', typeVersion: 2, parameters: { options: {} } },
          {
            name: 'Sums',
            type: 'summarize',
            typeVersion: 1.1,
            parameters: {
              fieldsToSummarize: {
                values: [
                  { aggregation: 'sum', field: 'n' },
                  { field: 'n' },
                  { aggregation: 'concatenate', field: 'n', separateBy: 'other', customSeparator: '/' },
                ],
              },
              fieldsToSplitBy: 'c',
              options: {},
            },
          },
        ],
        ['Webhook -> Rows', 'Rows -> Once', 'Once -> Sums'],
      ),
    )
    expect({ error, once: (results['once'] as unknown[]).length, sums: results['sums'] }).toEqual({
      error: null,
      once: 3,
      sums: [
        { c: 'x', sum_n: 5, count_n: 2, concatenated_n: '2/3' },
        { c: 'y', sum_n: 0, count_n: 1, concatenated_n: '5' },
      ],
    })
  })

  it.each([
    [
      'keepMatches',
      [
        { id: 1, a: 'A', b: 'x' },
        { id: 1, a: 'A', b: 'y' },
      ],
    ],
    [
      'enrichInput1',
      [
        { id: 1, a: 'A', b: 'x' },
        { id: 1, a: 'A', b: 'y' },
        { id: 2, a: 'B' },
      ],
    ],
    [
      'keepNonMatches',
      [
        { id: 2, a: 'B', _source: 'input1' },
        { id: 3, b: 'z', _source: 'input2' },
      ],
    ],
    [
      'keepEverything',
      [
        { id: 1, a: 'A', b: 'x' },
        { id: 1, a: 'A', b: 'y' },
        { id: 2, a: 'B' },
        { id: 3, b: 'z' },
      ],
    ],
  ])('a merge by fields with the option %s', async (joinMode, expected) => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('One', "[{ id: 1, a: 'A' }, { id: 2, a: 'B' }]"),
          rows('Two', "[{ id: 1, b: 'x' }, { id: 1, b: 'y' }, { id: 3, b: 'z' }]"),
          {
            name: 'Merge',
            type: 'merge',
            typeVersion: 3,
            parameters: { mode: 'combine', fieldsToMatchString: 'id', joinMode, options: {} },
          },
        ],
        ['Webhook -> One', 'Webhook -> Two', 'One -> Merge', 'Two -> Merge:1'],
      ),
    )
    expect({ error, merged: results['merge'] }).toEqual({ error: null, merged: expected })
  })

  it.each([
    [1, ['1', '2', '3']],
    [2, ['1,2', '3']],
  ])('a loop over items takes %d at a time and returns what came back to it', async (batchSize, expected) => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('Rows', '[1, 2, 3].map((n) => ({ n }))'),
          { name: 'Loop', type: 'splitInBatches', typeVersion: 3, parameters: { batchSize, options: {} } },
          codeOf('Inside', 'return [{ json: { batch: $input.all().map(({ json }) => json.n).join() } }]'),
          codeOf('Done', 'return [{ json: { batches: $input.all().map(({ json }) => json.batch) } }]'),
        ],
        ['Webhook -> Rows', 'Rows -> Loop', 'Loop:1 -> Inside', 'Inside -> Loop', 'Loop:0 -> Done'],
      ),
    )
    expect({ error, done: results['done'] }).toEqual({ error: null, done: [{ batches: expected }] })
  })

  it('in a nested loop the outer item is still available', async () => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          rows('Outer', "[{ o: 'a', list: [1, 2] }, { o: 'b', list: [3] }]"),
          { name: 'Loop', type: 'splitInBatches', typeVersion: 3, parameters: { options: {} } },
          { name: 'Split', type: 'splitOut', parameters: { fieldToSplitOut: 'list', options: {} } },
          set('Pair', { pair: "={{ $('Loop').item.json.o }}{{ $json.list }}" }),
          {
            name: 'Gather',
            type: 'aggregate',
            parameters: { aggregate: 'aggregateAllItemData', options: {} },
          },
          codeOf('End', 'return items'),
        ],
        [
          'Webhook -> Outer',
          'Outer -> Loop',
          'Loop:1 -> Split',
          'Split -> Pair',
          'Pair -> Gather',
          'Gather -> Loop',
          'Loop:0 -> End',
        ],
      ),
    )
    expect({ error, loop: results['end'] }).toEqual({
      error: null,
      loop: [{ data: [{ pair: 'a1' }, { pair: 'a2' }] }, { data: [{ pair: 'b3' }] }],
    })
  })
})

describe('conditions', () => {
  const compare = async (operator: Json, left: unknown, right: unknown, options: Json = {}) => {
    const { error, results } = await runImported(
      aWorkflow(
        [
          hook,
          {
            name: 'If',
            type: 'if',
            typeVersion: 2.2,
            parameters: {
              conditions: {
                options: { caseSensitive: true, typeValidation: 'strict', version: 2, ...options },
                combinator: 'and',
                conditions: [
                  { leftValue: '={{ $json.body.left }}', rightValue: '={{ $json.body.right }}', operator },
                ],
              },
              options: {},
            },
          },
        ],
        ['Webhook -> If'],
      ),
      { left: left as never, right: right as never },
    )
    return error === null
      ? (results['if'] as Json)['result']
      : error.replace(/^.*(?:Wrong type|Conversion error).*$/, 'wrong type')
  }
  const loose = { typeValidation: 'loose' }

  it.each([
    [{ type: 'number', operation: 'gt' }, 10, 9, {}, true],
    [{ type: 'number', operation: 'gt' }, '10', '9', loose, true],
    [{ type: 'number', operation: 'gt' }, '10', 9, {}, 'wrong type'],
    [{ type: 'string', operation: 'equals' }, 5, '5', loose, true],
    [{ type: 'string', operation: 'equals' }, 'A', 'a', { caseSensitive: false }, true],
    [{ type: 'string', operation: 'contains' }, null, 'x', {}, false],
    [{ type: 'string', operation: 'regex' }, 'Order 12', '/^order \\d+$/i', {}, true],
    [{ type: 'string', operation: 'exists', singleValue: true }, '', '', {}, true],
    [{ type: 'string', operation: 'notEmpty', singleValue: true }, null, '', {}, false],
    [{ type: 'boolean', operation: 'true', singleValue: true }, 'true', '', loose, true],
    [{ type: 'array', operation: 'contains', rightType: 'any' }, [1, 2], 2, {}, true],
    [{ type: 'array', operation: 'lengthGt', rightType: 'number' }, [1, 2], 1, {}, true],
    [{ type: 'object', operation: 'empty', singleValue: true }, {}, '', {}, true],
    [{ type: 'dateTime', operation: 'after' }, '2024-10-01', '2024-9-30', {}, true],
    [
      { type: 'dateTime', operation: 'before' },
      '2024-03-01T10:00:00+02:00',
      '2024-03-01T08:30:00Z',
      {},
      true,
    ],
  ])('%j of %j and %j', async (operator, left, right, options, expected) => {
    expect(await compare(operator, left, right, options)).toBe(expected)
  })

  it('a switch takes the first branch that matches, in each of its versions', async () => {
    const ways = (typeVersion: number, parameters: Json) =>
      runImported(
        aWorkflow(
          [
            hook,
            { name: 'Switch', type: 'switch', typeVersion, parameters },
            set('A', { w: 'a' }),
            set('B', { w: 'b' }),
            set('C', { w: 'c' }),
          ],
          ['Webhook -> Switch', 'Switch:0 -> A', 'Switch:1 -> B', 'Switch:2 -> C'],
        ),
        { kind: '10', n: 10 },
      )
    const condition = (rightValue: unknown) => ({
      conditions: {
        options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
        combinator: 'and',
        conditions: [
          { leftValue: '={{ $json.body.kind }}', rightValue, operator: { type: 'number', operation: 'gte' } },
        ],
      },
    })
    const [v1, v2, v3, number] = await Promise.all([
      ways(1, {
        dataType: 'string',
        value1: '={{ $json.body.kind }}',
        rules: { rules: [{ value2: '9' }, { value2: '10', output: 1 }] },
        fallbackOutput: 2,
      }),
      ways(2, {
        value1: '={{ $json.body.n }}',
        rules: {
          rules: [
            { operation: 'larger', value2: 10 },
            { operation: 'equal', value2: 9 },
          ],
        },
        fallbackOutput: 1,
      }),
      ways(3.2, { rules: { values: [condition(11), condition(9)] }, options: { fallbackOutput: 'extra' } }),
      ways(3, { mode: 'expression', numberOutputs: 3, output: '={{ $json.body.n - 8 }}' }),
    ])
    expect(
      [v1, v2, v3, number].map(({ error, results }) => [error, results['a'] ?? results['b'] ?? results['c']]),
    ).toEqual([
      [null, { w: 'b' }],
      [null, { w: 'b' }],
      [null, { w: 'b' }],
      [null, { w: 'c' }],
    ])
  })
})

describe('failures', () => {
  const failing = (more: Json): NodeLike => ({
    ...codeOf('Fails', 'if ($json.body.fail) throw new Error("no luck")\nreturn [{ json: { ok: true } }]'),
    ...more,
  })

  it('a node that continues returns its error as an item; another has a branch for it', async () => {
    const after = set('After', { said: '={{ $json.error }}/{{ $json.ok }}' })
    const [goesOn, way] = await Promise.all([
      runImported(
        aWorkflow(
          [hook, failing({ onError: 'continueRegularOutput' }), after],
          ['Webhook -> Fails', 'Fails -> After'],
        ),
        { fail: true },
      ),
      runImported(
        aWorkflow(
          [
            hook,
            failing({ onError: 'continueErrorOutput' }),
            after,
            set('Failed', { why: '={{ $json.error }}', of: '={{ $json.body.fail }}' }),
          ],
          ['Webhook -> Fails', 'Fails:0 -> After', 'Fails:1 -> Failed'],
        ),
        { fail: true },
      ),
    ])
    expect(goesOn.results['after']).toEqual({ said: expect.stringMatching(/no luck.*\/$/) })
    expect({ after: way.results['after'], failed: way.results['failed'] }).toEqual({
      after: undefined,
      failed: { why: expect.stringContaining('no luck'), of: 'true' },
    })
  })

  it("attempts and waits stay within n8n's limits", () => {
    const retry = (more: Json) =>
      runImported(aWorkflow([hook, failing({ retryOnFail: true, ...more })], ['Webhook -> Fails'])).then(
        ({ flow }) => flow?.steps[1]?.retry,
      )
    return expect(
      Promise.all([
        retry({}),
        retry({ maxTries: 10, waitBetweenTries: 60_000 }),
        retry({ maxTries: 1, waitBetweenTries: 500 }),
      ]),
    ).resolves.toEqual([
      { attempts: 3, wait_seconds: 1 },
      { attempts: 5, wait_seconds: 5 },
      { attempts: 2, wait_seconds: 0.5 },
    ])
  })
})

it('branches that split and join repeatedly are followed up to a limit, and what is left out fails', async () => {
  const count = 40
  const pass = Array.from({ length: count }, (_, at): NodeLike => ({ name: `n${at}`, type: 'noOp' }))
  const ways = pass.slice(0, -2).flatMap(({ name }, at) => [`${name} -> n${at + 1}`, `${name} -> n${at + 2}`])
  const start = { name: 'S', type: 'manualTrigger' }
  const idle = await runImported(aWorkflow([start, ...pass], ['S -> n0', ...ways]))
  const busy = await runImported(
    aWorkflow([start, ...pass, set('Last', { x: 1 })], ['S -> n0', ...ways, `n${count - 1} -> Last`]),
  )
  expect({ idle: [idle.error, idle.flow?.steps], notes: idle.notes }).toEqual({ idle: [null, []], notes: [] })
  expect(busy.error).toContain('is beyond the limit of')
  expect(busy.notes).toEqual(expect.arrayContaining([expect.stringContaining('is beyond the limit of')]))
})
