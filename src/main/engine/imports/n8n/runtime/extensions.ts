/** The functions of n8n's expressions, and the methods it adds to values. */
export const EXTENSIONS = String.raw`const $base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const $encode = (text) => {
  const bytes = unescape(encodeURIComponent(text))
  let out = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((next) => bytes.charCodeAt(at + next))
    out += $base64[a >> 2] + $base64[((a & 3) << 4) | (b >> 4)]
    out += at + 1 < bytes.length ? $base64[((b & 15) << 2) | (c >> 6)] : '='
    out += at + 2 < bytes.length ? $base64[c & 63] : '='
  }
  return out
}
const $decode = (text) => {
  const digits = [...text.replaceAll('-', '+').replaceAll('_', '/')].map((sign) => $base64.indexOf(sign)).filter((digit) => digit >= 0)
  let [bits, held, bytes] = [0, 0, '']
  for (const digit of digits) {
    held = ((held << 6) | digit) & 0xffffff
    bits += 6
    if (bits >= 8) bytes += String.fromCharCode((held >> (bits -= 8)) & 255)
  }
  try { return decodeURIComponent(escape(bytes)) } catch { return $fail('base64Decode() of bytes that are not text') }
}
const $numeric = (value, name) => /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(value) ? value : $fail('cannot convert "' + value + '" by ' + name + '()')
const $numbers = (list, name) => list.every((one) => typeof one === 'number') ? list : $fail(name + '(): all array elements must be numbers')
const $unique = (list, same = $same) => list.filter((one, at) => list.findIndex((other) => same(other, one)) === at)
const $others = (list, name) => Array.isArray(list) ? list : $fail(name + '(): expected array arg')
const $compact = (value) => {
  if (value === null || typeof value !== 'object') return value
  const keeps = (one) => one !== null && one !== undefined && one !== 'nil' && one !== '' && !(typeof one === 'object' && Object.keys(one).length === 0)
  return Object.fromEntries(Object.entries(value).filter(([, one]) => keeps(one)).map(([key, one]) => [key, $compact(one)]))
}
const $under = (a, b) => ({ ...b, ...a })
const $extensions = {
  string: {
    isEmpty: (v) => v === '', isNotEmpty: (v) => v !== '', isBlank: (v) => v.trim() === '', isNotBlank: (v) => v.trim() !== '',
    length: (v) => v.length, toJsonString: (v) => JSON.stringify(v), removeTags: (v) => v.replaceAll(/<[^>]*>?/g, ''),
    urlEncode: (v, whole) => (whole ? encodeURI(v) : encodeURIComponent(v)), urlDecode: (v, whole) => (whole ? decodeURI(v) : decodeURIComponent(v)),
    toInt: (v, radix) => radix ? parseInt(v, radix) : parseInt($numeric(v, 'toInt'), 10), toFloat: (v) => parseFloat($numeric(v, 'toFloat')),
    toNumber: (v) => Number($numeric(v, 'toNumber')),
    isNumeric: (v) => !v.includes(' ') && !Number.isNaN(Number(v)) && !Number.isNaN(parseFloat(v)),
    toBoolean: (v) => v.length > 0 && !['false', 'no', '0'].includes(v.toLowerCase()),
    quote: (v, mark = '"') => mark + v.replaceAll('\\', '\\\\').replaceAll(mark, '\\' + mark) + mark,
    parseJson: (v) => { try { return JSON.parse(v) } catch { return $fail('Parsing failed') } },
    base64Encode: $encode, base64Decode: $decode,
    toDateTime: (v, format) => (!format ? $moment(v) ?? $fail('cannot convert to Luxon DateTime') : ['ms', 's', 'us'].includes(format) ? $extensions.number.toDateTime(Number(v), format) : DateTime.fromFormat(v, format)),
  },
  number: {
    isEven: (v) => (Number.isInteger(v) ? v % 2 === 0 : $fail('isEven() is only callable on integers')),
    isOdd: (v) => (Number.isInteger(v) ? Math.abs(v) % 2 === 1 : $fail('isOdd() is only callable on integers')),
    floor: Math.floor, ceil: Math.ceil, abs: Math.abs, isInteger: (v) => Number.isInteger(v),
    round: (v, places = 0) => Number(v.toFixed(places)), toInt: (v) => Number(v.toFixed(0)), toFloat: (v) => v, toBoolean: (v) => v !== 0,
    toDateTime: (v, unit = 'ms') => DateTime.fromMillis(unit === 's' ? v * 1000 : unit === 'us' ? v / 1000 : unit === 'excel' ? (v - 25569) * 86400000 : v),
  },
  boolean: { toBoolean: (v) => v, toInt: (v) => (v ? 1 : 0), toFloat: (v) => (v ? 1 : 0), toNumber: (v) => (v ? 1 : 0) },
  array: {
    first: (v) => v[0], last: (v) => v.at(-1), isEmpty: (v) => v.length === 0, isNotEmpty: (v) => v.length > 0,
    pluck: (v, ...fields) => fields.length === 0 ? v : v.flatMap((one) => {
      const found = one && typeof one === 'object' ? Object.keys(one).filter((key) => fields.includes(key)).map((key) => one[key]) : []
      return found.length === 0 ? [] : [found.length === 1 ? found[0] : found]
    }),
    randomItem: (v) => v[Math.floor(Math.random() * v.length)],
    unique: (v, ...keys) => $unique(v, (a, b) => keys.length > 0 && a && b && typeof a === 'object' && typeof b === 'object' ? keys.every((key) => $same(a[key], b[key])) : $same(a, b)),
    sum: (v) => $numbers(v, 'sum').reduce((all, one) => all + one, 0), min: (v) => Math.min(...$numbers(v, 'min')), max: (v) => Math.max(...$numbers(v, 'max')),
    average: (v) => ($numbers(v, 'average').length === 0 ? 0 : v.reduce((all, one) => all + one, 0) / v.length),
    compact: (v) => v.filter((one) => one !== null && one !== undefined && one !== 'nil' && one !== '' && !(typeof one === 'object' && Object.keys(one).length === 0)).map($compact),
    smartJoin: (v, key, value) => Object.fromEntries(v.filter((one) => one && typeof one === 'object' && key in one && value in one).map((one) => [one[key], one[value]])),
    chunk: (v, size) => typeof size === 'number' && size > 0 ? Array.from({ length: Math.ceil(v.length / size) }, (_, at) => v.slice(at * size, (at + 1) * size)) : $fail('chunk(): expected non-zero numeric arg'),
    renameKeys: (v, ...names) => v.map((one) => {
      if (one === null || typeof one !== 'object') return one
      const copy = { ...one }
      for (let at = 0; at + 1 < names.length; at += 2) if (names[at] in copy) { copy[names[at + 1]] = copy[names[at]]; delete copy[names[at]] }
      return copy
    }),
    merge: (v, others) => others === undefined
      ? v.reduce((all, one) => (one && typeof one === 'object' && !Array.isArray(one) ? $under(all, one) : all), {})
      : v.reduce((all, one, at) => (one && typeof one === 'object' && $others(others, 'merge')[at] && typeof others[at] === 'object' ? { ...all, ...$under(one, others[at]) } : all), {}),
    union: (v, others) => $unique([...v, ...$others(others, 'union')]),
    difference: (v, others) => $unique(v.filter((one) => !$others(others, 'difference').some((other) => $same(one, other)))),
    intersection: (v, others) => $unique(v.filter((one) => $others(others, 'intersection').some((other) => $same(one, other)))),
    append: (v, ...more) => v.concat(more), toJsonString: (v) => JSON.stringify(v),
    toInt: () => undefined, toFloat: () => undefined, toBoolean: () => undefined, toDateTime: () => undefined,
  },
  object: {
    isEmpty: (v) => Object.keys(v).length === 0, isNotEmpty: (v) => Object.keys(v).length > 0, keys: Object.keys, values: Object.values,
    hasField: (v, name) => name in v, removeField: (v, name) => { const { [name]: _, ...rest } = v; return rest },
    removeFieldsContaining: (v, part) => Object.fromEntries(Object.entries(v).filter(([, one]) => typeof one !== 'string' || !one.includes(part))),
    keepFieldsContaining: (v, part) => Object.fromEntries(Object.entries(v).filter(([, one]) => typeof one === 'string' && one.includes(part))),
    compact: $compact,
    urlEncode: (v) => Object.entries(v).map(([key, one]) => [key, one].map((part) => encodeURIComponent(String(part)).replaceAll('%20', '+').replaceAll(/[!'()~]/g, (sign) => '%' + sign.charCodeAt(0).toString(16).toUpperCase())).join('=')).join('&'),
    toJsonString: (v) => JSON.stringify(v), toInt: () => undefined, toFloat: () => undefined, toBoolean: () => undefined, toDateTime: () => undefined,
  },
  date: {},
}
const $kind = (value) => Array.isArray(value) ? 'array'
  : typeof value === 'object' && value !== null ? (value instanceof Date || value instanceof DateTime ? 'date' : 'object') : typeof value
const $extend = (value, name, args) => {
  let kind = $kind(value)
  if (kind === 'string' && name !== 'toDate' && name !== 'toDateTime' && /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.\d{3}Z/.test(value)) {
    const date = new Date(value)
    if (!Number.isNaN(date.getTime()) && date.toISOString() === value) { value = date; kind = 'date' }
  }
  const own = Object.hasOwn($extensions, kind) && Object.hasOwn($extensions[kind], name) ? $extensions[kind][name] : undefined
  if (own) return own(value, ...args)
  if (value && typeof value[name] === 'function') return value[name](...args)
  if (name === 'isEmpty') return !value
  if (name === 'isNotEmpty') return Boolean(value)
  return $fail(name + '() cannot be called on ' + (value === undefined || value === null ? String(value) : 'a value of the type ' + kind))
}
const $ifEmpty = (value, other) => value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0) ? other : value
const [$min, $max, $not] = [Math.min, Math.max, (value) => !value]
const $average = (...list) => $extensions.array.average(list)`

