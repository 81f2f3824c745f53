/** For nodes that process all items: merging, sorting, summarizing. */
export const MERGING = String.raw`const $deep = (target, ...sources) => {
  for (const source of sources)
    for (const [key, value] of Object.entries(source ?? {})) {
      if (key === '__proto__' || value === undefined) continue
      const held = target[key]
      const bothAre = (test) => test(held) && test(value)
      if (bothAre(Array.isArray) || bothAre((one) => one !== null && typeof one === 'object' && !Array.isArray(one))) target[key] = $deep(held, value)
      else target[key] = $copy(value)
    }
  return target
}
const $suffixed = (item, suffix) => Object.fromEntries(Object.entries(item).map(([key, value]) => [key + '_' + suffix, value]))
const $together = (clash, deep) => (...parts) => {
  const join = (items) => (deep ? $deep({}, ...items) : Object.assign({}, ...items))
  if (clash === 'addSuffix') return join(parts.map((item, at) => $suffixed(item, at + 1)))
  const first = /^preferInput(\d+)$/.exec(clash)?.[1]
  return join(first === undefined ? parts : [...parts, parts[Number(first) - 1] ?? {}])
}
const $by_position = (lists, join, unpaired) => {
  const count = Math[unpaired ? 'max' : 'min'](...lists.map((list) => list.length))
  return Array.from({ length: count }, (_, at) => join(...lists.map((list) => list[at] ?? {})))
}
const $by_fields = (one, two, pairs, { join, mode, from, first, suffix }) => {
  if (one.length === 0 || two.length === 0) {
    if (mode === 'keepNonMatches' && ((from === 'input1' && one.length === 0) || (from === 'input2' && two.length === 0))) return []
    const nothing = mode === 'keepMatches' || (mode === 'enrichInput1' && one.length === 0) || (mode === 'enrichInput2' && two.length === 0)
    return nothing ? [] : [...one, ...two]
  }
  const [matched, found, alone] = [[], new Set(), []]
  for (const item of one) {
    const values = pairs.map(([field]) => $get(item, field))
    const all = values.includes(undefined) ? [] : two.map((_, at) => at).filter((at) => pairs.every(([, field], which) => $same(values[which], $get(two[at], field))))
    const matches = first ? all.slice(0, 1) : all
    for (const at of matches) found.add(at)
    if (matches.length === 0) alone.push(item)
    else matched.push([item, matches.map((at) => two[at])])
  }
  const [matchedTwo, aloneTwo] = [two.filter((_, at) => found.has(at)), two.filter((_, at) => !found.has(at))]
  const joined = matched.flatMap(([item, matches]) => matches.map((match) => join(item, match)))
  const marked = (list, number) => (suffix ? list.map((item) => $suffixed(item, number)) : list)
  switch (mode) {
    case 'keepMatches': return from === 'input1' ? matched.map(([item]) => item) : from === 'input2' ? matchedTwo : joined
    case 'keepNonMatches': return from === 'input1' ? alone : from === 'input2' ? aloneTwo : [...alone.map((item) => ({ ...item, _source: 'input1' })), ...aloneTwo.map((item) => ({ ...item, _source: 'input2' }))]
    case 'keepEverything': return [...joined, ...marked(alone, 1), ...marked(aloneTwo, 2)]
    case 'enrichInput1': return [...joined, ...marked(alone, 1)]
    case 'enrichInput2': return [...joined, ...marked(aloneTwo, 2)]
  }
  return $fail('it merges in a way that is not known: ' + mode)
}`

