import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { isJsonTemplate } from '../../../connector/action-request.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  getKey,
  isDictionary,
  isJsonText,
} from '@millrace/jinja/data'
import type { HeaderLine } from '../../../ports.ts'
import type { RequestBody } from '../../../request/body.ts'
import { writeMultipart } from '../../../request/multipart.ts'
import { valueText } from '../../../request/query-string.ts'
import { renderJsonBody, renderXml } from '@millrace/jinja'
import type { StepScope } from '../../model/compiled-step.ts'
import type { StoredFile } from '../../model/ports.ts'
import { shortText } from './read-input.ts'

export interface RestBody {
  readonly body: RequestBody
  /** Headers of the body, unless the author sets others. */
  readonly headers: readonly HeaderLine[]
  /** The boundary of a form with files. */
  readonly boundary?: string
  /** The body as shown in the history. */
  readonly shown: Data
}

type Config = Pick<StepConfig<'rest'>, 'body' | 'body_type'>

/** The body of a `rest` step, rendered and serialized according to its `body_type`. */
export function restBody(config: Config, scope: StepScope): RestBody {
  if (config.body === null || config.body === '' || config.body_type === 'none') return NO_BODY
  return WRITERS[config.body_type](config.body, scope)
}

const WRITERS: Readonly<
  Record<Exclude<Config['body_type'], 'none'>, (body: unknown, scope: StepScope) => RestBody>
> = {
  json: jsonBody,
  form: formBody,
  multipart: multipartBody,
  text: textBody,
  xml: xmlBody,
  binary: binaryBody,
}

/**
 * In a string written as JSON, values are encoded for their position. A single expression is serialized unless it
 * already returns JSON.
 */
function jsonBody(source: unknown, scope: StepScope): RestBody {
  const headers: HeaderLine[] = [['Content-Type', 'application/json']]
  if (typeof source === 'string' && isJsonTemplate(source)) {
    const content = scope.at(FIELD, () => renderJsonBody(source, scope.context))
    return { body: { kind: 'raw', content }, headers, shown: content }
  }
  const value = scope.evaluate(FIELD, source)
  if (typeof value === 'string' && isJsonText(value))
    return { body: { kind: 'raw', content: value }, headers, shown: value }
  return { body: { kind: 'json', value }, headers, shown: value }
}

function formBody(source: unknown, scope: StepScope): RestBody {
  const fields = dictionary(source, scope)
  return {
    body: { kind: 'form', fields },
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    shown: fields,
  }
}

function textBody(source: unknown, scope: StepScope): RestBody {
  const content = valueText(scope.evaluate(FIELD, source))
  return {
    body: { kind: 'raw', content },
    headers: [['Content-Type', 'text/plain; charset=utf-8']],
    shown: content,
  }
}

/** Renders XML, in which inserted values are text. */
function xmlBody(source: unknown, scope: StepScope): RestBody {
  const headers: HeaderLine[] = [['Content-Type', 'application/xml; charset=utf-8']]
  const content =
    typeof source === 'string'
      ? scope.at(FIELD, () => renderXml(source, scope.context).text)
      : valueText(scope.evaluate(FIELD, source))
  return { body: { kind: 'raw', content, isXml: true }, headers, shown: content }
}

/** A file that was uploaded or received: its `file_id`, or the object that contains it. */
function binaryBody(source: unknown, scope: StepScope): RestBody {
  const value = scope.evaluate(FIELD, source)
  const id = isDictionary(value) ? getKey(value, 'file_id') : value
  const file = openFile(id ?? null, scope)
  return {
    body: { kind: 'raw', content: file.content },
    headers: [['Content-Type', file.contentType]],
    shown: describeFile(file),
  }
}

function multipartBody(source: unknown, scope: StepScope): RestBody {
  const fields = dictionary(source, scope)
  const { content, boundary } = writeMultipart(fields, {
    random: scope.ports.random,
    openFile: (id) => openFile(id, scope),
  })
  return {
    body: { kind: 'raw', content },
    headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
    boundary,
    shown: fields,
  }
}

function openFile(id: Data, scope: StepScope): StoredFile {
  const file = typeof id === 'string' ? scope.ports.readFile(id) : null
  if (file) return file
  throw scope.fail(
    'not_found',
    say('there is no file {{file}}; use the "file_id" of a file that was received', { file: shortText(id) }),
    {
      field: FIELD,
    },
  )
}

function dictionary(source: unknown, scope: StepScope): Dictionary {
  const value = scope.evaluate(FIELD, source)
  if (isDictionary(value)) return value
  throw scope.fail(
    'validation',
    say('"body" must be an object of fields, got {{value}}', { value: shortText(value) }),
    {
      field: FIELD,
    },
  )
}

function describeFile({ filename, contentType, content }: StoredFile): Data {
  return dictionaryOf([
    ['filename', filename],
    ['content_type', contentType],
    ['size', content.byteLength],
  ])
}

const FIELD = 'config.body'
const NO_BODY: RestBody = { body: { kind: 'none' }, headers: [], shown: null }
