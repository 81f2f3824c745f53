import type { JsonSchema, NamedSchemas } from '../../../shared/contract/base/json-schema.ts'
import { openapiRoute } from '../../../shared/contract/host.ts'
import type { Resource } from '../../api/resource.ts'
import { formatJson } from '../../lib/json.ts'
import type { SnippetRequest } from '../../lib/snippets.ts'

/** One operation of the description, as displayed. */
export interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly needsToken: boolean
  readonly parameters: readonly {
    readonly name: string
    readonly place: string
    readonly required: boolean
    readonly text: string
  }[]
  /** An example of the body. */
  readonly body: unknown
  /** Null if it takes no JSON. */
  readonly bodySchema: JsonSchema | null
  readonly answers: readonly { readonly status: string; readonly text: string; readonly example: unknown }[]
}

interface Described {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly example?: unknown; readonly schema?: JsonSchema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Described[]
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, Described>>
}

export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Described>>>> & {
    readonly schemas: NamedSchemas
  }
}

export function endpointsOf({ paths, components }: ApiDescription): readonly Endpoint[] {
  const resolve = (value: Described): Described => {
    const [, , kind = '', name = ''] = value.$ref?.split('/') ?? []
    return components[kind]?.[name] ?? value
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? '',
      summary: operation.summary,
      description: operation.description ?? '',
      needsToken: operation.security?.length !== 0,
      parameters: (operation.parameters ?? []).map(resolve).map((parameter) => ({
        name: parameter.name ?? '',
        place: parameter.in ?? '',
        required: parameter.required ?? false,
        text: parameter.description ?? '',
      })),
      body: exampleOf(operation.requestBody),
      bodySchema: operation.requestBody?.content?.['application/json']?.schema ?? null,
      answers: Object.entries(operation.responses).map(([status, response]) => {
        const described = resolve(response)
        return { status, text: described.description ?? '', example: exampleOf(described) }
      }),
    })),
  )
}

/** All words must match, each in the path, the name or the purpose. */
export function matches({ id, method, path, summary, tag }: Endpoint, wanted: string): boolean {
  const text = `${id} ${method} ${path} ${summary} ${tag}`.toLowerCase()
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The request as typed into a shell, with a placeholder for the token. */
export function exampleRequest({ method, path, needsToken, body }: Endpoint, origin: string): SnippetRequest {
  return {
    method,
    url: `${origin}${path}`,
    headers: {
      ...(needsToken ? { Authorization: 'Bearer YOUR_TOKEN' } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : formatJson(body),
  }
}

function exampleOf(described: Described | undefined): unknown {
  return Object.values(described?.content ?? {}).find(({ example }) => example !== undefined)?.example
}

interface Reference {
  readonly endpoints: readonly Endpoint[]
  /** The schemas that an endpoint's schema refers to, by name. */
  readonly schemas: NamedSchemas
}

/** It is read once, since only an update changes it. */
export const REFERENCE: Resource<Reference> = {
  key: 'reference',
  nouns: [],
  async fetch(api, signal, { data }) {
    const known = data()
    if (known !== null) return known
    // The contract only says that it is an OpenAPI document; ours always has these parts.
    const description = (await api.call(openapiRoute, {}, signal)) as unknown as ApiDescription
    return { endpoints: endpointsOf(description), schemas: description.components.schemas }
  },
}
