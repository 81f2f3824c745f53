/** Public descriptions of APIs, reduced to what a connector can be compared with. */
import { basename } from 'node:path'
import { parse } from 'yaml'

export interface Operation {
  readonly method: string
  /** Path segments after the host; null for a variable segment. */
  readonly path: readonly (string | null)[]
  readonly isDeprecated: boolean
  readonly query: Keys
  /** Null if any keys are accepted. */
  readonly body: Keys | null
}

export type Keys = ReadonlyMap<string, { readonly isRequired: boolean; readonly keys: Keys | null }>

export interface Description {
  readonly version: string
  readonly operations: readonly Operation[]
  /** How calls authenticate, such as `header Authorization`; empty if the description doesn't say. */
  readonly schemes: ReadonlySet<string>
  /** Authorization and token URLs of OAuth. */
  readonly oauthUrls: ReadonlySet<string>
}

/**
 * @param path its extension selects JSON or YAML
 * @throws Error if it is neither OpenAPI (2 or 3), nor Google's discovery format
 */
export function readDescription(path: string, text: string): Description {
  const document = (path.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })) as Json
  if (object(document['paths']) !== null) return readOpenApi(document)
  if (document['discoveryVersion'] !== undefined) return readDiscovery(document)
  throw new Error(`${basename(path)} is neither OpenAPI nor a Google discovery document`)
}

type Json = Readonly<Record<string, unknown>>

function readOpenApi(document: Json): Description {
  const info = object(document['info']) ?? {}
  const securitySchemes = Object.values(
    object(document['securityDefinitions']) ??
      object(object(document['components'])?.['securitySchemes']) ??
      {},
  ).map(resolve)
  return {
    version: string(info['version']),
    operations: Object.entries(object(document['paths']) ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = object(resolve(item)[method])
        return operation === null ? [] : [toOperation(method, path, operation, resolve(item))]
      }),
    ),
    schemes: new Set(securitySchemes.map(schemeOf)),
    oauthUrls: new Set(
      securitySchemes
        .flatMap((scheme) => [scheme, ...Object.values(object(scheme['flows']) ?? {})])
        .flatMap((flow) => [object(flow)?.['authorizationUrl'], object(flow)?.['tokenUrl']])
        .filter((url) => typeof url === 'string'),
    ),
  }

  function resolve(value: unknown): Json {
    let found = object(value) ?? {}
    for (let hops = 0; typeof found['$ref'] === 'string' && hops < 20; hops += 1)
      found = object(at(document, found['$ref'])) ?? {}
    return found
  }

  function toOperation(method: string, path: string, operation: Json, item: Json): Operation {
    const parameters = [...list(item['parameters']), ...list(operation['parameters'])].map(resolve)
    const form = parameters.filter((one) => one['in'] === 'formData')
    const schema = parameters.find((one) => one['in'] === 'body')?.['schema']
    const content = Object.values(object(resolve(operation['requestBody'])['content']) ?? {})
    const schemas = schema === undefined ? content.map((one) => object(one)?.['schema']) : [schema]
    const body = schemas.length === 0 ? new Map() : anyOf(schemas.map((one) => keysOf(one, 0)))
    return {
      method: method.toUpperCase(),
      path: segmentsOf(`${basePath(item, operation)}${path}`),
      isDeprecated: operation['deprecated'] === true,
      query: named(parameters.filter((one) => one['in'] === 'query')),
      body: form.length > 0 ? named(form) : body,
    }
  }

  function basePath(item: Json, operation: Json): string {
    if (typeof document['basePath'] === 'string') return document['basePath']
    const servers = [operation, item, document].map((level) => list(level['servers'])[0])
    const url = string(object(servers.find((server) => server !== undefined))?.['url'])
    return url.replace(/^(?:[a-z]+:)?\/\/[^/]*/, '')
  }

  /** Null if the schema accepts keys other than those it lists. */
  function keysOf(value: unknown, depth: number): Keys | null {
    const schema = resolve(value)
    if (depth > 6) return null
    const required = new Set(list(schema['required']))
    const own = Object.entries(object(schema['properties']) ?? {}).map(
      ([key, property]) =>
        [key, { isRequired: required.has(key), keys: keysOf(property, depth + 1) }] as const,
    )
    const all = list(schema['allOf']).map((one) => keysOf(one, depth + 1))
    const any = [...list(schema['oneOf']), ...list(schema['anyOf'])].map((one) => keysOf(one, depth + 1))
    const parts = [...all, any.length === 0 ? null : anyOf(any)].filter((one) => one !== null)
    const keys = new Map([...parts.flatMap((one) => [...one]), ...own])
    return keys.size === 0 ? null : keys
  }
}

