import { type Data, isList } from '../data/value.ts'
import { followPath, readPath } from '../jsonpath/index.ts'
import { isMany } from './response/records.ts'
import type { Keys, RecordPlaces } from './model/page-run.ts'

export const NOWHERE: RecordPlaces = { lists: [], records: [] }

const MAX_PLACES = 10_000

/** Says of what `readRecords` reads where it was found. */
export function recordPlaces(path: string, body: Data): RecordPlaces {
  const segments = path.trim() === '' ? [] : readPath(path)
  if (segments.length === 0) return isList(body) ? { lists: [[]], records: [] } : { lists: [], records: [[]] }
  const choosesElements = segments.at(-1)?.selectors.some(isMany) === true
  const lists: Keys[] = []
  const records: Keys[] = []
  followPath(segments, body, true, (value, place) => {
    const isElement = choosesElements && typeof place?.key === 'number'
    const found = isList(value) && !isElement ? lists : records
    if (value !== null) found.push(keysTo(place))
    return lists.length + records.length >= MAX_PLACES
  })
  return { lists, records }
}

type Place = { readonly key: string | number; readonly parent: Place } | null

function keysTo(place: Place): Keys {
  const keys: (string | number)[] = []
  for (let at = place; at !== null; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
