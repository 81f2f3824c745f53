/** Turns form fields for IDs into look-ups if another action of the connector lists the records that they identify. */
import type { Json } from '../../../shared/contract/base/common.ts'

type Field = Readonly<Record<string, Json>>

interface FormAction {
  readonly name: string
  readonly method: string
  readonly endpoint: string
  readonly ui_form_schema?: readonly Field[] | undefined
}

/** An action with its path as parts: `lists`, `{list_id}`, `members`. */
interface Shape {
  readonly action: FormAction
  readonly parts: readonly string[]
  /** The required fields of its form. */
  readonly needs: readonly string[]
}

/** Indexes for finding the list that belongs to an ID. */
interface Lists {
  readonly shapes: readonly Shape[]
  readonly byPath: ReadonlyMap<string, Shape>
  readonly byNoun: ReadonlyMap<string, readonly Shape[]>
  /** The actions that read a single record, by their path. */
  readonly readers: ReadonlyMap<string, Shape>
}

export function withLookups<A extends FormAction>(actions: readonly A[]): A[] {
  const lists = listsOf(actions)
  return actions.map((action, at) => {
    const shape = lists.shapes[at]
    if (shape === undefined || action.ui_form_schema === undefined) return action
    const names = new Set(namesIn(action.ui_form_schema))
    const form = action.ui_form_schema.flatMap((field): Field[] => {
      const found = canBeId(field) ? listFor(field, shape, names, lists) : null
      if (found === null) return [field]
      for (const { name } of found.helpers) if (typeof name === 'string') names.add(name)
      return [...found.helpers, found.field]
    })
    return { ...action, ui_form_schema: form }
  })
}

function listsOf(actions: readonly FormAction[]): Lists {
  const shapes = actions.map(shapeOf)
  const readers = shapes.filter(({ action }) => action.method === 'GET')
  const lists = readers.filter(({ parts }) => parts.length > 0 && !isParameter(parts.at(-1)))
  return {
    shapes,
    byPath: new Map(lists.toReversed().map((list) => [keyOf(list.parts), list])),
    byNoun: withLastWords(Map.groupBy(lists.filter(isPlural), ({ parts }) => singular(parts.at(-1) ?? ''))),
    readers: new Map(readers.toReversed().map((reader) => [keyOf(reader.parts), reader])),
  }
}

/**
 * Adds lists by the last word of their name: `auth_id` is an ID from `/connector-auths`, unless another
 * list's name ends the same way.
 */
function withLastWords(byNoun: ReadonlyMap<string, Shape[]>): ReadonlyMap<string, readonly Shape[]> {
  const lastWord = ([list]: readonly Shape[]) =>
    singular(
      snake(list?.parts.at(-1) ?? '')
        .split('_')
        .at(-1) ?? '',
    )
  const single = [...Map.groupBy(byNoun.values(), lastWord)].flatMap(([word, [first, other]]) =>
    first === undefined || other !== undefined || byNoun.has(word) || GENERIC.has(word)
      ? []
      : [[word, first] as const],
  )
  return new Map([...byNoun, ...single])
}

interface FoundLookup {
  readonly field: Field
  /** Fields that only serve to choose the parent of the list. */
  readonly helpers: readonly Field[]
}

function listFor(field: Field, shape: Shape, names: ReadonlySet<string>, lists: Lists): FoundLookup | null {
  const name = nameOf(field)
  const index = shape.parts.indexOf(`{${name}}`)
  const before = shape.parts.slice(0, Math.max(0, index))
  const parent = index > 0 ? lists.byPath.get(keyOf(before)) : undefined
  if (parent !== undefined && parent !== shape && isFillable(parent, before, names))
    return { field: toLookup(field, parent, before, names, lists), helpers: [] }
  const missing = (list: Shape) => list.needs.filter((need) => !names.has(need)).length
  for (const { noun, left } of nounsOf(name, index === -1 ? shape.parts : before, index === -1)) {
    const found = lists.byNoun.get(noun) ?? []
    for (const list of found.toSorted((a, b) => missing(a) - missing(b) || bySize(a, b))) {
      // A filter can choose from the list that it filters.
      if ((list === shape && index !== -1) || list.needs.includes(name)) continue
      // For example, task assignments aren't policy assignments.
      if (left !== '' && missing(list) > 0 && parentOf(list) !== left) continue
      const helpers = helpersFor(list, name, names, lists)
      if (helpers !== null) return { field: toLookup(field, list, null, names, lists), helpers }
    }
  }
  return null
}