const named = (parameters: readonly Json[]): Keys =>
  new Map(
    parameters.map((one) => [string(one['name']), { isRequired: one['required'] === true, keys: null }]),
  )

/** Merges the keys of alternative bodies; a key is required only if all of them require it. */
function anyOf(all: readonly (Keys | null)[]): Keys | null {
  const known = all.filter((one) => one !== null)
  if (known.length === 0) return null
  const names = new Set(known.flatMap((one) => [...one.keys()]))
  return new Map(
    [...names].map((key) => {
      const isRequired = all.every((one) => one?.get(key)?.isRequired === true)
      const having = known.filter((one) => one.has(key))
      return [key, { isRequired, keys: anyOf(having.map((one) => one.get(key)?.keys ?? null)) }]
    }),
  )
}

function schemeOf(scheme: Json): string {
  if (scheme['type'] === 'apiKey') return `${string(scheme['in'])} ${string(scheme['name']).toLowerCase()}`
  return 'header authorization'
}

function readDiscovery(document: Json): Description {
  const shared = withNames(document['parameters'])
  const schemas = object(document['schemas']) ?? {}
  return {
    version: [document['version'], document['revision']].map(string).join(', revision '),
    operations: operationsIn(document),
    schemes: new Set(['header authorization']),
    oauthUrls: new Set(),
  }

  function operationsIn(level: Json): readonly Operation[] {
    const methods = Object.values(object(level['methods']) ?? {}).map((one) => object(one) ?? {})
    const resources = Object.values(object(level['resources']) ?? {}).map((one) => object(one) ?? {})
    return [...methods.map(toOperation), ...resources.flatMap(operationsIn)]
  }

  function toOperation(method: Json): Operation {
    const parameters = withNames(method['parameters']).filter((one) => one['location'] === 'query')
    const request = object(method['request'])
    return {
      method: string(method['httpMethod']),
      path: segmentsOf(`/${string(document['servicePath'])}${string(method['path'])}`),
      isDeprecated: method['deprecated'] === true,
      query: named([...shared, ...parameters]),
      body: request === null ? new Map() : keysOf(request, 0),
    }
  }

  function keysOf(schema: Json, depth: number): Keys | null {
    const { properties } = object(schemas[string(schema['$ref'])]) ?? schema
    const own = Object.entries(object(properties) ?? {})
    if (own.length === 0 || depth > 6) return null
    return new Map(
      own.map(([key, one]) => [key, { isRequired: false, keys: keysOf(object(one) ?? {}, depth + 1) }]),
    )
  }
}

const withNames = (value: unknown): readonly Json[] =>
  Object.entries(object(value) ?? {}).map(([name, one]) => ({ ...object(one), name }))

/** `/files/{id}:copy` ends with fixed text, which counts as a separate segment. */
export function segmentsOf(path: string): (string | null)[] {
  return path
    .replace(/\{\+?[^{}]*\}/g, '{}')
    .replace(/\{\}(?=[^/{])/g, '{}/')
    .split(/\/+/)
    .filter((segment) => segment !== '')
    .map((segment) => (segment === '{}' ? null : segment.toLowerCase()))
}

function at(document: Json, reference: string): unknown {
  return reference
    .slice(reference.indexOf('#') + 2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => object(value)?.[key], document)
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']
const object = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const string = (value: unknown) => (typeof value === 'string' ? value : '')
