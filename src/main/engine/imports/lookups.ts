/** Makes fields for IDs look-ups, where another action of the connector lists the records that they identify. */
import type { Json } from '../../../shared/contract/base/common.ts'

type Field = Readonly<Record<string, Json>>

interface FormAction {
  readonly name: string
  readonly method: string
  readonly endpoint: string
  readonly ui_form_schema?: readonly Field[] | undefined
}

/** An action as its path: `lists`, `{list_id}`, `members`. */
interface Shape {
  readonly action: FormAction
  readonly parts: readonly string[]
  /** The required fields of its form. */
  readonly needs: readonly string[]
}

export function withLookups<A extends FormAction>(actions: readonly A[]): A[] {
  const shapes = actions.map(shapeOf)
  const readers = shapes.filter(({ action }) => action.method === 'GET')
  const lists = readers.filter(({ parts }) => parts.length > 0 && !isParameter(parts.at(-1)))
  const byPath = new Map(lists.toReversed().map((list) => [keyOf(list.parts), list]))
  const byNoun = Map.groupBy(lists, ({ parts }) => singular(parts.at(-1) ?? ''))
  const one = new Map(readers.toReversed().map((reader) => [keyOf(reader.parts), reader]))
  return actions.map((action, at) => {
    const shape = shapes[at]
    if (shape === undefined || action.ui_form_schema === undefined) return action
    const names = namesIn(action.ui_form_schema)
    const form = action.ui_form_schema.map((field): Field => {
      const name = nameOf(field)
      if (!canBeId(field)) return field
      const index = shape.parts.indexOf(`{${name}}`)
      const before = shape.parts.slice(0, Math.max(0, index))
      const parent = index > 0 ? byPath.get(keyOf(before)) : undefined
      const own = parent !== undefined && parent !== shape ? parent : undefined
      const list = own ?? ofNoun(byNoun.get(nounOf(name, before)) ?? [], shape, names, name)
      if (list === undefined || !isFillable(list, before, own !== undefined, names)) return field
      const reader = one.get(keyOf([...list.parts, '{}']))
      const canRead = reader?.needs.every((need) => names.has(need) || reader.parts.at(-1) === `{${need}}`)
      return toLookup(field, list, own === undefined ? null : before, canRead === true ? reader : undefined)
    })
    return { ...action, ui_form_schema: form }
  })
}

/** Whether it is the ID of a record, as far as its name and control tell. */
export function isIdName(name: string): boolean {
  return /(?:^|_)(?:id|ids|gid|sid|uuid|guid)$/.test(snake(name))
}

function toLookup(
  field: Field,
  list: Shape,
  before: readonly string[] | null,
  reader: Shape | undefined,
): Field {
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
      ...(reader === undefined ? {} : { read: reader.action.name }),
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

/** Whether everything that the list requires is in the form or in the path before the field. */
function isFillable(
  { needs, parts }: Shape,
  before: readonly string[],
  isParent: boolean,
  names: ReadonlySet<string>,
) {
  return needs.every(
    (name) => names.has(name) || (isParent && before.length === parts.length && parts.includes(`{${name}}`)),
  )
}

/** Of the lists with that noun, the one that needs least; its requirements must be in the form. */
function ofNoun(
  lists: readonly Shape[],
  shape: Shape,
  names: ReadonlySet<string>,
  name: string,
): Shape | undefined {
  return lists
    .filter(
      (list) => list !== shape && !list.needs.includes(name) && list.needs.every((need) => names.has(need)),
    )
    .toSorted((a, b) => a.needs.length - b.needs.length || a.parts.length - b.parts.length)[0]
}

/** `contact_id` → `contact`; of a mere `id`, what is before it in the path. */
function nounOf(name: string, before: readonly string[]): string {
  const words = snake(name)
  const noun = /^(.{1,200})_(?:id|ids|gid|sid|uuid|guid|number|slug|key|code)$/.exec(words)?.[1]
  if (noun !== undefined) return singular(noun)
  return before.length === 0 ? '' : singular(before.findLast((part) => !isParameter(part)) ?? '')
}

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
  // What only statements can write of the query follows the path; macros for it come before.
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

function namesIn(form: readonly Field[]): ReadonlySet<string> {
  return new Set(form.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])))
}

function snake(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}

/** `Categories` → `category`: enough to compare two names of one thing. */
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
