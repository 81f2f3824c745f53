import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { tellingValues } from '../../../../shared/telling-values.ts'
import { type Data, entriesOf, isDictionary, MANY_KEYS } from '@millrace/jinja/data'
import { isSecretParameter } from '../../redaction/redactor.ts'

/** The parts that identify a value to people, the most distinctive first; not redacted. */
export const tellingPartsOf = (value: Data): readonly string[] => tellingValues(value, smallEntriesOf)

/** The name of a list's item in messages: its position, counted from 1, and the values that identify it. */
export function nameOfItem(item: Data, index: number): Said {
  const [name] = tellingPartsOf(item)
  const position = index + 1
  return name === undefined
    ? say('item {{position}}', { position })
    : say('item {{position}}, {{name}}', { position, name })
}

/**
 * The entries, except those whose name marks them as secret. Copying an object with very many keys costs more than it
 * contributes to a name.
 */
function smallEntriesOf(value: Data): [string, Data][] | null {
  const isLarge = value instanceof Map && value.size > MANY_KEYS
  return isDictionary(value) && !isLarge
    ? entriesOf(value).filter(([name]) => !isSecretParameter(name))
    : null
}
