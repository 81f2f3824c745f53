import { describe, expect, it } from 'vitest'
import { renderTemplate, TemplateError } from '../../src/template/index.ts'

const context = {
  d: { b: 1, a: 'é<', x: [1.5, null] },
  t: 'Hello World',
  csv: 'a;b\n1;"x;y"\n',
  xml: '<r a="1"><i>1</i><i>2</i></r>',
  when: '2024-03-09T14:05:06Z',
  rows: [
    { a: 1, b: 'x,y' },
    { a: 2, c: null },
  ],
}

type Probe = readonly [expression: string, result: string]

/** The same expressions with the result of each, or the kind of its error. */
function evaluated(probes: readonly Probe[]): Probe[] {
  return probes.map(([expression]) => [expression, outcome(expression)])
}

function outcome(expression: string): string {
  try {
    return renderTemplate(`{{ ${expression} }}`, context, {
      now: () => new Date('2024-03-09T14:05:06.789Z'),
      uuid: () => '00000000-0000-4000-8000-000000000000',
    })
  } catch (error) {
    if (error instanceof TemplateError) return error.kind
    throw error
  }
}

describe('filters besides those of Jinja', () => {
  it('convert data to strings and back', () => {
    const probes: Probe[] = [
      ['d | jsonify', '{"b": 1, "a": "é<", "x": [1.5, null]}'],
      ['[1e400] | jsonify', '[null]'],
      ['[none, true, 1.0, 2.5, "x", [1, none, [2]], {}] | js_text', ',true,1,2.5,x,1,,2,[object Object]'],
      ['none | js_text', ''],
      ['d.missing | js_text', ''],
      ['\'{"a": 1.0, "n": 9007199254740993}\' | parse_json', "{'a': 1.0, 'n': 9007199254740993}"],
      ["'no' | parse_json", 'argument'],
      ["'no' | parse_json([])", '[]'],
      ['d | parse_json is mapping', 'True'],
      ["csv | parse_csv(';')", "[{'a': '1', 'b': 'x;y'}]"],
      ["csv | parse_csv(';', header=false)", "[['a', 'b'], ['1', 'x;y']]"],
      ['\'a"b,"c\' | parse_csv', 'argument'],
      ['rows | to_csv', 'a,b,c\r\n1,"x,y",\r\n2,,\r\n'],
      ['xml | parse_xml', "{'r': {'@a': '1', 'i': ['1', '2']}}"],
      ['xml | parse_xml | to_xml', '<r a="1"><i>1</i><i>2</i></r>'],
      ["{'a': 1.0, 'b': [1, none]} | to_xml('x')", '<x><a>1.0</a><b>1</b><b/></x>'],
      ["{'a b': 1} | to_xml('x')", 'argument'],
      ["'<!DOCTYPE x><x/>' | parse_xml", 'argument'],
    ]
    expect(evaluated(probes)).toEqual(probes)
  })

  it('encode, sign and hash', () => {
    const probes: Probe[] = [
      ["'hä' | base64_encode", 'aMOk'],
      ["'aMOk' | base64_decode", 'hä'],
      ["'??>' | base64_encode(urlsafe=true)", 'Pz8-'],
      ["'!!' | base64_decode", 'argument'],
      ["'/w==' | base64_decode", "b'\\xff'"],
      ["'a' | hash", 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
      ["'a' | hash('md5')", '0cc175b9c0f1b6a831c399e269772661'],
      ["'a' | hash('sha1', encoding='base64')", 'hvfkN/qlp/zhXR3cuerq6jd2Z7g='],
      ["'a' | hash('rot13')", 'argument'],
      ["'a' | hmac('k')", '78da91511e675587f5b9df78bedebaf5560da2abb88162ee875dcdf744951d9e'],
      ["'x' | uuid", '4cd605e7-afa2-5360-b5b9-c5e9fb5c76f4'],
      ['uuid', '00000000-0000-4000-8000-000000000000'],
    ]
    expect(evaluated(probes)).toEqual(probes)
  })

  it('search and replace with regular expressions', () => {
    const probes: Probe[] = [
      ["t | regex_replace('(?P<first>\\\\w+) (\\\\w+)', '\\\\2 \\\\g<first>')", 'World Hello'],
      ["t | regex_replace('o', '0', count=1)", 'Hell0 World'],
      ["t | regex_replace('[A-Z]', '')", 'ello orld'],
      ["t | regex_search('w\\\\w+', ignorecase=true)", 'World'],
      ["t | regex_search('(\\\\w)o', 1)", 'l'],
      ["t | regex_search('(?P<x>W)', 'x')", 'W'],
      ["t | regex_search('zz')", 'None'],
      ["t | regex_search('zz', 5)", 'None'],
      ["t | regex_search('o', 5)", 'argument'],
      ["'a1b22' | regex_findall('[0-9]+')", "['1', '22']"],
      ["'k=v;l=w' | regex_findall('(\\\\w)=(\\\\w)')", "[['k', 'v'], ['l', 'w']]"],
      ["t | regex_search('(')", 'argument'],
      ["t | regex_search('(?=a)')", 'argument'],
    ]
    expect(evaluated(probes)).toEqual(probes)
  })

  it('format, parse and move dates', () => {
    const probes: Probe[] = [
      ["when | date('%d.%m.%Y %H:%M')", '09.03.2024 14:05'],
      ["when | date('%A %-d %B, week %V', timezone='Europe/Berlin')", 'Saturday 9 March, week 10'],
      ["when | date('%H:%M %z %Z', timezone='+05:30')", '19:35 +0530 UTC+05:30'],
      ["when | date(add='1 month')", '2024-04-09T14:05:06.000Z'],
      ["'2024-01-31' | date('date', add='1 month')", '2024-02-29'],
      [
        "'2024-03-30 12:00' | date('datetime', add='1d', timezone='Europe/Berlin', from_timezone='Europe/Berlin')",
        '2024-03-31 12:00:00',
      ],
      [
        "'2024-03-30 12:00' | date('datetime', add='24h', timezone='Europe/Berlin', from_timezone='Europe/Berlin')",
        '2024-03-31 13:00:00',
      ],
      ...(
        [
          ['2024-03-31 02:30', 'Europe/Berlin', '2024-03-31T01:30:00.000Z'],
          ['2024-10-27 02:30', 'Europe/Berlin', '2024-10-27T00:30:00.000Z'],
          ['2024-03-10 02:30', 'America/New_York', '2024-03-10T07:30:00.000Z'],
          ['2024-11-03 01:30', 'America/New_York', '2024-11-03T05:30:00.000Z'],
          ['0000-06-01 00:00', 'America/New_York', '0000-06-01T04:56:00.000Z'],
        ] as const
      ).map(([text, zone, moment]): Probe => [`'${text}' | date(from_timezone='${zone}')`, moment]),
      ["'999999-01-01' | date(from_timezone='Europe/Berlin')", 'argument'],
      ["'09.03.2024' | date('date', parse='%d.%m.%Y')", '2024-03-09'],
      ["'Mar 9, 24 3 PM' | date('datetime', parse='%b %d, %y %I %p')", '2024-03-09 15:00:00'],
      ["'Sat, 09 Mar 2024 14:05:06 GMT' | date('unix')", '1709993106'],
      ["1709993106 | date('http')", 'Sat, 09 Mar 2024 14:05:06 GMT'],
      ["1709993106000 | date('iso')", '2024-03-09T14:05:06.000Z'],
      ["when | date('iso', add={'days': -1, 'hours': 2})", '2024-03-08T16:05:06.000Z'],
      ["'2024-02-30' | date", 'argument'],
      ["'soon' | date", 'argument'],
      ["when | date('%q')", 'argument'],
      ["when | date(timezone='Mars/Base')", 'argument'],
      ["when | date(add='soon')", 'argument'],
      ['now', '2024-03-09T14:05:06.789Z'],
      ["now('%Y', add='1 year')", '2025'],
      ["now | date('date')", '2024-03-09'],
    ]
    expect(evaluated(probes)).toEqual(probes)
  })
})

describe('JSONPath in braces', () => {
  const store = {
    store: {
      book: [
        { author: 'A', price: 8, t: ['x', 'y'] },
        { author: 'B', price: 12 },
      ],
      name: 'S',
    },
    l: [10, 20, 30],
  }
  const render = (expression: string) => renderTemplate(`{{ ${expression} }}`, store)

  it('selects with wildcards, descendants, filters and lists of indexes', () => {
    const probes = [
      ['store.book[*].author', "['A', 'B']"],
      ['$..author', "['A', 'B']"],
      ['store..price | sum + 1', '21'],
      ['store.book[?(@.price < 10)].author | first', 'A'],
      ["store.book[?(@.author == 'B')].price", '[12]'],
      ["store['book'][*]['author']", "['A', 'B']"],
      ['l[0,1]', '[10, 20]'],
      ['l[*]', '[10, 20, 30]'],
      ['store.* | length', '2'],
      ['$.store.name', 'S'],
      ['$.store.gone is defined', 'False'],
      ["store.book[*].author | join('/')", 'A/B'],
      ["'..[*]$' ~ store.name", '..[*]$S'],
    ] as const
    expect(probes.map(([expression]) => [expression, render(expression)])).toEqual(probes)
  })

  it('fails like any path if its root is missing or it is invalid', () => {
    expect(() => render('gone[*].x')).toThrow("'gone' is undefined")
    expect(() => render('store.book[?(@.x ~ 1)]')).toThrow(TemplateError)
    expect(() => render('store.book[*')).toThrow(TemplateError)
  })
})
