/**
 * The API description in OpenAPI 3.1, generated only from the contract that the server also mounts and validates with.
 * Loaded on first use.
 */
import { createDocument } from 'zod-openapi'
import type { Route, StreamRoute } from '../../../shared/contract/base/route.ts'
import { ROUTES, STREAM_ROUTES } from '../../../shared/contract/routes.ts'
import { repeatable } from '../../../shared/contract/base/common.ts'
import { pathTemplate } from '../../../shared/contract/base/operation-name.ts'
import { COMPONENTS, ERROR_SCHEMA } from './components.ts'
import { addExamples } from './examples.ts'
import { HAND_MOUNTED } from './hand-mounted.ts'
import { tagOf, toOperation } from './operation.ts'
import { SCHEMAS } from './schemas.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

export function createOpenApiDocument(version: string): OpenApiDocument {
  const routes: readonly (Route | StreamRoute)[] = [...ROUTES, ...STREAM_ROUTES]
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = (paths[pathTemplate(route.path)] ??= {})
    path[route.method.toLowerCase()] = toOperation(route)
  }
  const description: Parameters<typeof createDocument>[0] = {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      summary: 'Flows, connectors, connector auths and tokens of the Millrace on this machine',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4747', description: 'This machine, with the default port' }],
    security: [{ token: [] }],
    tags: tagsOf(routes),
    // The library's types don't accept read-only constants.
    paths: { ...paths, ...HAND_MOUNTED } as never,
    components: { schemas: { ...SCHEMAS, Error: ERROR_SCHEMA }, ...COMPONENTS } as never,
  }
  // Any JSON is an empty schema, even if required.
  return addExamples(
    createDocument(description, {
      allowEmptySchema: { nonoptional: true },
      override({ zodSchema, jsonSchema }) {
        // One value or several are the same parameter, once or repeated.
        if (zodSchema !== repeatable) return
        delete jsonSchema.anyOf
        Object.assign(jsonSchema, { type: 'array', items: { type: 'string' } })
      },
    }),
  )
}

const DESCRIPTION = [
  'Bodies are JSON. Successful responses are plain objects, lists are plain arrays, newest first. All errors have the same shape.',
  'PUT is partial: an absent key keeps its value. Read-only keys of the record are accepted and ignored, so that',
  'what was read can be edited and sent back. Unknown keys are refused by name. Dates are ISO 8601 in UTC.',
].join('\n')

function tagsOf(routes: readonly (Route | StreamRoute)[]): { name: string }[] {
  return [...new Set(routes.map(({ path }) => tagOf(path)))].map((name) => ({ name }))
}
