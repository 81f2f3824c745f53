/** Calls to plug-ins: their input, and their abilities while they run. */
import { hash } from 'node:crypto'
import {
  authField,
  connectorOfField,
  type PluginField,
  type PluginManifest,
  pluginOfConnector,
  type PluginPart,
} from '../../../../../shared/contract/plugins/manifest.ts'
import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../../../shared/contract/base/message.ts'
import { mustBe } from '../../../../../shared/contract/base/validate.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  getKey,
  isDictionary,
  isList,
  parseLargeJson,
  writeJson,
} from '@millrace/jinja/data'
import { readAnyBody } from '../../../pagination/index.ts'
import { credentialsFor } from '../../../connector/credentials.ts'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import type { HeaderLine } from '../../../ports.ts'
import { headerRecord, headerValue } from '../../../request/headers.ts'
import { valueText } from '../../../request/query-string.ts'
import type { FindPlugin, StepScope } from '../../model/compiled-step.ts'
import type { ScriptResult } from '../../model/ports.ts'
import { numberIn } from './compare.ts'
import { shortText } from './read-input.ts'
import { findAuth } from './step-auth.ts'

export type PluginPartKind = 'steps' | 'triggers'

interface PluginConfig {
  readonly plugin: string
  readonly input: Readonly<Record<string, unknown>>
  readonly auth_id?: string | null | undefined
}

/** Problems with a config, provided that the plug-in is installed. A missing one is a warning elsewhere. */
export function pluginProblems(
  kind: PluginPartKind,
  name: string,
  { plugin, input, auth_id: authId }: PluginConfig,
  findPlugin: FindPlugin,
): FieldProblem[] {
  const manifest = findPlugin(plugin)?.manifest
  if (!manifest) return []
  const part = manifest[kind].find((one) => one.name === name)
  if (part === undefined)
    return [
      kind === 'steps'
        ? ['config.step', say('is not in the plug-in "{{plugin}}"; choose another step', { plugin })]
        : ['config.trigger', say('is not in the plug-in "{{plugin}}"; choose another trigger', { plugin })],
    ]
  const known = new Set(part.fields.filter(({ kind }) => kind !== 'auth').map((field) => field.name))
  const unknown = Object.keys(input).filter((key) => !known.has(key))
  return [
    ...unknown.map((key): FieldProblem => [
      `config.input.${key}`,
      say('isn\'t a field of "{{label}}"', { label: part.label }),
    ]),
    ...part.fields.flatMap((field) =>
      field.kind === 'auth'
        ? field.required && isMissing(authId)
          ? [['config.auth_id', say('is required')] as const]
          : []
        : problemOf(field, input[field.name]),
    ),
  ]
}

