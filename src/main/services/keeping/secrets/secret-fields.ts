/** Separates the secrets in an object from its other fields; they are stored separately and never shown. */
import { say } from '../../../../shared/contract/base/message.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface SplitFields {
  readonly shown: Fields
  /** The path of a secret (`oauth2/client_secret`) with its value. */
  readonly secrets: Readonly<Record<string, string>>
  /** Paths of secrets for which null was sent, which deletes them. */
  readonly cleared: readonly string[]
}

/**
 * Takes the secrets out of an object, at any depth.
 *
 * @param name what to call the object in an error
 * @throws AppError `validation` if a secret isn't a string
 */
export function splitFields(fields: Fields, isSecret: (key: string) => boolean, name: string): SplitFields {
  const secrets: Record<string, string> = {}
  const cleared: string[] = []

  function shownOf(part: Fields, place: readonly string[]): Fields {
    const entries = Object.entries(part).flatMap(([key, value]): [string, unknown][] => {
      const path = [...place, key]
      if (!isSecret(key)) return [[key, isFields(value) ? shownOf(value, path) : value]]
      if (value === null || value === '') cleared.push(writePlace(path))
      else if (typeof value === 'string') secrets[writePlace(path)] = value
      else
        throw fieldErrors({
          [[name, ...path].join('.')]: [say('must be a string because it is stored as a secret')],
        })
      return []
    })
    return Object.fromEntries(entries)
  }

  const shown = shownOf(fields, [])
  return { shown, secrets, cleared }
}

/** Puts the secrets back into the object. */
export function joinFields(shown: Fields, secrets: Readonly<Record<string, string>>): Fields {
  return Object.entries(secrets).reduce(
    (fields, [place, secret]) => withAt(fields, readPlace(place), secret),
    shown,
  )
}

function withAt(fields: Fields, [key = '', ...rest]: readonly string[], secret: string): Fields {
  if (rest.length === 0) return { ...fields, [key]: secret }
  const part = fields[key]
  return { ...fields, [key]: withAt(isFields(part) ? part : {}, rest, secret) }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
}

/** As in a JSON pointer, `/` in a key is `~1` and `~` is `~0`. */
const writePlace = (path: readonly string[]) =>
  path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
const readPlace = (place: string) =>
  place.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
