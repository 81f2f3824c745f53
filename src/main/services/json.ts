import { AppError } from '../../shared/contract/errors.ts'
import { JsonError, parseJson, writeJson } from '../engine/data/json.ts'
import type { Data } from '../engine/data/value.ts'
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
