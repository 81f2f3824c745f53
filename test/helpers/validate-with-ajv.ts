/**
 * Runs as a separate process, because the validator consists of generated code, which the tests' process doesn't allow.
 * Each line of stdin has values to check, and the document if it has changed; each line of stdout has their faults.
 */
import { createInterface } from 'node:readline'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Case } from './openapi.ts'

interface Asked {
  readonly document?: object
  readonly cases: readonly Case[]
}

let ajv = new Ajv2020()
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

for await (const line of createInterface({ input: process.stdin })) {
  const { document, cases } = JSON.parse(line) as Asked
  if (document !== undefined) {
    ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema(document, 'api')
    compiled.clear()
  }
  process.stdout.write(`${JSON.stringify(cases.flatMap(faultsOf))}\n`)
}

function faultsOf({ label, schema, value }: Case): string[] {
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile(absolute(schema) as object)
  compiled.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${label}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

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
