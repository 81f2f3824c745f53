/** Checks responses against the API description. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { HttpAnswer } from './http.ts'

interface Media {
  readonly schema?: object
  readonly example?: unknown
}

interface Header {
  readonly required?: boolean
}

interface Answered {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answered | { readonly $ref: string }>>
}

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, Answered>>
    readonly headers: Readonly<Record<string, Header>>
  }
}

/** A value that should match a schema. */
export interface Case {
  readonly label: string
  readonly schema: object
  readonly value: unknown
}

/** The differences between values and their schemas: JSON Schema 2020-12, references into the document. */
export function faultsOf(document: ApiDocument, cases: readonly Case[]): Promise<string[]> {
  const { child, replies } = (validator ??= startValidator())
  const isKnown = document === known
  known = document
  const asked = JSON.stringify({ cases, ...(isKnown ? {} : { document }) })
  // A line-based reader would end a line at these characters, too.
  const line = asked.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`)
  child.stdin.write(`${line}\n`)
  return new Promise((resolve) => replies.push(resolve))
}

let known: ApiDocument | null = null
let validator: ReturnType<typeof startValidator> | null = null

/** Starts one validator for all tests of this process, with which it ends. */
function startValidator() {
  const script = fileURLToPath(new URL('validate-with-ajv.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const replies: ((faults: string[]) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) =>
    replies.shift()?.(JSON.parse(line) as string[]),
  )
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  return { child, replies }
}

/** What should be checked against its schema, and what is obviously wrong with the response. */
export function casesOfAnswer(
  document: ApiDocument,
  operation: Operation,
  { status, headers, text: body, json }: HttpAnswer,
): { readonly cases: readonly Case[]; readonly faults: readonly string[] } {
  const label = `${operation.operationId} ${status}`
  const described = operation.responses[status]
  if (described === undefined) {
    return { cases: [], faults: [`${label} is not described: ${body.slice(0, 200)}`] }
  }
  const answered = '$ref' in described ? document.components.responses[lastOf(described.$ref)]! : described
  const faults = Object.entries(answered.headers ?? {})
    .map(([name, header]) => [name, '$ref' in header ? document.components.headers[name] : header] as const)
    .filter(([name, header]) => header?.required === true && !headers[name.toLowerCase()])
    .map(([name]) => `${label}: the header ${name} is missing`)
  const schema = answered.content?.['application/json']?.schema
  return { cases: schema === undefined ? [] : [{ label, schema, value: json ?? null }], faults }
}

const lastOf = (reference: string) => reference.split('/').at(-1) ?? ''