/** Names of the methods in `EXTENSIONS` and `TIMES`; n8n passes every call with such a name to its own methods. */
export const CARRIED_METHODS: ReadonlySet<string> = new Set(
  (
    'isEmpty isNotEmpty isBlank isNotBlank length toJsonString removeTags urlEncode urlDecode toInt toFloat toNumber ' +
    'isNumeric toBoolean quote parseJson base64Encode base64Decode toDateTime isEven isOdd floor ceil abs isInteger ' +
    'round first last pluck randomItem unique sum min max average compact smartJoin chunk renameKeys merge union ' +
    'difference intersection append keys values hasField removeField removeFieldsContaining keepFieldsContaining ' +
    'beginningOf endOfMonth extract isBetween isInLast isWeekend format plus minus diffTo diffToNow'
  ).split(' '),
)

/** n8n's other methods, which need libraries or internationalization. */
export const LACKING_METHODS: ReadonlySet<string> = new Set(
  (
    'hash removeMarkdown toDate isUrl isDomain isEmail toTitleCase replaceSpecialChars toSentenceCase toSnakeCase ' +
    'extractEmail extractDomain extractUrl extractUrlPath isDst setLocale toRelative toRelativeCalendar reconfigure ' +
    'toLocaleString toLocaleDateString toLocaleTimeString toLocaleParts localeCompare toLocaleUpperCase toLocaleLowerCase ' +
    'toHuman'
  ).split(' '),
)
