import { FILTERS } from '../filters/filters.ts'
import { TABLES } from '../methods/attributes.ts'
import type { Operation } from '../base/operation.ts'

/** A suggestion for the text after an expression whose value has a given type. */
export interface Continuation {
  readonly kind: 'filter' | 'method'
  readonly name: string
  /** The string to insert after the expression: ` | upper`, `.split(',')`. */
  readonly insert: string
  /** One line of documentation. */
  readonly help: string
}

/** The type of a value by its Python name, plus `none`. */
type Subject = 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict' | 'none'

/**
 * Filters that fit a type, the most common first. The arguments in parentheses show what the filter does. `KEY` is
 * replaced by the first key of the first item.
 */
const FILTERS_OF: { readonly [S in Subject]: readonly string[] } = {
  str: [
    'upper',
    'lower',
    'trim',
    'title',
    'capitalize',
    'length',
    'int',
    'float',
    "replace(' ', '-')",
    'truncate(20)',
    "default('')",
    'parse_json',
    'date',
    'urlencode',
    'striptags',
    'tojson',
    'wordcount',
    "regex_search('[0-9]+')",
    "regex_findall('[0-9]+')",
    "regex_replace('[0-9]+', '')",
    'reverse',
    'first',
    'last',
    'list',
    'base64_encode',
    'base64_decode',
    'hash',
    "hmac('secret')",
    'uuid',
    'escape',
    'forceescape',
    'safe',
    'js_text',
    'jsonify',
    'parse_csv',
    'parse_xml',
    'indent',
    'center',
    'wordwrap',
    'urlize',
    'string',
    'pprint',
    'format',
  ],
  int: ['round', 'abs', 'float', 'string', 'filesizeformat', 'date', 'default(0)', 'tojson'],
  float: ['round(2)', 'round', 'int', 'abs', 'string', 'filesizeformat', 'default(0)', 'tojson'],
  bool: ['int', 'string', 'lower', 'tojson'],
  none: ["default('')", 'tojson', 'string'],
  list: [
    'length',
    'first',
    'last',
    "join(', ')",
    "map(attribute='KEY') | list",
    "selectattr('KEY') | list",
    "rejectattr('KEY') | list",
    "groupby('KEY') | list",
    "sort(attribute='KEY')",
    'sort',
    'unique | list',
    'reverse | list',
    'sum',
    'min',
    'max',
    'select | list',
    'reject | list',
    'tojson',
    'jsonify',
    'list',
    'batch(2) | list',
    'slice(2) | list',
    'random',
    'to_csv',
    'to_xml',
    'pprint',
  ],
  dict: [
    'length',
    'items | list',
    'dictsort',
    "attr('KEY')",
    'list',
    'tojson',
    'to_xml',
    'xmlattr',
    'pprint',
  ],
}

/** Example arguments for methods that are clearer with one. */
const METHOD_ARGUMENTS: Readonly<Record<string, string>> = {
  'str.split': "','",
  'str.replace': "' ', '-'",
  'str.startswith': "''",
  'str.endswith': "''",
  'str.zfill': '8',
  'dict.get': "'KEY'",
}

/** These change a list or dictionary that nothing else reads, or have no use in a template. */
const NOT_OFFERED = new Set([
  ...['append', 'clear', 'copy', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'].map(
    (name) => `list.${name}`,
  ),
  ...['clear', 'copy', 'fromkeys', 'pop', 'popitem', 'setdefault', 'update'].map((name) => `dict.${name}`),
  ...['as_integer_ratio', 'bit_count', 'bit_length', 'conjugate', 'to_bytes'].map((name) => `int.${name}`),
  ...['as_integer_ratio', 'conjugate', 'hex'].map((name) => `float.${name}`),
])

/**
 * The filters and methods that fit a type, each written so that it works as inserted.
 *
 * @param type its Python name, `none` for null
 * @param key a key of the dictionary, or of the first item of the list; null if there is none
 */
export function continuationsOf(type: string, key: string | null): readonly Continuation[] {
  if (!Object.hasOwn(FILTERS_OF, type)) return []
  const filters = FILTERS_OF[type as Subject].map((call) => filterCall(call))
  return [...filters, ...methodCalls(type)].flatMap((one) => {
    if (!one.insert.includes('KEY')) return [one]
    return key === null ? [] : [{ ...one, insert: one.insert.replace("'KEY'", JSON.stringify(key)) }]
  })
}

function filterCall(call: string): Continuation {
  const name = call.replace(/[( ].*$/s, '')
  return { kind: 'filter', name, insert: ` | ${call}`, help: FILTERS.get(name)?.help ?? '' }
}

function methodCalls(type: string): readonly Continuation[] {
  if (!Object.hasOwn(TABLES, type)) return []
  const table = TABLES[type as keyof typeof TABLES]
  return [...new Set(table.values() as Iterable<Operation<never>>)].flatMap(({ name, signature, help }) => {
    const place = `${type}.${name}`
    const given = METHOD_ARGUMENTS[place]
    const [first = ''] = signature.text.split(',')
    const needsOne = first !== '' && !first.includes('=') && !first.startsWith('*')
    if (NOT_OFFERED.has(place) || (needsOne && given === undefined)) return []
    return [{ kind: 'method' as const, name, insert: `.${name}(${given ?? ''})`, help }]
  })
}