function problemOf(field: PluginField, value: unknown): FieldProblem[] {
  const at = `config.input.${field.name}`
  if (isMissing(value)) return field.required && isMissing(field.default) ? [[at, say('is required')]] : []
  if (field.kind !== 'choice' || (typeof value === 'string' && Object.hasOwn(field.options ?? {}, value)))
    return []
  return [[at, mustBe(Object.keys(field.options ?? {}), value)]]
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

/**
 * Runs a function of a plug-in.
 *
 * @param more what the function gets in addition to its input, such as the cursor of a trigger
 * @throws StepError if the plug-in can't run, or it failed
 */
export async function callPlugin(
  kind: PluginPartKind,
  name: string,
  config: PluginConfig,
  scope: StepScope,
  more: readonly (readonly [string, Data])[] = [],
): Promise<ScriptResult> {
  const manifest = requireReady(config.plugin, scope)
  const part = manifest[kind].find((one) => one.name === name)
  if (part === undefined) {
    const message = say('the plug-in "{{name}}" has no "{{part}}"', {
      name: config.plugin,
      part: shortText(name),
    })
    throw scope.fail('not_found', message, { field: kind === 'steps' ? 'config.step' : 'config.trigger' })
  }
  const auth = await authFor(part, manifest, config, scope)
  const input = inputOf(part, config, auth, scope)
  scope.showInput(input)
  const abilities = createAbilities(manifest, auth, scope)
  return scope.ports.plugins.run({
    plugin: config.plugin,
    kind,
    name,
    argument: writeJson(dictionaryOf([['input', input], ...more])),
    call: (ability, argument) => abilities(ability, argument),
    signal: scope.signal,
  })
}

function requireReady(name: string, scope: StepScope): PluginManifest {
  const found = scope.ports.plugins.find(name)
  const field = 'config.plugin'
  const problem = unreadiness(name, found)
  if (problem !== null) throw scope.fail('plugin_unavailable', problem, { field })
  return found?.manifest as PluginManifest
}

/** Why a plug-in can't run, and what to do; null if it can. */
export function unreadiness(name: string, found: ReturnType<FindPlugin>): Said | null {
  if (!found) {
    return say(
      'The plug-in "{{name}}" isn\'t installed; add it with: millrace plugin add FOLDER, then confirm it under Plug-ins',
      { name },
    )
  }
  if (found.status === 'ready') return null
  if (found.status === 'broken')
    return say('The plug-in "{{name}}" can\'t be used: {{rest}}', { name, rest: found.problem ?? '' })
  return found.status === 'changed'
    ? say(
        'The files of the plug-in "{{name}}" have changed since it was confirmed; look at it under Plug-ins and confirm it again',
        { name },
      )
    : say(
        'Nobody has confirmed the plug-in "{{name}}" yet; look at what it can reach under Plug-ins and confirm it',
        { name },
      )
}

/**
 * Why a plug-in's connector can't be used; null if the connector doesn't belong to a plug-in, or the plug-in
 * is ready.
 */
export function missingPlugin(connectorId: string, findPlugin: FindPlugin): Said | null {
  const name = pluginOfConnector(connectorId)
  return name === null ? null : unreadiness(name, findPlugin(name))
}

async function authFor(
  part: PluginPart,
  manifest: PluginManifest,
  { auth_id: id }: PluginConfig,
  scope: StepScope,
): Promise<OpenAuth | null> {
  const field = authField(part)
  if (field === undefined) return null
  const auth = await findAuth({ auth_id: id }, connectorOfField(manifest, field), scope)
  if (auth === null && field.required)
    throw scope.fail('validation', say('"{{name}}" is required', { name: field.name }), {
      field: 'config.auth_id',
    })
  return auth
}

function inputOf(part: PluginPart, { input }: PluginConfig, auth: OpenAuth | null, scope: StepScope): Data {
  return dictionaryOf(
    part.fields.map((field) => [
      field.name,
      field.kind === 'auth' ? (auth?.id ?? null) : valueOf(field, input[field.name], scope),
    ]),
  )
}

function valueOf(field: PluginField, source: unknown, scope: StepScope): Data {
  const at = `config.input.${field.name}`
  const rendered =
    isMissing(source) || field.kind === 'choice' ? (source as Data) : scope.evaluate(at, source)
  if (isMissing(rendered)) {
    if (field.default !== undefined) return field.default
    if (field.required)
      throw scope.fail('validation', say('"{{name}}" is required', { name: field.name }), { field: at })
    return null
  }
  const value = READERS[field.kind]?.(rendered) ?? null
  if (value !== null) return value
  throw scope.fail(
    'validation',
    say('"{{name}}" must be {{what}}, got {{value}}', {
      name: field.name,
      what: WORDS[field.kind],
      value: shortText(rendered),
    }),
    {
      field: at,
    },
  )
}

/** Readers by kind of field. They return null if the value isn't of that kind. */
const READERS: Readonly<Record<PluginField['kind'], (value: Data) => Data>> = {
  template: (value) => value,
  json: (value) => value,
  text: asText,
  lines: asText,
  choice: asText,
  auth: asText,
  number: (value) => numberIn(value),
  switch: (value) => (typeof value === 'boolean' ? value : null),
  dictionary: (value) => (isDictionary(value) ? value : null),
}
const WORDS: Readonly<Record<PluginField['kind'], Said>> = {
  template: say('a value'),
  json: say('a value'),
  text: say('a string'),
  lines: say('a string'),
  choice: say('one of its choices'),
  auth: say('a connector auth'),
  number: say('a number'),
  switch: say('true or false'),
  dictionary: say('an object'),
}

function asText(value: Data): string {
  return typeof value === 'string' ? value : writeJson(value)
}

type Ability = (argument: Data) => Promise<Data>

/** Only the abilities that the plug-in declares. Its code can catch refusals. */
function createAbilities(manifest: PluginManifest, auth: OpenAuth | null, scope: StepScope) {
  const { permissions } = manifest
  let changes = 0
  const { ports } = scope
  const undeclared = (what: Said): Ability => {
    return () =>
      Promise.reject(
        new AppError('forbidden', say("The plug-in doesn't declare {{what}} in its manifest", { what })),
      )
  }
  const ifAllowed = (isAllowed: boolean, what: Said, ability: Ability) =>
    isAllowed ? ability : undeclared(what)
  const keyOf = (argument: Data) => {
    const key = textIn(argument, 'key')
    if (key === '' || key.length > 200)
      throw new AppError(
        'validation',
        say('A key must have 1 to 200 characters, but this one has {{count}}', { count: key.length }),
      )
    return `plugin.${manifest.name}.${key}`
  }
  const changeOf = (argument: Data) => ({
    key: keyOf(argument),
    id: hash('sha256', `${scope.runId}/${scope.key}/${++changes}`),
  })
  const reads = permissions.files !== 'none'
  const abilities: Readonly<Record<string, Ability>> = {
    request: ifAllowed(permissions.origins.length > 0, say('any origin'), (argument) =>
      sendRequest(manifest, argument, authIn(argument, auth), scope),
    ),
    'files.read': ifAllowed(reads, say('to read files'), async (argument) => {
      const content = Buffer.from(await ports.folders.read(textIn(argument, 'path')))
      return content.toString(encodingIn(argument))
    }),
    'files.list': ifAllowed(reads, say('to read files'), async (argument) => {
      const pattern = textIn(argument, 'pattern') || '*'
      const found = await ports.folders.list(textIn(argument, 'path'), { pattern, subfolders: false })
      return found.map(({ path, name, size }) =>
        dictionaryOf([
          ['path', path],
          ['name', name],
          ['size', size],
        ]),
      )
    }),
    'files.write': ifAllowed(permissions.files === 'write', say('to write files'), async (argument) => {
      const content = Buffer.from(textIn(argument, 'content'), encodingIn(argument))
      const append = isDictionary(argument) && getKey(argument, 'append') === true
      const { path, size } = await ports.folders.write(textIn(argument, 'path'), content, { append })
      return dictionaryOf([
        ['path', path],
        ['size', size],
      ])
    }),
    'keyValues.get': ifAllowed(permissions.key_values, say('key values'), (argument) =>
      Promise.resolve(ports.keyValues.get(keyOf(argument)) ?? null),
    ),
    'keyValues.set': ifAllowed(permissions.key_values, say('key values'), (argument) => {
      const value = (isDictionary(argument) ? getKey(argument, 'value') : null) ?? null
      return ports.keyValues.change({ ...changeOf(argument), kind: 'set', value, expiresAt: null })
    }),
    'keyValues.delete': ifAllowed(permissions.key_values, say('key values'), (argument) =>
      ports.keyValues.change({ ...changeOf(argument), kind: 'delete' }),
    ),
  }
  return async (name: string, argument: string): Promise<string> => {
    const ability = Object.hasOwn(abilities, name) ? abilities[name] : undefined
    if (ability === undefined)
      throw new AppError('forbidden', say('Plug-ins have no ability "{{name}}"', { name: name.slice(0, 60) }))
    return writeJson(await ability(await parseLargeJson(argument)))
  }
}

function textIn(argument: Data, name: string): string {
  const value = isDictionary(argument) ? (getKey(argument, name) ?? null) : null
  if (value === null) return ''
  if (typeof value === 'string') return value
  throw new AppError(
    'validation',
    say('"{{name}}" must be a string, got {{value}}', { name, value: shortText(value) }),
  )
}

const encodingIn = (argument: Data) => (textIn(argument, 'encoding') === 'base64' ? 'base64' : 'utf8')

/** A request can only name the auth of its own step. */
function authIn(argument: Data, auth: OpenAuth | null): OpenAuth | null {
  const id = textIn(argument, 'auth')
  if (id === '') return null
  if (id === auth?.id) return auth
  throw new AppError('forbidden', say('"auth" must be the value of an auth field'))
}

/** Sends one request to a declared origin, which is shown with the step like the requests of other steps. */
async function sendRequest(
  { permissions }: PluginManifest,
  argument: Data,
  auth: OpenAuth | null,
  scope: StepScope,
): Promise<Data> {
  const { origins, private_network: isPrivate } = permissions
  const url = URL.parse(textIn(argument, 'url'))
  if (url === null)
    throw new AppError(
      'validation',
      say('"url" must be a URL, got {{value}}', { value: shortText(textIn(argument, 'url')) }),
    )
  const credentials = credentialsFor(auth, scope.ports)
  const headers = [
    ...headersIn(argument).filter(([name]) => headerValue(credentials.headers, name) === null),
    ...credentials.headers,
  ]
  const given = (isDictionary(argument) ? getKey(argument, 'body') : null) ?? null
  const isJson = given !== null && typeof given !== 'string'
  const hasType = headerValue(headers, 'content-type') !== null
  for (const [name, value] of entriesOf(credentials.query)) url.searchParams.set(name, valueText(value))
  const response = await scope.ports.senderFor(auth)(
    {
      method: textIn(argument, 'method') || 'GET',
      url: url.href,
      headers: isJson && !hasType ? [...headers, ['Content-Type', 'application/json']] : headers,
      body: isJson ? writeJson(given) : given,
    },
    {
      signal: scope.signal,
      onlyOrigins: new Set(origins.map((origin) => new URL(origin).origin)),
      publicOnly: !isPrivate,
      maxBodyBytes: MOST_RESPONSE_BYTES,
      timeoutMs: REQUEST_MS,
      onExchange: (exchange) => scope.showExchange(exchange, null),
    },
  )
  return dictionaryOf([
    ['status', response.status],
    ['url', response.url],
    ['headers', dictionaryOf(Object.entries(headerRecord(response.headers)))],
    ['body', readAnyBody(response)],
  ])
}

function headersIn(argument: Data): HeaderLine[] {
  const headers = (isDictionary(argument) ? getKey(argument, 'headers') : null) ?? null
  if (headers === null) return []
  if (!isDictionary(headers))
    throw new AppError(
      'validation',
      say('"headers" must be an object, got {{shortText}}', { shortText: shortText(headers) }),
    )
  return entriesOf(headers).flatMap(([name, value]): HeaderLine[] => {
    if (value === null) return []
    const values = isList(value) ? value : [value]
    return values.map((one) => [name, asText(one)])
  })
}

const MOST_RESPONSE_BYTES = 5_000_000
const REQUEST_MS = 60_000