export const SUMMING = String.raw`const $is_nothing = (value) => value === undefined || value === null || value === ''
const $summaries = {
  append: (values, { empty }) => values.filter((value) => empty || !$is_nothing(value)),
  concatenate: (values, { empty, separator }) => values.filter((value) => empty || !$is_nothing(value)).map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))).join(separator),
  average: (values) => { const numbers = values.filter((value) => typeof value === 'number'); return numbers.reduce((all, one) => all + one, 0) / numbers.length },
  sum: (values) => values.filter((value) => typeof value === 'number').reduce((all, one) => all + one, 0),
  min: (values) => values.filter((value) => !$is_nothing(value)).reduce((least, one) => (least === null || one < least ? one : least), null),
  max: (values) => values.filter((value) => !$is_nothing(value)).reduce((most, one) => (most === null || one > most ? one : most), null),
  countUnique: (values, { empty }) => new Set(values.filter((value) => empty || !$is_nothing(value))).size,
  count: (values, { empty }) => values.filter((value) => empty || !$is_nothing(value)).length,
}
const $named = (name) => name.replaceAll(/[\][\"]/g, '').replaceAll(/[ .]/g, '_')
const $summarize = (items, fields, groups, { get, single, skip, old }) => {
  for (const { field } of fields)
    if (field !== '' && !items.some((item) => get(item, field) !== undefined)) $fail("The field '" + field + "' does not exist in any items")
  const sums = (list) => Object.fromEntries(fields.map(({ name, kind, field, ...more }) => [$named(name + field), $summaries[kind](list.map((item) => get(item, field)), more)]))
  const split = (list, [first, ...rest]) => {
    if (first === undefined) return sums(list)
    const found = {}
    for (const item of list) {
      const value = get(item, first)
      const key = typeof value === 'object' ? JSON.stringify(value) : value
      if (skip && typeof key !== 'number' && !key) continue
      ;(found[key] ??= []).push(item)
    }
    return Object.fromEntries(Object.entries(found).map(([key, held]) => [key, split(held, rest)]))
  }
  const result = split(items, groups)
  if (single || groups.length === 0) return [result]
  const restored = (key) => (key === 'null' ? null : Number.isNaN(Number(key)) ? key : Number(key))
  const rows = (held, [first, ...rest], before, isFirst) => Object.entries(held).flatMap(([key, value]) => {
    const row = { ...before, [$named(first)]: old || !isFirst ? key : restored(key) }
    return rest.length === 0 ? [{ ...row, ...value }] : rows(value, rest, row, false)
  })
  return rows(result, groups, {}, true)
}`

export const LISTS = String.raw`const $sorted = (items, fields, get) => {
  for (const { field } of fields) if (!items.some((item) => get(item, field) !== undefined)) $fail("Couldn't find the field '" + field + "' in the input data")
  const low = (value) => (typeof value === 'string' ? value.toLowerCase() : value)
  return [...items].sort((a, b) => {
    for (const { field, down } of fields) {
      const [left, right] = [low(get(a, field)), low(get(b, field))]
      if ($same(left, right)) continue
      const less = typeof left === 'string' && typeof right === 'string' ? left < right : Number(left) < Number(right)
      return less === !down ? -1 : 1
    }
    return 0
  })
}
const $split = (items, fields, { get, names, include, others, drop }) => items.flatMap((item) => {
  const rows = []
  fields.forEach((field, which) => {
    const held = get(item, field)
    const list = held === undefined ? [] : held === null || typeof held !== 'object' ? [held] : Object.values(held)
    list.forEach((one, at) => {
      rows[at] ??= {}
      const spread = one !== null && typeof one === 'object' && include === 'noOtherFields' && !names[which] && fields.length === 1
      if (spread) rows[at] = { ...rows[at], ...one }
      else rows[at][names[which] || field] = one
    })
  })
  if (include === 'allOtherFields') {
    const rest = $copy(item)
    for (const field of fields) drop(rest, field)
    return rows.map((row) => ({ ...rest, ...row }))
  }
  for (const row of rows) if (include === 'selectedOtherFields') for (const field of others) row[field] = get(item, field)
  return rows
})
const $gathered = (items, fields, { get, put, flat, missing }) => {
  const values = {}
  for (const { field, name } of fields) {
    values[name] = []
    for (const item of items) {
      let value = get(item, field)
      if (!missing) {
        if (value === null || value === undefined) continue
        if (Array.isArray(value)) value = value.filter((one) => one !== null)
      }
      if (Array.isArray(value) && flat) values[name].push(...value)
      else values[name].push(value ?? null)
    }
  }
  return Object.entries(values).reduce((item, [name, list]) => put(item, name, list), {})
}
const $at = (of, name) => of?.[name]
const $set = (of, name, value) => { of[name] = value; return of }
const $drop = (of, name) => { delete of[name]; return of }`
