import { AppError } from '../../../shared/contract/base/errors.ts'
import { JsonError, OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import type { JsonCodec } from './ports.ts'

/** The API's JSON: nothing a caller sends is rounded or reordered on its way through. */
export const jsonCodec: JsonCodec = {
  parse(text) {
    try {
      return parseJson(text)
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      const sentence = `is not JSON that can be read: ${error.message}`
      throw new AppError('validation', `The body ${sentence}`, { data: { body: [sentence] }, cause: error })
    }
  },
  stringify: (value) => writeJson(value as Data),
}

/** The database's JSON: what was written is read again, however deep a value has become on its way. */
export const storedJson: JsonCodec = {
  parse: (text) => parseJson(text, OWN_JSON_LIMITS),
  stringify: (value) => writeJson(value as Data),
}
