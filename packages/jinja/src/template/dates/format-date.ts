import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { checkTextSize } from '../base/limits.ts'
import { dayOfYear, isoWeek, weekday, weekOfYear } from './calendar.ts'
import { DAYS, MONTHS } from './names.ts'
import { offsetMinutes, wallTime, type WallTime, zoneName } from './wall-time.ts'

/** Named formats besides those with `%` codes. */
const NAMED: Readonly<Record<string, string>> = {
  iso: '%Y-%m-%dT%H:%M:%S.%L%:z',
  date: '%Y-%m-%d',
  time: '%H:%M:%S',
  datetime: '%Y-%m-%d %H:%M:%S',
  http: '%a, %d %b %Y %H:%M:%S GMT',
  rfc2822: '%a, %d %b %Y %H:%M:%S %z',
  unix: '%s',
  unix_ms: '%Q',
}

/** Formats a time: `%` codes as in Python's strftime, or the name of a format (`iso`, `date`, `unix`, …). */
export function formatDate(epochMs: number, format: string, zone: string): string {
  checkTextSize(format.length * 8)
  const shownIn = format === 'http' ? 'UTC' : zone
  const pattern = Object.hasOwn(NAMED, format) ? (NAMED[format] ?? format) : format
  const wall = wallTime(epochMs, shownIn)
  return pattern.replace(/%(-?)(:z|.)/gs, (whole, unpadded: string, code: string) => {
    const text = fieldText(code, wall, epochMs, shownIn)
    if (text === undefined)
      throw argumentFault(say`"${whole}" isn't a date format code`, say`Write %Y-%m-%d %H:%M:%S or iso`)
    // linear: anchored, and the look-ahead reads one character
    return unpadded === '' ? text : text.replace(/^0+(?=\d)/, '')
  })
}

const two = (value: number) => String(value).padStart(2, '0')

function fieldText(code: string, wall: WallTime, epochMs: number, zone: string): string | undefined {
  const day = weekday(wall)
  switch (code) {
    case 'Y':
      return String(wall.year).padStart(4, '0')
    case 'y':
      return two(wall.year % 100)
    case 'm':
      return two(wall.month)
    case 'd':
      return two(wall.day)
    case 'e':
      return String(wall.day).padStart(2, ' ')
    case 'H':
      return two(wall.hour)
    case 'I':
      return two(wall.hour % 12 === 0 ? 12 : wall.hour % 12)
    case 'M':
      return two(wall.minute)
    case 'S':
      return two(wall.second)
    case 'f':
      return `${String(wall.millisecond).padStart(3, '0')}000`
    case 'L':
      return String(wall.millisecond).padStart(3, '0')
    case 'p':
      return wall.hour < 12 ? 'AM' : 'PM'
    case 'j':
      return String(dayOfYear(wall)).padStart(3, '0')
    case 'a':
      return DAYS[day]?.slice(0, 3)
    case 'A':
      return DAYS[day]
    case 'b':
      return MONTHS[wall.month - 1]?.slice(0, 3)
    case 'B':
      return MONTHS[wall.month - 1]
    case 'w':
      return String(day)
    case 'u':
      return String(day === 0 ? 7 : day)
    case 'U':
      return two(weekOfYear(wall, 0))
    case 'W':
      return two(weekOfYear(wall, 1))
    case 'V':
      return two(isoWeek(wall).week)
    case 'G':
      return String(isoWeek(wall).year)
    case 'z':
      return offsetText(offsetMinutes(epochMs, zone), '')
    case ':z':
      return zone === 'UTC' || zone === 'Z' ? 'Z' : offsetText(offsetMinutes(epochMs, zone), ':')
    case 'Z':
      return zoneName(epochMs, zone)
    case 's':
      return String(Math.floor(epochMs / 1000))
    case 'Q':
      return String(Math.floor(epochMs))
    case 'F':
      return `${String(wall.year).padStart(4, '0')}-${two(wall.month)}-${two(wall.day)}`
    case 'T':
      return `${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`
    case 'R':
      return `${two(wall.hour)}:${two(wall.minute)}`
    case '%':
      return '%'
    default:
      return undefined
  }
}

function offsetText(minutes: number, separator: string): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${separator}${two(size % 60)}`
}
