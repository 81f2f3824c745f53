import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0'
import { isRecord, textOf, type Plain } from './plain.ts'
import { createReferences } from './openapi-references.ts'
import { listOf } from './openapi-schemas.ts'

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0. The converter receives each operation with all its parameters
 * inlined and Swagger's defaults filled in. Otherwise it would lose referenced bodies and implicit separators.
 */
export function fromSwagger(document: Plain): Plain {
  const { resolve, unknown } = createReferences(document, () => {})
  const inline = (list: unknown): Plain[] =>
    (Array.isArray(list) ? list : []).map((entry) => {
      const parameter = resolve(entry)
      return Object.keys(parameter).length === 0 && isRecord(entry) ? entry : parameter
    })
  // An operation in another file stays a reference, which the import reports.
  const operationAt = (part: Plain) => (unknown(part) === null ? resolve(part) : part)
  const paths = isRecord(document['paths']) ? document['paths'] : {}
  const complete = {
    ...document,
    swagger: '2.0',
    parameters: undefined,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, value]) => {
        const { parameters: shared, ...item } = resolve(value)
        const entries = Object.entries(item).map(([key, part]) =>
          METHODS.has(key) && isRecord(part)
            ? [
                key,
                operationOf(
                  operationAt(part),
                  [...inline(shared), ...inline(operationAt(part)['parameters'])],
                  document,
                ),
              ]
            : [key, part],
        )
        return [path, Object.fromEntries(entries) as Plain]
      }),
    ),
  }
  const { parameters: _, ...rest } = structuredClone(complete)
  return upgradeFromTwoToThree(rest as Parameters<typeof upgradeFromTwoToThree>[0]) as Plain
}

const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])

function operationOf(operation: Plain, parameters: readonly Plain[], document: Plain): Plain {
  // The operation's own parameter overrides the path's with the same name and location.
  const own = new Map(
    parameters.map((parameter) => [`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter]),
  )
  const inForm = [...own.values()].filter((parameter) => parameter['in'] === 'formData')
  const said =
    [listOf(operation, 'consumes'), listOf(document, 'consumes')].find((list) => list.length > 0) ?? []
  const isForm = (type: unknown) =>
    /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i.test(textOf(type))
  const hasFile = inForm.some((parameter) => parameter['type'] === 'file')
  const forms = hasFile
    ? ['multipart/form-data']
    : said.some(isForm)
      ? said.filter(isForm).map((type) => textOf(type).split(';')[0] ?? '')
      : ['application/x-www-form-urlencoded']
  return {
    ...operation,
    ...(inForm.length > 0 ? { consumes: forms } : {}),
    parameters: [...own.values()].map((parameter) =>
      parameter['type'] === 'array' && parameter['collectionFormat'] === undefined
        ? { ...parameter, collectionFormat: 'csv' }
        : parameter,
    ),
  }
}
