import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import {
  type Data,
  JsonError,
  OWN_JSON_LIMITS,
  parseJson,
  parseLargeJson,
  writeJson,
} from '@millrace/jinja/data'
import type { JsonCodec } from './ports.ts'

/** The API's JSON: values pass through without being rounded or reordered. */
export const jsonCodec: JsonCodec = {
  parse(text) {
    try {
      return parseJson(text)
    } catch (error) {
      throw refusalOf(error)
    }
  },
  async parseLarge(text) {
    try {
      return await parseLargeJson(text)
    } catch (error) {
      throw refusalOf(error)
    }
  },
  stringify: (value) => writeJson(value as Data),
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof JsonError)) return error
  const { line, column } = error
  const why = { line, column, problem: error.problem }
  const problem = say("isn't valid JSON in line {{line}}, column {{column}}: {{problem}}", why)
  return fieldErrors({ body: [problem] }, say('The body {{problem}}', { problem }))
}

/** The database's JSON: everything that was written can be read again, however deeply it is nested. */
export const storedJson: Pick<JsonCodec, 'parse' | 'stringify'> = {
  parse: (text) => parseJson(text, OWN_JSON_LIMITS),
  stringify: (value) => writeJson(value as Data),
}
