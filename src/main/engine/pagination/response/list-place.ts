import { type Data, getKey, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import { followPath, type Path, readPath, type Segment } from '@millrace/jinja/jsonpath'
import type { ListHolder, ListPlace } from '../model/page-run.ts'

/**
 * The kind of value that a response has in place of its list.
 *
 * @param path empty if the response is the list
 */
export function listPlaceOf(path: Path, body: Data): ListPlace {
  // For a path that jsonpath-plus evaluates, only the result is known, not the way to it.
  if (isPlus(path)) return firstAt(path, body) === 'absent' ? 'absent' : 'list'
  // Selectors that choose among the elements of a list aren't part of the path to it.
  const end = path.findIndex(
    ({ of, selectors }) => of !== 'child' || selectors.length > 1 || !LEADS_ON.has(selectors[0]?.type ?? ''),
  )
  const isDeep = end !== -1 && end < path.length - 1
  const place = firstAt(end === -1 ? path : path.slice(0, end), body)
  if (place === 'object' && end === path.length - 1 && firstAt(path, body) === 'list') return 'list'
  const isOtherBody = end === 0 && isList(body) && body.length > 0
  if (!isDeep || place === 'null' || place === 'scalar' || (place === 'list' && !isOtherBody)) return place
  // An empty list has no elements to choose from.
  if (path.at(-1)?.selectors.some(isMany) !== true)
    return firstAt(path, body) === 'absent' ? 'absent' : 'list'
  const holder = firstAt(path.slice(0, -1), body)
  return holder === 'object' ? 'list' : holder
}

function firstAt(path: Path, body: Data): ListPlace {
  const places: ListPlace[] = []
  followPath(path, body, false, (value) => {
    places.push(path.length > 0 && isEmptyElsewhere(value) ? 'nothing' : placeOf(value))
    return true
  })
  return places[0] ?? 'absent'
}

/** Languages without a list type write an empty list as an empty object, false or an empty string. */
function isEmptyElsewhere(value: Data): boolean {
  return value === false || value === '' || (isDictionary(value) && keysOf(value).length === 0)
}

export function isMany({ type }: Segment['selectors'][number]): boolean {
  return type === 'wildcard' || type === 'slice' || type === 'filter' || type === 'plus'
}

export const isPlus = (path: Path): boolean => path[0]?.selectors[0]?.type === 'plus'

/** The names that lead from the root towards the list. */
export function wayTo(path: string): readonly string[] {
  const names: string[] = []
  for (const { of, selectors } of path === '' ? [] : readPath(path)) {
    const [selector] = selectors
    if (of !== 'child' || selectors.length !== 1 || selector?.type !== 'name') break
    names.push(selector.name)
  }
  return names
}

const LEADS_ON: ReadonlySet<string> = new Set(['name', 'index'])

function placeOf(value: Data): ListPlace {
  if (value === null) return 'null'
  if (isList(value)) return 'list'
  if (isDictionary(value)) return 'object'
  return 'scalar'
}

/**
 * The innermost existing element on the path to the records of an XML page. Null if the path consists of more than
 * names.
 */
export function listHolderOf(path: string, body: Data): ListHolder | null {
  const names: string[] = []
  for (const { of, selectors } of path === '' ? [] : readPath(path)) {
    const [selector] = selectors
    if (of !== 'child' || selectors.length !== 1 || selector?.type !== 'name') return null
    names.push(selector.name)
  }
  const around: string[] = []
  let value = body
  for (const [depth, name] of names.entries()) {
    const isParent = depth === names.length - 1
    if (!isDictionary(value)) return { value, isParent, around }
    around.push(...keysOf(value))
    const inner = getKey(value, name)
    if (isParent || inner === undefined) return { value, isParent, around }
    value = inner
  }
  return null
}
