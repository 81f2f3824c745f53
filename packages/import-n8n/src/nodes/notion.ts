import { say } from '@millrace/jinja/said'
import { isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import type { Converted, NodeContext } from './node-context.ts'
import {
  type ActionCall,
  answerOf,
  type Calls,
  codeStep,
  locate,
  oneCall,
  type ServiceAction,
  serviceNode,
  type Take,
  Template,
} from './service.ts'

/**
 * The version of Notion's API that n8n uses. Its name for the text of blocks differs from that in the
 * current version.
 */
const VERSION = { notion_version: '2021-08-16' }

type Made = Extract<Take, (...given: never[]) => unknown>

/** Matches the end of the URL of a page or database. `p` is the ID of a page that is opened over another one. */
// linear: anchored, and an identifier has 32 characters
const ADDRESS =
  /^https:\/\/(?:www|app)\.notion\.(?:so|com)\/(?!.*[?&]p=)(?:[^?#]*[-/])?([0-9a-f]{32})(?:[?#]|$)/

/** Reads an ID or URL, which may be computed. */
const idAs =
  (name: string): Made =>
  (value, { js, calculated }) => {
    const mode = isRecord(value) ? textOf(value['mode']) || 'list' : 'id'
    const held = isRecord(value) ? value['value'] : value
    if (isExpression(held) && (mode === 'url' || !isRecord(value))) {
      const found = `((given) => (/^https:/.test(given) ? ${ADDRESS}.exec(given)?.[1] ?? $fail('the address "' + given + '" leads nowhere') : given))(${js(held)})`
      return { [name]: new Template(calculated(found, name)) }
    }
    const isAddress = mode === 'url' || textOf(held).startsWith('https:')
    return {
      [name]: locate(isAddress ? { mode: 'url', value: held } : value, {
        url: ADDRESS,
        known: ['list', 'id'],
      }).value,
    }
  }

const TOOLS = `const of = (one, key, usual) => (key in one ? one[key] : usual)
const part = (one) => {
  const annotations = of(one, 'annotationUi', {})
  if (of(one, 'textType', 'text') === 'equation') return { type: 'equation', equation: { expression: of(one, 'expression', '') }, annotations }
  const link = of(one, 'isLink', false) && of(one, 'textLink', '') !== '' ? { link: { url: one.textLink } } : {}
  return { type: 'text', text: { content: of(one, 'text', ''), ...link }, annotations }
}
const rich = (one) => (of(one, 'richText', false) === false ? [{ text: { content: of(one, 'textContent', '') } }] : (one.text?.text ?? []).map(part))
const none = (value) => value === undefined || value === null || value === ''
const isUuid = (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)`

const BLOCKS = `${TOOLS}
const blocks = (list) => list.map((one) => {
  const type = of(one, 'type', 'paragraph')
  if (type === 'image') return { object: 'block', type, image: { type: 'external', external: { url: of(one, 'url', '') } } }
  return { object: 'block', type, [type]: { ...(type === 'to_do' ? { checked: of(one, 'checked', false) } : {}), text: rich(one) } }
})`

/** n8n's format for dates: with a time zone, or only the day. */
const TIMED = `const timed = (value, zone, hasTime) => {
  const given = value instanceof Date ? value.toISOString() : String(value)
  const time = DateTime.fromISO(given, { zone })
  if (!time.isValid) $fail('"' + given + '" must be a time')
  return hasTime ? time.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ").replace('+00:00', 'Z') : time.toFormat('yyyy-MM-dd')
}`

const propertiesTools = (zone: string) => `${TOOLS}
${TIMED}
const dated = (one) => {
  const hasTime = of(one, 'includeTime', true), named = of(one, 'timezone', 'default')
  const zone = named === 'default' ? ${JSON.stringify(zone)} : named
  const write = (key) => timed(of(one, key, ''), zone, hasTime)
  if (of(one, 'range', false) !== true) return of(one, 'date', '') === '' ? null : { start: write('date'), end: null }
  return of(one, 'dateStart', '') === '' && of(one, 'dateEnd', '') === '' ? null : { start: write('dateStart'), end: write('dateEnd') }
}
const KINDS = {
  rich_text: (one) => ({ rich_text: rich(one) }),
  title: (one) => ({ title: [{ text: { content: of(one, 'title', '') } }] }),
  number: (one) => ({ type: 'number', number: of(one, 'numberValue', 0) }),
  url: (one) => (!of(one, 'urlValue', '') && of(one, 'ignoreIfEmpty', false) ? undefined : { type: 'url', url: of(one, 'urlValue', '') }),
  checkbox: (one) => ({ type: 'checkbox', checkbox: of(one, 'checkboxValue', false) }),
  relation: (one) => ({
    type: 'relation',
    relation: of(one, 'relationValue', []).filter((text) => text && typeof text === 'string').flatMap((text) => text.split(',')).map((text) => {
      const id = text.trim()
      return isUuid(id) || /^[0-9a-f]{32}$/i.test(id) ? { id } : $fail('The relation id "' + id + '" is not a valid uuid with optional dashes.')
    }),
  }),
  multi_select: (one) => {
    const given = of(one, 'multiSelectValue', [])
    const list = none(given) ? [] : Array.isArray(given) ? given : given.split(',').map((text) => text.trim())
    return { type: 'multi_select', multi_select: list.filter((text) => text !== null).map((text) => (isUuid(text) ? { id: text } : { name: text })) }
  },
  email: (one) => ({ type: 'email', email: of(one, 'emailValue', '') }),
  people: (one) => ({ type: 'people', people: [of(one, 'peopleValue', [])].flat().map((id) => ({ id })) }),
  phone_number: (one) => ({ type: 'phone_number', phone_number: of(one, 'phoneValue', '') }),
  select: (one) => ({ type: 'select', select: none(one.selectValue) ? null : { name: one.selectValue } }),
  status: (one) => ({ type: 'status', status: { name: of(one, 'statusValue', '') } }),
  date: (one) => ({ type: 'date', date: dated(one) }),
  files: (one) => ({ type: 'files', files: (one.fileUrls?.fileUrl ?? []).map(({ name, url }) => ({ name, type: 'external', external: { url } })) }),
}
const properties = (list) => Object.fromEntries(list.filter(({ key }) => typeof key === 'string').map((one) => {
  const [name, kind] = one.key.split('|')
  return [name, kind in KINDS ? KINDS[kind](one) : {}]
}).filter(([, value]) => value))`

const zoneOf = ({ timezone }: NodeContext) => timezone ?? 'UTC'

/** A list that n8n stores one level down. */
function listIn(value: unknown, name: string): readonly Plain[] {
  if (!isRecord(value)) return refuse(say`uses an expression for "${name}"`)
  if (isExpression(value[name])) return refuse(say`uses an expression for "${name}"`)
  const list = listOf(value[name]).filter(isRecord)
  if (JSON.stringify(list).includes('"textType":"mention"'))
    refuse(say`mentions someone or something in its text`)
  for (const one of list)
    if (isExpression(one['type'])) refuse(say`uses an expression for the type of a block`)
  return list
}

const blockUi: Made = (value, { js, calculated }) => {
  const list = listIn(value, 'blockValues')
  return list.length === 0
    ? {}
    : {
        children: new Template(
          calculated(`(() => {\n${BLOCKS}\nreturn blocks(${js(list)})\n})()`, 'children'),
        ),
      }
}

const propertiesUi: Take = (value, context) => {
  const { js, calculated } = context
  const list = listIn(value, 'propertyValues')
  const body = `(() => {\n${propertiesTools(zoneOf(context))}\nreturn properties(${js(list)})\n})()`
  return list.length === 0 ? {} : { properties: new Template(calculated(body, 'properties')) }
}

/** Pages in n8n's simplified form. */
const SIMPLE = `const snake = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2').split(/[^A-Za-z0-9]+/).filter((word) => word !== '').join('_').toLowerCase()
const flat = (property) => {
  const { type } = property, value = property[type]
  const each = (pick, other) => (Array.isArray(value) ? value.map((one) => pick(one) || {}) : other())
  switch (type) {
    case 'text': return property.plain_text
    case 'mention': case 'equation': return undefined
    case 'rich_text': case 'title': return Array.isArray(value) ? value.map(flat).join('') : ''
    case 'url': case 'created_time': case 'checkbox': case 'number': case 'last_edited_time': case 'email': case 'phone_number': case 'date': return value
    case 'created_by': case 'last_edited_by': case 'select': return value ? value.name : null
    case 'people': return each((one) => one.person?.email, () => value)
    case 'multi_select': return each((one) => one?.name, () => value.options.map((one) => one?.name || {}))
    case 'relation': return each((one) => one?.id, () => value?.database_id)
    case 'formula': return value?.[value?.type]
    case 'files': return value.map((file) => file[file.type]?.url)
    case 'status': return value?.name
    case 'rollup': {
      const how = value?.function
      if (how.startsWith('count') || how.includes('empty')) return how.includes('percent') ? value.number * 100 : value.number
      if (!how.startsWith('show') || value?.type !== 'array') return undefined
      const all = value.array.map(flat).flat()
      return how === 'show_unique' ? [...new Set(all)] : all
    }
  }
}
const simple = ({ object, id, properties, parent, url }) => {
  if (object !== 'page') return $fail('Notion gave no page')
  if (parent.type === 'page_id' || parent.type === 'workspace') return { id, name: properties.title.title[0].plain_text, url }
  if (parent.type !== 'database_id') return $fail('the page is in a ' + parent.type + ', which has no simple form')
  const name = Object.values(properties).find(({ type }) => type === 'title').title[0]?.plain_text || ''
  return { id, name, url, ...Object.fromEntries(Object.entries(properties).map(([key, property]) => ['property_' + snake(key), flat(property)])) }
}`

function isSecond({ node }: NodeContext): undefined {
  return node.version < 2 ? refuse(say`uses node version 1, whose operations differ`) : undefined
}

function isSimple({ node }: NodeContext): boolean {
  const { simple } = node.parameters
  return isExpression(simple) ? refuse(say`uses an expression for the output format`) : simple !== false
}

const SIMPLE_ONE = `${SIMPLE}\nreturn simple(answer)`

/** A call that returns a page. */
const page =
  (call: ActionCall): ServiceAction =>
  (context, calls) =>
    oneCall(context, calls, {
      ...call,
      takes: { ...call.takes, simple: null },
      usual: { ...VERSION, ...call.usual },
      check: isSecond,
      ...(isSimple(context) ? { reshape: SIMPLE_ONE } : {}),
    })

/** The name of the title property is requested first. */
function createInDatabase(context: NodeContext, calls: Calls): Converted {
  const { node, ref, newRef, js } = context
  isSecond(context)
  if (node.onError !== 'stop') refuse(say`continues after a failure and needs several requests`)
  const given = calls.onlyTakes(['databaseId', 'title', 'propertiesUi', 'blockUi', 'simple'])
  const id = idAs('database_id')(given['databaseId'], context)
  const [database, content] = [newRef(`${ref}_database`), newRef(`${ref}_properties`)]
  const list = listIn(given['propertiesUi'] ?? {}, 'propertyValues')
  const body = `${propertiesTools(zoneOf(context))}
const database = ${answerOf(database)}
const name = Object.keys(database.properties).findLast((key) => database.properties[key].type === 'title') ?? ''
const title = ${js(given['title'] ?? '')}
return { ...(title === '' ? {} : { [name]: { title: [{ text: { content: title } }] } }), ...properties(${js(list)}) }`
  const steps = [
    calls.action(database, 'get_database', { ...VERSION, ...id }, `${node.name}: database`.slice(0, 200)),
    codeStep(context, content, body),
    calls.action(ref, 'create_page', {
      ...VERSION,
      children: [],
      ...blockUiOf(given['blockUi'], context),
      parent: id,
      properties: new Template(`{{ ${content} }}`),
    }),
  ]
  if (!isSimple(context)) return { kind: 'steps', steps, gives: oneItem(ref) }
  const shaped = newRef(`${ref}_item`)
  const shape = codeStep(context, shaped, `const answer = ${answerOf(ref)}\n${SIMPLE_ONE}`)
  return { kind: 'steps', steps: [...steps, shape], gives: oneItem(shaped) }
}

const blockUiOf = (value: unknown, context: NodeContext) =>
  value === undefined ? {} : blockUi(value, context)

/** Conditions for past and future dates consist of only their name. */
const FILTERS = `${TIMED}
const camel = (text) => text.replace(/_(\\w)/g, (_, letter) => letter.toUpperCase())
const NAMES = { rich_text: 'text', phone_number: 'phone', boolean: 'checkbox' }
const filter = (one) => {
  const [property, type] = one.key.split('|')
  const isEmpty = one.condition === 'is_empty' || one.condition === 'is_not_empty'
  const usual = { checkbox: false, number: 0 }[type] ?? ''
  let value = one[type === 'last_edited_time' ? 'lastEditedTime' : camel(type) + 'Value'] ?? usual
  if (isEmpty) value = true
  else if (/^(?:past|next)_(?:week|month|year)$/.test(one.condition)) value = {}
  if (type === 'date' && !isEmpty) value = (one.date ?? '') === '' ? {} : timed(DateTime.fromISO(String(one.date), { zone: ZONE }).toUTC().toISO(), 'UTC', true)
  return { property, [NAMES[type] ?? type]: { [one.condition]: value } }
}`

function filterOf(context: NodeContext, given: Plain): Readonly<Record<string, unknown>> {
  const { js, calculated } = context
  const { filterType = 'none', matchType = 'anyFilter' } = given
  if (filterType === 'none') return {}
  if (filterType === 'json') {
    const read = `((given) => { const filter = JSON.parse(given); return Object.keys(filter).length === 0 ? undefined : filter })(${js(given['filterJson'] ?? '')})`
    return { filter: new Template(calculated(read, 'filter')) }
  }
  if (filterType !== 'manual' || (matchType !== 'anyFilter' && matchType !== 'allFilters'))
    return refuse(say`uses an expression for its filter type`)
  const list = listIn({ conditions: given['filters.conditions'] }, 'conditions')
  if (list.some((one) => one['type'] === 'formula' || textOf(one['key']).endsWith('|formula')))
    refuse(say`filters with a formula`)
  const zone = `const ZONE = ${JSON.stringify(zoneOf(context))}`
  const body = `(() => {\n${zone}\n${FILTERS}\nreturn { ${matchType === 'anyFilter' ? 'or' : 'and'}: ${js(list)}.map(filter) }\n})()`
  return { filter: new Template(calculated(body, 'filter')) }
}

function sortsOf(given: Plain): readonly Plain[] {
  const sort = given['options.sort']
  return listIn(sort ?? {}, 'sortValue').map((one) => {
    const key = one['key']
    if (isExpression(key)) refuse(say`uses an expression for its sort field`)
    const [name = ''] = textOf(key).split('|')
    return {
      direction: one['direction'] ?? 'ascending',
      [one['timestamp'] === true ? 'timestamp' : 'property']: name,
    }
  })
}

const QUERY = [
  'filterType',
  'matchType',
  'filters.conditions',
  'filterJson',
  'returnAll',
  'limit',
  'options.sort',
]

function queryDatabase(context: NodeContext, calls: Calls): Converted {
  isSecond(context)
  const known = ['databaseId', 'simple', 'options.downloadFiles', 'jsonNotice', ...QUERY]
  const given = calls.onlyTakes(known)
  if ((given['options.downloadFiles'] ?? false) !== false) refuse(say`downloads files`)
  const { returnAll = false, limit = 50 } = given
  if (typeof returnAll !== 'boolean') refuse(say`uses an expression for “Return All”`)
  const simple = isSimple(context)
  const converted = oneCall(context, calls, {
    action: 'query_database',
    takes: {
      ...Object.fromEntries(known.map((name) => [name, null])),
      databaseId: idAs('database_id'),
    },
    usual: {
      ...VERSION,
      ...filterOf(context, given),
      sorts: sortsOf(given),
      ...(returnAll ? {} : { page_size: limit }),
    },
    gives: 'many',
    ...(simple ? { reshape: `${SIMPLE}\nreturn answer.map(simple)` } : {}),
  })
  if (converted.kind !== 'steps' || returnAll) return converted
  // Limits the results to as many as fit on one page.
  const steps = converted.steps.map((step) =>
    step.type === 'connector_action' ? { ...step, config: { ...step.config, max_pages: 1 } } : step,
  )
  return { ...converted, steps }
}

export const notionNode = serviceNode({
  connector: 'f55d01da-aa86-437a-a93e-5f84b7a8664b',
  usual: {
    resource: 'page',
    operation: { page: 'create', databasePage: 'create', block: 'append', user: 'get' },
  },
  actions: {
    'databasePage.create': createInDatabase,
    'databasePage.get': page({ action: 'get_page', takes: { pageId: idAs('page_id') } }),
    'databasePage.getAll': queryDatabase,
    'databasePage.update': page({
      action: 'update_page',
      takes: { pageId: idAs('page_id'), propertiesUi },
      usual: { properties: {} },
    }),
    'page.create': page({
      action: 'create_page',
      takes: {
        pageId: (value, context) => ({ parent: idAs('page_id')(value, context) }),
        title: (value, { js, calculated }) => ({
          properties: new Template(
            calculated(`({ title: [{ text: { content: ${js(value)} } }] })`, 'properties'),
          ),
        }),
        blockUi,
      },
      usual: { properties: { title: [{ text: { content: '' } }] }, children: [] },
    }),
    'page.archive': page({
      action: 'update_page',
      takes: { pageId: idAs('page_id') },
      usual: { archived: true },
    }),
    'block.append': {
      action: 'append_blocks',
      takes: { blockId: idAs('block_id'), blockUi },
      usual: { ...VERSION, children: [] },
      check: isSecond,
    },
    'user.get': {
      action: 'get_user',
      takes: { userId: 'user_id' },
      usual: VERSION,
      check: isSecond,
    },
  },
})
