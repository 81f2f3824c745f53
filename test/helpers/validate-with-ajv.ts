/** A separate process: the validator consists of generated code, which the tests' process doesn't allow. */
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Case } from './openapi.ts'

const { document, cases } = JSON.parse(await text(process.stdin)) as {
  document: object
  cases: readonly Case[]
}
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(document, 'api')
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
const faults = cases.flatMap(({ label, schema, value }) => {
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile(absolute(schema) as object)
  compiled.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${label}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
})
process.stdout.write(JSON.stringify(faults))

/** References of the document as seen from outside it. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' && part.startsWith('#') ? `api${part}` : absolute(part),
    ]),
  )
}