const bySize = (a: Shape, b: Shape) => a.needs.length - b.needs.length || a.parts.length - b.parts.length

/** True for `teams`, but not for `team`, which is a single record. */
function isPlural({ parts }: Shape): boolean {
  const word = snake(parts.at(-1) ?? '').replaceAll('_', '')
  return word !== singular(word)
}

function parentOf({ parts }: Shape): string {
  return singular(parts.slice(0, -1).findLast((part) => !isParameter(part)) ?? '')
}

/**
 * Look-ups for the parameters that a list needs and the form lacks; null if one of them isn't the ID of a
 * listed record.
 */
function helpersFor(list: Shape, name: string, names: ReadonlySet<string>, lists: Lists): Field[] | null {
  const helpers: Field[] = []
  for (const need of list.needs.filter((one) => !names.has(one))) {
    const field = list.action.ui_form_schema?.find((one) => one['name'] === need)
    if (field === undefined || !canBeId(field)) return null
    const known = new Set([...names, ...namesIn(helpers)])
    const nouns = nounsOf(need, partsBefore(list, need), false).map(({ noun }) => noun)
    const upper = [...nouns, singular(need)]
      .flatMap((one) => lists.byNoun.get(one)?.toSorted(bySize) ?? [])
      .find((one) => one !== list && one.needs.every((other) => known.has(other)))
    if (upper === undefined) return null
    helpers.push({
      ...toLookup(field, upper, null, known, lists),
      required: false,
      help: `Only to choose the ${nounIn(name).replaceAll('_', ' ')} by its name`,
    })
  }
  return helpers.length > MOST_HELPERS ? null : helpers
}

const MOST_HELPERS = 2

function partsBefore({ parts }: Shape, name: string): readonly string[] {
  return parts.slice(0, Math.max(0, parts.indexOf(`{${name}}`)))
}

/** Whether the field is the ID of a record, judging by its name and control. */
export function isIdName(name: string): boolean {
  return /(?:^|_)(?:id|ids|gid|sid|uuid|guid)$/.test(snake(name))
}

function toLookup(
  field: Field,
  list: Shape,
  before: readonly string[] | null,
  names: ReadonlySet<string>,
  { readers }: Lists,
): Field {
  const reader = readers.get(keyOf([...list.parts, '{}']))
  const canRead = reader?.needs.every((need) => names.has(need) || reader.parts.at(-1) === `{${need}}`)
  const { options: _options, allowCreate: _create, ...rest } = field
  const input = Object.entries(renamed(list, before))
  const key = /(?:^|_)(number|slug|key|code|username|login|handle|sku)$/.exec(snake(nameOf(field)))?.[1]
  return {
    ...rest,
    type: 'lookup',
    lookup: {
      action: list.action.name,
      ...(input.length === 0 ? {} : { input: Object.fromEntries(input) }),
      ...(key === undefined ? {} : { response_fields: { id: `$.${key}` } }),
      ...(canRead === true ? { read: reader?.action.name ?? '' } : {}),
    },
  }
}

/** The parameters of a list that have other names in the path of the action. */
function renamed({ parts }: Shape, before: readonly string[] | null): Record<string, string> {
  if (before === null) return {}
  return Object.fromEntries(
    parts.flatMap((part, at): [string, string][] => {
      const other = before[at]
      return isParameter(part) && other !== undefined && other !== part
        ? [[part.slice(1, -1), `{{ input.${other.slice(1, -1)} }}`]]
        : []
    }),
  )
}

/** Whether the form, or the path before a parameter, has everything that the parameter's list requires. */
function isFillable({ needs, parts }: Shape, before: readonly string[], names: ReadonlySet<string>) {
  return needs.every(
    (name) => names.has(name) || (before.length === parts.length && parts.includes(`{${name}}`)),
  )
}

