/** Luxon's dates as n8n's expressions use them. It needs `$zones` before it: the offsets of the named time zones. */
export const TIMES = String.raw`const $DAY = 86400000
const $UNITS = { millisecond: 1, second: 1000, minute: 60000, hour: 3600000, day: $DAY, week: 7 * $DAY }
const $CALENDAR = ['year', 'quarter', 'month', 'week', 'day']
const $unit = (name) => {
  const one = { ms: 'millisecond', sec: 'second', secs: 'second', min: 'minute', mins: 'minute', hr: 'hour', hrs: 'hour' }[name] ?? String(name).toLowerCase().replace(/s$/, '')
  return one in $UNITS || $CALENDAR.includes(one) ? one : $fail('a time has no unit "' + name + '"')
}
const $MONTHS = 'January February March April May June July August September October November December'.split(' ')
const $WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')
const $two = (number, length = 2) => String(number).padStart(length, '0')
const $fixed = (minutes) => ({ name: minutes === 0 ? 'UTC' : 'UTC' + $sign(minutes, minutes % 60 === 0 ? '' : ':'), at: () => minutes })
const $sign = (minutes, mark) => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return (minutes < 0 ? '-' : '+') + (mark === '' ? hours : $two(hours) + (mark === null ? '' : ':') + $two(rest))
}
const $zoned = (zone) => {
  if (typeof zone === 'object' && zone !== null) return zone
  if (zone === undefined || zone === 'local' || zone === 'default' || zone === 'system') return $zone
  if (/^(?:utc|gmt|z|etc\/utc)$/i.test(zone)) return $fixed(0)
  const offset = /^utc([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(zone)
  if (offset) return $fixed((offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0)))
  const changes = $zones[zone] ?? $fail('the time zone "' + zone + '" is not known here')
  return { name: zone, at: (ms) => {
    let [low, high] = [0, changes.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (changes[middle][0] * 1000 <= ms) low = middle
      else high = middle - 1
    }
    return changes[low][1]
  } }
}
const $utc = (ms, zone) => {
  const first = ms - zone.at(ms) * 60000
  const second = ms - zone.at(first) * 60000
  return first === second ? first : zone.at(first) === zone.at(second) ? second : Math.max(first, second)
}
class DateTime {
  constructor(ms, zone = $zone) { this.ts = ms; this.zone = $zoned(zone); Object.freeze(this) }
  static now() { return new DateTime(Date.now()) }
  static local(...parts) { return parts.length === 0 ? DateTime.now() : DateTime.fromParts(parts, $zone) }
  static utc(...parts) { return parts.length === 0 ? new DateTime(Date.now(), 'utc') : DateTime.fromParts(parts, 'utc') }
  static fromParts([y, m = 1, d = 1, h = 0, min = 0, s = 0, ms = 0], zone) {
    const to = $zoned(zone)
    const local = new Date(Date.UTC(2000, m - 1, d, h, min, s, ms))
    local.setUTCFullYear(y, m - 1, d)
    const fits = m >= 1 && m <= 12 && d >= 1 && local.getUTCMonth() === (m - 1) && h < 24 && min < 60 && s < 60
    return new DateTime(fits ? $utc(local.getTime(), to) : h === 24 && min === 0 && s === 0 ? $utc(local.getTime(), to) : NaN, to)
  }
  static fromMillis(ms, options) { return new DateTime(typeof ms === 'number' ? ms : $fail('fromMillis needs a number, got ' + typeof ms), options?.zone) }
  static fromSeconds(s, options) { return new DateTime(typeof s === 'number' ? s * 1000 : $fail('fromSeconds needs a number, got ' + typeof s), options?.zone) }
  static fromJSDate(date, options) { return new DateTime(date instanceof Date ? date.getTime() : NaN, options?.zone) }
  static fromObject(parts, options) {
    const order = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond']
    const now = new DateTime(Date.now(), options?.zone)
    const last = order.findLastIndex((name) => name in parts)
    return DateTime.fromParts(order.map((name, at) => parts[name] ?? (at > order.findIndex((one) => one in parts) || last < 0 ? (at < 3 ? 1 : 0) : now[name])), now.zone)
  }
  static fromISO(text, options) {
    const m = /^\s*([+-]\d{6}|\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?\s*$/i.exec(text)
    if (!m) return /^\d{4}-?W\d|^\d{4}-?\d{3}$|^\d{2}:/.test(text) ? $fail('the time "' + text + '" is written in a form that is not read here') : new DateTime(NaN, options?.zone)
    const given = m[8] && (/z/i.test(m[8]) ? 0 : (m[8][0] === '-' ? -1 : 1) * (Number(m[8].slice(1, 3)) * 60 + Number(m[8].slice(3).replace(':', '') || 0)))
    const parts = [Number(m[1]), Number(m[2] ?? 1), Number(m[3] ?? 1), Number(m[4] ?? 0), Number(m[5] ?? 0), Number(m[6] ?? 0), Number((m[7] ?? '0').padEnd(3, '0').slice(0, 3))]
    const read = DateTime.fromParts(parts, m[8] ? $fixed(given) : options?.zone)
    return options?.setZone ? read : read.setZone(options?.zone)
  }
  static fromSQL(text, options) { return DateTime.fromISO(text, options) }
  static fromHTTP(text, options) { return new DateTime(Date.parse(text), options?.zone) }
  static fromRFC2822(text, options) { return new DateTime(Date.parse(text), options?.zone) }
  static fromFormat(text, format, options) {
    const names = []
    const patterns = { yyyy: '\\d{4}', yy: '\\d{2}', y: '\\d{1,4}', MM: '\\d{2}', LL: '\\d{2}', M: '\\d{1,2}', L: '\\d{1,2}', dd: '\\d{2}', d: '\\d{1,2}', HH: '\\d{2}', H: '\\d{1,2}', hh: '\\d{2}', h: '\\d{1,2}', mm: '\\d{2}', m: '\\d{1,2}', ss: '\\d{2}', s: '\\d{1,2}', SSS: '\\d{3}', a: '[ap]m', X: '-?\\d+(?:\\.\\d+)?', x: '-?\\d+', ZZ: '[+-]\\d{2}:\\d{2}', ZZZ: '[+-]\\d{4}', MMM: $MONTHS.map((one) => one.slice(0, 3)).join('|'), LLL: $MONTHS.map((one) => one.slice(0, 3)).join('|'), MMMM: $MONTHS.join('|'), LLLL: $MONTHS.join('|'), EEE: $WEEKDAYS.map((one) => one.slice(0, 3)).join('|'), EEEE: $WEEKDAYS.join('|'), ccc: $WEEKDAYS.map((one) => one.slice(0, 3)).join('|'), cccc: $WEEKDAYS.join('|') }
    const pattern = format.replaceAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']/g, (token, quoted, letter) => {
      const plain = (part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
      if (!letter) return plain(quoted ?? token)
      names.push(token)
      return '(' + (patterns[token] ?? $fail('the format of a time has "' + token + '", which is not read here')) + ')'
    })
    const found = new RegExp('^' + pattern + '$', 'i').exec(text)
    if (!found) return new DateTime(NaN, options?.zone)
    const part = (...which) => { const at = names.findIndex((name) => which.includes(name)); return at < 0 ? undefined : found[at + 1] }
    if (part('x')) return new DateTime(Number(part('x')), options?.zone)
    if (part('X')) return new DateTime(Number(part('X')) * 1000, options?.zone)
    const short = part('yy')
    const year = short === undefined ? Number(part('yyyy', 'y') ?? new DateTime(Date.now(), options?.zone).year) : Number(short) + (Number(short) > 60 ? 1900 : 2000)
    const named = part('MMM', 'MMMM', 'LLL', 'LLLL')
    const month = named === undefined ? Number(part('MM', 'M', 'LL', 'L') ?? 1) : $MONTHS.findIndex((one) => one.slice(0, 3).toLowerCase() === named.slice(0, 3).toLowerCase()) + 1
    let hour = Number(part('HH', 'H', 'hh', 'h') ?? 0)
    const half = part('a')
    if (half) hour = (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
    const offset = part('ZZ', 'ZZZ')
    const to = offset ? $fixed((offset[0] === '-' ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2)))) : options?.zone
    const read = DateTime.fromParts([year, month, Number(part('dd', 'd') ?? 1), hour, Number(part('mm', 'm') ?? 0), Number(part('ss', 's') ?? 0), Number(part('SSS') ?? 0)], to)
    return options?.setZone ? read : read.setZone(options?.zone)
  }
  static isDateTime(value) { return value instanceof DateTime }
  static max(...list) { return list.reduce((a, b) => (b > a ? b : a)) }
  static min(...list) { return list.reduce((a, b) => (b < a ? b : a)) }
  get isValid() { return !Number.isNaN(this.ts) }
  get isLuxonDateTime() { return true }
  get offset() { return this.isValid ? this.zone.at(this.ts) : NaN }
  get zoneName() { return this.zone.name }
  get local() { return new Date(this.ts + this.offset * 60000) }
  get year() { return this.local.getUTCFullYear() }
  get month() { return this.local.getUTCMonth() + 1 }
  get day() { return this.local.getUTCDate() }
  get hour() { return this.local.getUTCHours() }
  get minute() { return this.local.getUTCMinutes() }
  get second() { return this.local.getUTCSeconds() }
  get millisecond() { return this.local.getUTCMilliseconds() }
  get weekday() { return ((this.local.getUTCDay() + 6) % 7) + 1 }
  get quarter() { return Math.ceil(this.month / 3) }
  get ordinal() { return Math.round((Date.UTC(2000, this.month - 1, this.day) - Date.UTC(2000, 0, 0)) / $DAY) - (this.month > 2 && !this.isInLeapYear ? 1 : 0) }
  get isInLeapYear() { return this.year % 4 === 0 && (this.year % 100 !== 0 || this.year % 400 === 0) }
  get daysInMonth() { return new Date(Date.UTC(2000 + (this.year % 400), this.month, 0)).getUTCDate() }
  get thursday() { return new Date(this.local.getTime() + (4 - this.weekday) * $DAY) }
  get weekYear() { return this.thursday.getUTCFullYear() }
  get weekNumber() { return Math.floor((this.thursday.getTime() - Date.UTC(this.weekYear, 0, 1)) / $DAY / 7) + 1 }
  get monthLong() { return $MONTHS[this.month - 1] }
  get monthShort() { return this.monthLong.slice(0, 3) }
  get weekdayLong() { return $WEEKDAYS[this.weekday - 1] }
  get weekdayShort() { return this.weekdayLong.slice(0, 3) }
  get(name) { return this[name] }
  get parts() { return [this.year, this.month, this.day, this.hour, this.minute, this.second, this.millisecond] }
  valueOf() { return this.ts }
  toMillis() { return this.ts }
  toSeconds() { return this.ts / 1000 }
  toUnixInteger() { return Math.floor(this.ts / 1000) }
  toJSDate() { return new Date(this.ts) }
  toJSON() { return this.toISO() }
  toString() { return this.isValid ? this.toISO() : 'Invalid DateTime' }
  toISO(options = {}) {
    if (!this.isValid) return null
    return this.toISODate() + 'T' + this.toISOTime(options)
  }
  toISODate() { return this.isValid ? $two(this.year, 4) + '-' + $two(this.month) + '-' + $two(this.day) : null }
  toISOTime({ suppressMilliseconds: short, suppressSeconds: shorter, includeOffset = true, ...other } = {}) {
    if (Object.keys(other).length > 0) $fail('toISO() has options that are not known here')
    const milliseconds = short && this.millisecond === 0 ? '' : '.' + $two(this.millisecond, 3)
    const seconds = shorter && this.second === 0 && this.millisecond === 0 ? '' : ':' + $two(this.second) + milliseconds
    return $two(this.hour) + ':' + $two(this.minute) + seconds + (!includeOffset ? '' : this.offset === 0 && this.zone.name === 'UTC' ? 'Z' : $sign(this.offset))
  }
  toSQLDate() { return this.toISODate() }
  toObject() { return { year: this.year, month: this.month, day: this.day, hour: this.hour, minute: this.minute, second: this.second, millisecond: this.millisecond } }
  toFormat(format, options) {
    if (!this.isValid) return 'Invalid DateTime'
    if (options && Object.keys(options).length > 0) $fail('the languages of times are not known here')
    const twelve = this.hour % 12 || 12
    return String(format).replaceAll(/'([^']*)'|([A-Za-z])\2*/g, (token, quoted) => {
      if (quoted !== undefined) return quoted
      switch (token) {
        case 'yyyy': return $two(this.year, 4)
        case 'y': return String(this.year)
        case 'yy': return $two(this.year % 100)
        case 'MMMM': case 'LLLL': return this.monthLong
        case 'MMM': case 'LLL': return this.monthShort
        case 'MM': case 'LL': return $two(this.month)
        case 'M': case 'L': return String(this.month)
        case 'dd': return $two(this.day)
        case 'd': return String(this.day)
        case 'HH': return $two(this.hour)
        case 'H': return String(this.hour)
        case 'hh': return $two(twelve)
        case 'h': return String(twelve)
        case 'mm': return $two(this.minute)
        case 'm': return String(this.minute)
        case 'ss': return $two(this.second)
        case 's': return String(this.second)
        case 'SSS': return $two(this.millisecond, 3)
        case 'S': return String(this.millisecond)
        case 'a': return this.hour < 12 ? 'AM' : 'PM'
        case 'EEEE': case 'cccc': return this.weekdayLong
        case 'EEE': case 'ccc': return this.weekdayShort
        case 'E': case 'c': return String(this.weekday)
        case 'WW': return $two(this.weekNumber)
        case 'W': return String(this.weekNumber)
        case 'kkkk': return String(this.weekYear)
        case 'q': return String(this.quarter)
        case 'o': return String(this.ordinal)
        case 'ooo': return $two(this.ordinal, 3)
        case 'ZZ': return $sign(this.offset)
        case 'ZZZ': return $sign(this.offset, null)
        case 'Z': return $sign(this.offset, '')
        case 'z': return this.zone.name
        case 'X': return String(Math.floor(this.ts / 1000))
        case 'x': return String(this.ts)
        case 'T': return token
      }
      return $fail('the format of a time has "' + token + '", which is not known here')
    })
  }
  setZone(zone, options) {
    const to = $zoned(zone)
    return options?.keepLocalTime ? DateTime.fromParts(this.parts, to) : new DateTime(this.ts, to)
  }
  toUTC() { return this.setZone('utc') }
  toLocal() { return this.setZone($zone) }
  set(parts) {
    const names = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond']
    const values = Object.fromEntries(Object.entries(parts).map(([name, value]) => [$unit(name), value]))
    if (Object.keys(parts).some((name) => /^week|ordinal/.test(name))) {
      if (Object.keys(parts).length === 1 && 'weekday' in parts) return this.plus({ days: parts.weekday - this.weekday })
      $fail('set() of a time has parts that are not known here')
    }
    const [y, m, d, ...time] = names.map((name) => values[name] ?? this[name])
    const last = new Date(Date.UTC(2000 + (y % 400), m, 0)).getUTCDate()
    return DateTime.fromParts([y, m, 'day' in values ? d : Math.min(d, last), ...time], this.zone)
  }
  moved(amounts, sign) {
    if (typeof amounts === 'number') return new DateTime(this.ts + sign * amounts, this.zone)
    if (amounts === null || typeof amounts !== 'object') $fail('what is added to a time is no number and no object')
    let [months, days, ms] = [0, 0, 0]
    for (const [name, given] of Object.entries(amounts)) {
      const amount = sign * Number(given)
      const unit = $unit(name)
      if (unit === 'year') months += 12 * amount
      else if (unit === 'quarter') months += 3 * amount
      else if (unit === 'month') months += amount
      else if (unit === 'week') days += 7 * amount
      else if (unit === 'day') days += amount
      else ms += amount * $UNITS[unit]
    }
    if (!Number.isInteger(months)) $fail('parts of a month are not added to a time here')
    const whole = Math.trunc(days)
    ms += (days - whole) * $DAY
    if (months === 0 && whole === 0) return new DateTime(this.ts + Math.trunc(ms), this.zone)
    const [y, m, d, ...time] = this.parts
    const first = new Date(Date.UTC(2000, 0, 1))
    first.setUTCFullYear(y, m - 1 + months, 1)
    const last = new Date(first.getTime())
    last.setUTCMonth(last.getUTCMonth() + 1, 0)
    const local = first.getTime() + (Math.min(d, last.getUTCDate()) - 1 + whole) * $DAY + ((time[0] * 60 + time[1]) * 60 + time[2]) * 1000 + time[3]
    return new DateTime($utc(local, this.zone) + Math.trunc(ms), this.zone)
  }
  plus(amounts) { return this.moved(amounts, 1) }
  minus(amounts) { return this.moved(amounts, -1) }
  startOf(name) {
    const unit = $unit(name)
    if (unit === 'week') return this.minus({ days: this.weekday - 1 }).startOf('day')
    if (unit === 'quarter') return this.set({ month: (this.quarter - 1) * 3 + 1 }).startOf('month')
    const depth = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'].indexOf(unit)
    return DateTime.fromParts(this.parts.slice(0, depth + 1), this.zone)
  }
  endOf(name) { return this.startOf(name).plus({ [$unit(name) + 's']: 1 }).minus(1) }
  hasSame(other, name) { const there = other.setZone(this.zone); return this.startOf(name).ts <= other.ts && other.ts <= this.endOf(name).ts && there.isValid }
  equals(other) { return other instanceof DateTime && other.ts === this.ts && other.zone.name === this.zone.name }
  diff(other, units = 'milliseconds') {
    const wanted = [units].flat().map($unit)
    const [from, to, sign] = other.ts <= this.ts ? [other, this, 1] : [this, other, -1]
    const found = {}
    let cursor = from.setZone(this.zone)
    const calendar = $CALENDAR.filter((unit) => wanted.includes(unit))
    const rest = ['hour', 'minute', 'second', 'millisecond'].filter((unit) => wanted.includes(unit))
    for (const unit of calendar) {
      const length = { year: 365.2425, quarter: 91.31, month: 30.44, week: 7, day: 1 }[unit] * $DAY
      let count = Math.max(0, Math.floor((to.ts - cursor.ts) / length) - 1)
      while (cursor.plus({ [unit + 's']: count + 1 }).ts <= to.ts) count++
      while (count > 0 && cursor.plus({ [unit + 's']: count }).ts > to.ts) count--
      const next = cursor.plus({ [unit + 's']: count })
      const isLast = unit === calendar.at(-1) && rest.length === 0
      found[unit + 's'] = sign * (count + (isLast ? (to.ts - next.ts) / (cursor.plus({ [unit + 's']: count + 1 }).ts - next.ts) : 0))
      cursor = next
    }
    let ms = to.ts - cursor.ts
    for (const unit of rest) {
      const count = unit === rest.at(-1) ? ms / $UNITS[unit] : Math.floor(ms / $UNITS[unit])
      found[unit + 's'] = sign * count
      ms -= count * $UNITS[unit]
    }
    const as = (name) => { const unit = $unit(name); return unit + 's' in found && Object.keys(found).length === 1 ? found[unit + 's'] : this.diff(other, [unit])[unit + 's'] }
    return { ...found, as, toObject: () => found, toMillis: () => this.ts - other.ts, valueOf: () => this.ts - other.ts }
  }
  diffNow(units) { return this.diff(DateTime.now(), units) }
  until() { return $fail('intervals are not known here') }
}
const $zone = $zoned($zone_name)
const $now = DateTime.now()
const $today = $now.startOf('day')
const $moment = (value) => {
  if (value instanceof DateTime) return value.isValid ? value : undefined
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : DateTime.fromJSDate(value)
  const text = String(value).trim()
  const read = DateTime.fromISO(text, { setZone: true })
  if (read.isValid) return read
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : new DateTime(ms)
}
const $dated = (value) => (value instanceof DateTime ? value : value instanceof Date ? DateTime.fromJSDate(value) : $moment(value) ?? $fail('"' + value + '" is no time'))
const $as_given = (value, time) => (value instanceof DateTime ? time : time.toJSDate())
const $amount = (amount, unit) => (unit === undefined ? amount : { [$unit(unit) + 's']: amount })
if (typeof $extensions === 'object') Object.assign($extensions.date, {
  beginningOf: (v, unit = 'week') => $as_given(v, $dated(v).startOf(unit)), endOfMonth: (v) => $as_given(v, $dated(v).endOf('month')),
  extract: (v, part = 'week') => $dated(v)[part === 'week' ? 'weekNumber' : part === 'yearDayNumber' ? 'ordinal' : part.replace(/s$/, '')],
  format: (v, format, options) => $dated(v).toFormat(format, options),
  isBetween: (v, a, b) => { const [low, high] = [$dated(a).ts, $dated(b).ts]; const ts = $dated(v).ts; return Math.min(low, high) < ts && ts < Math.max(low, high) },
  isInLast: (v, amount = 0, unit = 'minutes') => { const ts = $dated(v).ts; return DateTime.now().minus($amount(amount, unit)).ts <= ts && ts <= Date.now() },
  isWeekend: (v) => $dated(v).weekday > 5,
  plus: (v, amount, unit) => $as_given(v, $dated(v).plus($amount(amount, unit))), minus: (v, amount, unit) => $as_given(v, $dated(v).minus($amount(amount, unit))),
  diffTo: (v, other, unit = 'days') => { const units = [unit].flat(); const found = $dated(v).diff($dated(other), units); return units.length > 1 ? found.toObject() : found.as(units[0]) },
  diffToNow: (v, unit = 'days') => $extensions.date.diffTo(v, DateTime.now(), unit),
  toInt: (v) => $dated(v).ts, toFloat: (v) => $dated(v).ts, toBoolean: () => undefined, isEmpty: () => false, isNotEmpty: () => true,
  toDateTime: (v) => $dated(v),
})`
