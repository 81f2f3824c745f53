/** Reads API descriptions of other tools as a connector: nothing is created here, and no credentials are imported. */
import { say, type Said, sentenceOf } from '../../../shared/contract/base/message.ts'
import type { ConnectorDraft, ImportFormat } from '../../../shared/contract/connector-imports.ts'
import { type AppError, fieldErrors } from '../../../shared/contract/base/errors.ts'
import { JsonError, parseJson } from '@millrace/jinja/data'
import type { ImportPlan } from './draft.ts'
import { planFromCurl } from './from-curl.ts'
import { fromSwagger, planFromOpenApi } from './from-openapi.ts'
import { planFromPostman } from './from-postman.ts'
import { childOf, IMPORT_LIMITS, isRecord, textOf, type Plain } from './plain.ts'
import { looksLikeYaml, readYaml, YamlError } from './read-yaml.ts'

export type { ImportPlan } from './draft.ts'

export interface ReadImport extends ImportPlan {
  readonly format: ImportFormat
}

/**
 * Detects the format of the source.
 *
 * @throws AppError `validation` if it is not a supported format, saying what it seems to be
 */
export function planImport(source: string): ReadImport {
  const text = source.trim()
  const isJson = /^[{[]/.test(text)
  const curl = isJson || isDocument(text) ? null : planFromCurl(text)
  if (curl !== null) return { format: 'curl', ...curl }
  if (!isJson && !looksLikeYaml(text)) throw unreadable(guess(text))
  const document = isJson ? plain(parsed(text)) : parsedYaml(text)
  if (!isRecord(document)) throw unreadable(say('It is a list, not the description of an API'))
  // YAML reads an unquoted 3.1 as a number.
  if (String(document['openapi']).startsWith('3.')) return { format: 'openapi', ...planFromOpenApi(document) }
  if (String(document['swagger']).startsWith('2.'))
    return { format: 'openapi', ...planFromOpenApi(fromSwagger(document)) }
  if (/getpostman\.com\/json\/collection\/v2\.[01]/.test(textOf(childOf(document, 'info')['schema'])))
    return { format: 'postman', ...planFromPostman(document) }
  if (document['format'] === 'millrace-connector') return ownFile(document)
  throw unreadable(
    say('It has neither "openapi": "3.…", "swagger": "2.0" nor the schema of a Postman collection 2.x'),
  )
}

/** An API description in YAML, which may contain curl commands. */
const isDocument = (text: string) => /^["']?(?:openapi|swagger|asyncapi)["']?\s*:/m.test(text)

/** The output of `GET /v1/connectors/{id}/export`; each field is checked when the connector is created. */
function ownFile(document: Plain): ReadImport {
  const actions = Array.isArray(document['actions']) ? document['actions'] : []
  return {
    format: 'millrace',
    connector: childOf(document, 'connector') as ConnectorDraft,
    actions: actions,
    left_out: [],
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, { maxValues: IMPORT_LIMITS.maxValues })
  } catch (error) {
    if (error instanceof JsonError)
      throw unreadable(say('It is not JSON: {{problem}}', { problem: error.said }))
    throw error
  }
}

function parsedYaml(text: string): unknown {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError)
      throw unreadable(say('It is not YAML either: {{problem}}', { problem: sentenceOf(error) }))
    throw error
  }
}

/** As plain objects and numbers: imports don't care how a number was written. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, part: unknown) =>
      part instanceof Map
        ? Object.fromEntries(part as Map<string, unknown>)
        : typeof part === 'bigint'
          ? Number(part)
          : part,
    ),
  )

function guess(text: string): Said {
  return /curl\s/.test(text) ? say('The curl command has no URL') : say("It isn't in any of these formats")
}

function unreadable(why: Said): AppError {
  return fieldErrors({
    source: [
      say("isn't a curl command, OpenAPI 2 or 3 document, Postman collection or connector file. {{why}}", {
        why,
      }),
    ],
  })
}