/**
 * `contact_id` → `contact`. The noun of a plain `id` is the one before it in the path. `default_role_id` is a role
 * too, so the noun's last words follow the whole noun.
 */
function nounsOf(name: string, before: readonly string[], isOutsideOfPath: boolean): readonly Noun[] {
  const noun = nounIn(name)
  if (noun === 'id') {
    const collection = before.findLast((part) => !isParameter(part))
    const isBare = /^(?:id|ids)$/.test(snake(name))
    return collection === undefined || (isOutsideOfPath && !isBare)
      ? []
      : [{ noun: singular(collection), left: '' }]
  }
  // These are IDs from another system.
  if (noun.startsWith('external_')) return []
  const words = noun.split('_')
  const ends = words.map((_, at): Noun => ({
    noun: singular(words.slice(at).join('_')),
    left: singular(words.slice(0, at).join('_')),
  }))
  const isPerson = PEOPLE.has(words.at(-1) ?? '')
  return [
    ...ends.filter((end) => end.left === '' || (isIdName(name) && !GENERIC.has(end.noun))),
    ...(isPerson ? ['user', 'admin'].map((one) => ({ noun: one, left: '' })) : []),
  ]
}

interface Noun {
  readonly noun: string
  /** The words before it in the name. */
  readonly left: string
}

/** `contact_id` → `contact`; `id` if the name has no noun. */
function nounIn(name: string): string {
  const words = snake(name).replace(/^(?:body|query|path|header)_/, '')
  return /^(.{1,200})_(?:id|ids|gid|sid|uuid|guid|number|slug|key|code)$/.exec(words)?.[1] ?? 'id'
}

/** Words with another meaning at the end of a longer noun: a messaging service isn't one of the API's services. */
const GENERIC: ReadonlySet<string> = new Set([
  'service',
  'item',
  'type',
  'object',
  'entry',
  'resource',
  'status',
  'group',
])

/** Names of people's roles. */
const PEOPLE: ReadonlySet<string> = new Set(['owner', 'author', 'assignee', 'creator', 'sender'])

const CONTROLS: readonly unknown[] = ['text', 'number', undefined]

function canBeId(field: Field): boolean {
  const { name, type, multiple, options } = field
  if (typeof name !== 'string' || field['secret'] === true) return false
  return CONTROLS.includes(type)
    ? options === undefined
    : type === 'select' &&
        multiple === true &&
        Array.isArray(options) &&
        options.length === 0 &&
        isIdName(name)
}

function shapeOf(action: FormAction): Shape {
  // Macros precede the path, and the part of the query that only statements can write follows it.
  const [written = ''] = (action.endpoint.split('{% endmacro %}').at(-1) ?? '').split(/\{%|\?/, 1)
  const path = written
    .replaceAll(/\{\{[^{}]{0,500}\}\}/g, (template) => {
      const name = /\binput\.([A-Za-z_]\w{0,200})/.exec(template)?.[1]
      return name === undefined ? '_' : `{${name}}`
    })
    .replace(/\.json$/i, '')
  return {
    action,
    parts: path.split('/').filter((part) => part !== ''),
    needs: (action.ui_form_schema ?? []).flatMap(({ name, required }) =>
      required === true && typeof name === 'string' ? [name] : [],
    ),
  }
}

function keyOf(parts: readonly string[]): string {
  return parts.map((part) => (isParameter(part) ? '{}' : part)).join('/')
}

function isParameter(part: string | undefined): boolean {
  return part?.startsWith('{') === true && part.endsWith('}')
}

function namesIn(form: readonly Field[]): readonly string[] {
  return form.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}

function snake(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}

/** `Categories` → `category`. This is enough to compare two names for the same thing. */
function singular(word: string): string {
  const plain = snake(word).replaceAll('_', '')
  if (plain.endsWith('ies')) return `${plain.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh)es$/.test(plain)) return plain.slice(0, -2)
  return plain.endsWith('s') && !plain.endsWith('ss') ? plain.slice(0, -1) : plain
}

/** Imports name every field. */
function nameOf({ name }: Field): string {
  return typeof name === 'string' ? name : ''
}
