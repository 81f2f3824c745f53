import {
  type Data,
  dictionaryOf,
  entriesOf,
  equalData,
  getKey,
  isDictionary,
  isList,
  keysOf,
} from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'

/** Restores secrets, which are shown as `***`, where the caller left the values as they were shown. */
export function unhidden(edited: Data, kept: Data, redactor: Redactor): Data {
  return restore(edited, redactor.redactData(kept), kept)
}

function restore(edited: Data, shown: Data, kept: Data): Data {
  if (equalData(edited, shown)) return kept
  if (isList(edited) && isList(shown) && isList(kept))
    return edited.map((item, index) => restore(item, shown[index] ?? null, kept[index] ?? null))
  if (!isDictionary(edited) || !isDictionary(shown) || !isDictionary(kept)) return edited
  const names = keysOf(kept)
  // Redacted keys keep their positions, so that none is lost.
  const nameOf = new Map(keysOf(shown).map((name, index) => [name, names[index] ?? name]))
  return dictionaryOf(
    entriesOf(edited).map(([key, item]) => {
      const name = nameOf.get(key) ?? key
      return [name, restore(item, getKey(shown, key) ?? null, getKey(kept, name) ?? null)]
    }),
  )
}
