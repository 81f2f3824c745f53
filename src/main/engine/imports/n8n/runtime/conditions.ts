/**
 * The comparisons of If, Filter and Switch: `CONDITIONS` for versions with typed operators, `COMPARISONS` for older
 * ones.
 */
export const CONDITIONS = String.raw`const $wanted = (value, type, strict, version) => {
  if (type === 'any' || value === null || value === undefined) return { value }
  if (type === 'boolean' && !strict) {
    const truth = version >= 2 ? $truth(value) : undefined
    return { value: truth ?? Boolean(value) }
  }
  if (type === 'number') {
    if (Number.isNaN(value)) return { value }
    if (version >= 3 && ((typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0))) return { value: null }
  }
  const fits = { string: typeof value === 'string', number: typeof value === 'number', boolean: typeof value === 'boolean', array: Array.isArray(value), object: typeof value === 'object' }[type] ?? true
  if (strict && !fits) return { wrong: true }
  const read = type === 'string' ? (typeof value === 'object' ? JSON.stringify(value) : String(value))
    : type === 'number' ? (Number.isNaN(Number(value)) ? undefined : Number(value))
    : type === 'boolean' ? $truth(value)
    : type === 'array' ? $list(value)
    : type === 'object' ? $object(value)
    : type === 'dateTime' ? $moment(value)
    : value
  return read === undefined ? { wrong: true } : { value: read }
}
const $pattern = (text, ignoreCase) => {
  const parts = /^\/(.*?)\/([gimusy]*)$/.exec(text || '')
  const flags = parts ? parts[2] : ''
  return new RegExp(parts ? parts[1] : text || '', ignoreCase && !flags.includes('i') ? flags + 'i' : flags)
}
const $condition = ([left, type, operation, right, rightType, single], { strict, ignoreCase, version }) => {
  const [a, b] = [$wanted(left, type, strict, version), $wanted(right, rightType, strict, version)]
  for (const [one, value, kind] of [[a, left, type], [single ? {} : b, right, rightType]])
    if (one.wrong) $fail((strict ? 'Wrong type: ' : 'Conversion error: ') + JSON.stringify(value) + ' is a ' + typeof value + ' but was expecting a ' + kind)
  let [l, r] = [a.value, b.value]
  const exists = l !== undefined && l !== null && !Number.isNaN(l)
  if (operation === 'exists') return exists
  if (operation === 'notExists') return !exists
  if (type === 'string') {
    if (ignoreCase && !/regex/i.test(operation)) [l, r] = [l, r].map((one) => (typeof one === 'string' ? one.toLowerCase() : one))
    l ??= ''
    r ??= ''
    switch (operation) {
      case 'empty': return l.length === 0
      case 'notEmpty': return l.length !== 0
      case 'equals': return l === r
      case 'notEquals': return l !== r
      case 'contains': return l.includes(r)
      case 'notContains': return !l.includes(r)
      case 'startsWith': return l.startsWith(r)
      case 'notStartsWith': return !l.startsWith(r)
      case 'endsWith': return l.endsWith(r)
      case 'notEndsWith': return !l.endsWith(r)
      case 'regex': return $pattern(r, ignoreCase).test(l)
      case 'notRegex': return !$pattern(r, ignoreCase).test(l)
    }
  }
  if (type === 'object') {
    const empty = !l || Object.keys(l).length === 0
    return operation === 'empty' ? empty : !empty
  }
  if (type === 'array') {
    l ??= []
    const low = (one) => (typeof one === 'string' ? one.toLowerCase() : one)
    const holds = ignoreCase && typeof r === 'string' ? l.some((one) => typeof one === 'string' && low(one) === low(r)) : l.includes(r)
    switch (operation) {
      case 'contains': return holds
      case 'notContains': return !holds
      case 'lengthEquals': return l.length === r
      case 'lengthNotEquals': return l.length !== r
      case 'lengthGt': return l.length > r
      case 'lengthLt': return l.length < r
      case 'lengthGte': return l.length >= r
      case 'lengthLte': return l.length <= r
      case 'empty': return l.length === 0
      case 'notEmpty': return l.length !== 0
    }
  }
  if (operation === 'empty') return !exists
  if (operation === 'notEmpty') return exists
  if (type === 'dateTime') {
    if (!l || !r) return false
    ;[l, r] = [l.toMillis(), r.toMillis()]
  }
  switch (operation) {
    case 'equals': return l === r
    case 'notEquals': return l !== r
    case 'gt': case 'after': return l > r
    case 'lt': case 'before': return l < r
    case 'gte': case 'afterOrEquals': return l >= r
    case 'lte': case 'beforeOrEquals': return l <= r
    case 'true': return Boolean(l)
    case 'false': return !l
  }
  return $fail('it has a comparison that is not known: ' + type + ' ' + operation)
}
const $meets = (conditions, all, options) => all ? conditions.every((one) => $condition(one(), options)) : conditions.some((one) => $condition(one(), options))`

export const COMPARISONS = String.raw`const $time = (value) => {
  const ms = typeof value === 'string' ? new Date(value).getTime() : typeof value === 'number' ? value : value instanceof Date ? value.getTime() : NaN
  return Number.isNaN(ms) ? $fail('The value "' + value + '" is not a valid DateTime.') : ms
}
const $is_empty = (value) => value === undefined || value === null || value === '' || Number.isNaN(value)
  || (typeof value === 'object' && (value instanceof Date ? Number.isNaN(value.getTime()) : Object.keys(value).length === 0))
const $matches = (value, pattern) => {
  const parts = /^\/(.*?)\/([gimusy]*)$/.exec(String(pattern || ''))
  return String(value || '').match(parts ? new RegExp(parts[1], parts[2]) : new RegExp(String(pattern || ''))) !== null
}
const $compare = ([a, type, operation, b]) => {
  if (type === 'dateTime') [a, b] = [$time(a), $time(b)]
  switch (operation) {
    case 'equal': return a === b
    case 'notEqual': return a !== b
    case 'after': case 'larger': return (a || 0) > (b || 0)
    case 'before': case 'smaller': return (a || 0) < (b || 0)
    case 'largerEqual': return (a || 0) >= (b || 0)
    case 'smallerEqual': return (a || 0) <= (b || 0)
    case 'contains': return String(a || '').includes(String(b || ''))
    case 'notContains': return !String(a || '').includes(String(b || ''))
    case 'startsWith': return a.startsWith(b)
    case 'notStartsWith': return !a.startsWith(b)
    case 'endsWith': return a.endsWith(b)
    case 'notEndsWith': return !a.endsWith(b)
    case 'isEmpty': return $is_empty(a)
    case 'isNotEmpty': return !$is_empty(a)
    case 'regex': return $matches(a, b)
    case 'notRegex': return !$matches(a, b)
  }
  return $fail('it has a comparison that is not known: ' + operation)
}`
