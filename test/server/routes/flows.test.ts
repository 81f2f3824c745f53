import { expect, test } from 'vitest'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import { DEFAULT_FLOW_SETTINGS, type Flow, type FlowVersion } from '../../../src/shared/contract/flows.ts'
import type { LiveEvent } from '../../../src/shared/contract/host.ts'
import { STEP_TYPES } from '../../../src/shared/contract/step-types/index.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { hashSecret } from '../../../src/main/services/keeping/access/token-secret.ts'
import { aMasterKey } from '../../helpers/store.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const FLOWS = '/v1/flows'
const NOWHERE = '00000000-0000-4000-8000-000000000000'

const WEBHOOK = { ref_id: 'web1', type: 'webhook' } as const
const STEP_DEFAULTS = { title: '', description: '', disabled: false, on_error: 'stop', retry: null } as const
const WEBHOOK_DEFAULTS = {
  response_status_code: 200,
  response_body: '',
  methods: ['POST'],
  response_headers: {},
  async: false,
  cors_origins: [],
  signature: null,
} as const

const set = (ref_id: string, values: object = {}) => ({ ref_id, type: 'set', config: { values } })
const start = () => startTestApp({ catalogue: [] })

async function aFlow(app: TestApp, body: object = {}): Promise<Flow> {
  const answer = await app.call('POST', FLOWS, { name: 'Receive an order', ...body })
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as Flow
}

async function put(app: TestApp, { id }: Flow, body: object): Promise<Flow> {
  const answer = await app.call('PUT', `${FLOWS}/${id}`, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) })
  return answer.json as Flow
}

async function aToken(app: TestApp, ...scopes: string[]): Promise<{ authorization: string }> {
  const body = { scopes, expiration: null, note: '' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  return { authorization: `Bearer ${token}` }
}

const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  (json as { error?: string })?.error,
]
const messageOf = ({ json }: { json: unknown }) => (json as { message: string }).message
const dataOf = ({ json }: { json: unknown }) => (json as { data: unknown }).data
const names = ({ json }: { json: unknown }) => (json as Flow[]).map(({ name }) => name)

test('a flow is created as a draft from its name alone', async () => {
  const app = await start()
  const at = new Date(app.clock.now()).toISOString()
  const created = await aFlow(app)
  expect({ created, read: (await app.call('GET', `${FLOWS}/${created.id}`)).json }).toEqual({
    created: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}$/),
      name: 'Receive an order',
      description: '',
      tags: [],
      status: 'draft',
      steps: [],
      settings: DEFAULT_FLOW_SETTINGS,
      version: 1,
      created_at: at,
      updated_at: at,
      webhook: null,
    },
    read: created,
  })
})

test('steps are stored with every default, at every depth, and with the given settings over the default ones', async () => {
  const app = await start()
  const { steps, settings } = await aFlow(app, {
    settings: { log_all_steps: false, timeout_seconds: 60 },
    steps: [
      WEBHOOK,
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ web1.orders }}' },
        steps: [
          {
            ref_id: 'get',
            type: 'rest',
            config: { url: 'http://x', pagination: { query: '{"p": {{ page }}}' } },
          },
        ],
      },
      {
        ref_id: 'check',
        type: 'condition',
        config: { when: 'true' },
        then: [{ ref_id: 'end', type: 'stop' }],
      },
    ],
  })
  expect(settings).toEqual({ ...DEFAULT_FLOW_SETTINGS, log_all_steps: false, timeout_seconds: 60 })
  expect(steps).toEqual([
    { ...STEP_DEFAULTS, ...WEBHOOK, config: WEBHOOK_DEFAULTS },
    {
      ...STEP_DEFAULTS,
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ web1.orders }}' },
      steps: [
        {
          ...STEP_DEFAULTS,
          ref_id: 'get',
          type: 'rest',
          config: {
            method: 'GET',
            url: 'http://x',
            headers: {},
            query: {},
            body: null,
            body_type: 'json',
            fail_on_error: true,
            pagination: { query: '{"p": {{ page }}}', replace_body: false },
          },
        },
      ],
    },
    {
      ...STEP_DEFAULTS,
      ref_id: 'check',
      type: 'condition',
      config: { when: 'true' },
      then: [{ ...STEP_DEFAULTS, ref_id: 'end', type: 'stop', config: { status: 'success', message: '' } }],
    },
  ])
})

test('the response of GET can be edited and sent back; only changed steps create a new version', async () => {
  const app = await start()
  const created = await aFlow(app, {
    tags: ['shop'],
    steps: [WEBHOOK, set('a', { big: 1, order: '{{ web1.id }}' }), { ref_id: 'b', type: 'stop' }],
  })
  app.clock.advance(1_000)
  const at = new Date(app.clock.now()).toISOString()
  const same = await put(app, created, created)
  expect(same).toEqual({ ...created, updated_at: at })
  const read = (await app.call('GET', `${FLOWS}/${created.id}`)).json as Flow
  const edited = await put(app, read, { ...read, steps: read.steps.slice(0, 2) })
  expect(edited).toEqual({ ...created, steps: created.steps.slice(0, 2), version: 2, updated_at: at })
  const bare = await put(app, created, { steps: [WEBHOOK, set('a', { big: 1, order: '{{ web1.id }}' })] })
  const sorted = await put(app, created, { steps: [WEBHOOK, set('a', { order: '{{ web1.id }}', big: 1 })] })
  expect({ bare: bare.version, sorted: sorted.version }).toEqual({ bare: 2, sorted: 3 })
})

test('numbers beyond 2^53 and whole floats in a step are returned as they were sent', async () => {
  const app = await start()
  const body =
    '{"name":"n","steps":[{"ref_id":"a","type":"set","config":{"values":{"id":12345678901234567890,"x":1.0}}}]}'
  const created = await app.call('POST', FLOWS, body)
  const { id } = created.json as Flow
  const again = await app.call('PUT', `${FLOWS}/${id}`, (await app.call('GET', `${FLOWS}/${id}`)).text)
  const kept = '"values":{"id":12345678901234567890,"x":1.0}'
  expect({ created: created.text, again: again.text, version: (again.json as Flow).version }).toEqual({
    created: expect.stringContaining(kept),
    again: expect.stringContaining(kept),
    version: 1,
  })
})

test('absent keys and settings stay, whatever else changes', async () => {
  const app = await start()
  const created = await aFlow(app, {
    description: 'From the shop',
    tags: ['shop'],
    steps: [set('a')],
    settings: { data_retention_days: 7 },
  })
  const expected = { ...created, settings: { ...created.settings, concurrency: 2 } }
  expect(await put(app, created, { settings: { concurrency: 2 } })).toEqual(expected)
  expect(await put(app, created, { name: 'Orders', tags: [] })).toEqual({
    ...expected,
    name: 'Orders',
    tags: [],
  })
  expect(await put(app, created, {})).toEqual({ ...expected, name: 'Orders', tags: [] })
})

test('any status follows any other, and `live` means active', async () => {
  const app = await start()
  const created = await aFlow(app, { status: 'live' })
  const seen = [created.status]
  for (const status of ['draft', 'paused', 'live', 'draft', 'active', 'paused', 'draft']) {
    seen.push((await put(app, created, { status })).status)
  }
  expect(seen).toEqual(['active', 'draft', 'paused', 'active', 'draft', 'active', 'paused', 'draft'])
  const refused = await app.call('PUT', `${FLOWS}/${created.id}`, { status: 'on' })
  expect({ code: codeOf(refused), keys: Object.keys(dataOf(refused) as object) }).toEqual({
    code: [400, 'validation'],
    keys: ['status'],
  })
})

const REFUSED: readonly (readonly [title: string, body: object, data: object])[] = [
  ['a name that is empty', { name: ' ' }, { name: ['must not be empty'] }],
  [
    'a key that is unknown',
    { colour: 1 },
    {
      colour: ['is unknown; remove it or use one of name, description, tags, status, steps, settings'],
    },
  ],
  [
    'a setting that is unknown',
    { settings: { retries: 3 } },
    {
      'settings.retries': [
        expect.stringMatching(/^is unknown; remove it or use one of webhook_token_enabled, /),
      ],
    },
  ],
  [
    'a setting out of its bounds',
    { settings: { timeout_seconds: 0 } },
    { 'settings.timeout_seconds': ['is 0, but must be at least 1'] },
  ],
  [
    'an error handling flow that there is not',
    { settings: { error_handling_flow_id: NOWHERE } },
    { 'settings.error_handling_flow_id': [`there is no flow "${NOWHERE}"; choose another one, or null`] },
  ],
  [
    'a title that cannot be rendered',
    { settings: { dynamic_title: '{{ web1. }}' } },
    { 'settings.dynamic_title': [expect.stringContaining('line 1, column')] },
  ],
  [
    'a step without what its type requires',
    { steps: [WEBHOOK, { ref_id: 'call', type: 'rest' }] },
    { 'steps[1].config.url': ['is required'] },
  ],
  [
    'a step with what its type does not know',
    { steps: [{ ref_id: 'a', type: 'set', config: { vaules: {} } }] },
    { 'steps[0].config.vaules': ['is unknown; did you mean "values"?'] },
  ],
  [
    'a step deep inside, a template of which cannot be read',
    {
      steps: [
        { ref_id: 'each', type: 'loop', config: { over: [1] }, steps: [set('a', { x: ['{{ item. }}'] })] },
      ],
    },
    { 'steps[0].steps[0].config.values.x[0]': [expect.stringContaining('line 1, column')] },
  ],
  [
    'a template that reads a name that there is not',
    { steps: [WEBHOOK, set('a', { x: '{{ wbe1.id }}' })] },
    { 'steps[1].config.values.x': [`line 1, column 4: 'wbe1' is undefined (Did you mean "web1"?)`] },
  ],
  [
    'a type that is unknown',
    { steps: [{ ref_id: 'a', type: 'teleport' }] },
    { 'steps[0].type': [`"teleport" isn't a step type; the types are ${STEP_TYPES.join(', ')}`] },
  ],
  [
    'a webhook that does not come first',
    { steps: [set('a'), WEBHOOK] },
    { 'steps[1].type': ['a webhook step starts a flow, so only triggers can be above it'] },
  ],
  [
    'two steps of one name',
    { steps: [set('a'), set('a')] },
    { 'steps[1].ref_id': ['"a" is already the name of steps[0]; rename one of them'] },
  ],
  [
    'a name that templates use',
    { steps: [set('item')] },
    { 'steps[0].ref_id': ['"item" is reserved in templates; choose another name'] },
  ],
  [
    'a status that HTTP cannot answer with',
    { steps: [{ ...WEBHOOK, config: { response_status_code: 99 } }] },
    { 'steps[0].config.response_status_code': [expect.any(String)] },
  ],
]

test.each(REFUSED)('%s is rejected by its field, and changes nothing', async (_title, body, data) => {
  const app = await start()
  const created = await aFlow(app, { steps: [set('kept')] })
  const answers = [
    await app.call('POST', FLOWS, { name: 'Another', ...body }),
    await app.call('PUT', `${FLOWS}/${created.id}`, body),
  ]
  expect(answers.map((answer) => [codeOf(answer), dataOf(answer)])).toEqual([
    [[400, 'validation'], data],
    [[400, 'validation'], data],
  ])
  expect((await app.call('GET', FLOWS)).json).toEqual([created])
})

test('an error names the step and its field in the message', async () => {
  const app = await start()
  const refused = await app.call('POST', FLOWS, {
    name: 'x',
    steps: [set('a'), { ref_id: 'call', type: 'rest' }, { ref_id: 'b', type: 'teleport' }],
  })
  expect(messageOf(refused)).toBe(
    'Step "call", field "config.url": is required (and 1 more problem; see data)',
  )
})

test('a misspelt name is answered with the one that was probably meant', async () => {
  const app = await start()
  const messages = [
    await app.call('POST', FLOWS, { nmae: 'x', name: 'x' }),
    await app.call('POST', FLOWS, { name: 'x', status: 'activ' }),
    await app.call('GET', `${FLOWS}?sort=nmae`),
    await app.call('GET', `${FLOWS}?filter=nmae,eq,x`),
    await app.call('GET', '/v1/flow/42/run'),
    await app.call('GET', '/v1/teapots'),
  ].map(messageOf)
  expect(messages).toEqual([
    '"nmae" is unknown; did you mean "name"?',
    '"status" is "activ"; did you mean "active"?',
    '"sort" has no field "nmae"; did you mean "name"?',
    '"filter" has no field "nmae"; did you mean "name"?',
    'Not found: /v1/flow/42/run; did you mean /v1/flows/42/run?',
    'Not found: /v1/teapots',
  ])
})

test("an action without pagination can't retrieve all data", async () => {
  const app = await start()
  const { id } = (await app.call('POST', '/v1/connectors', { name: 'Shop' })).json as Connector
  const action = { connector_id: id, name: 'list_orders', method: 'GET', endpoint: 'orders' }
  await app.call('POST', '/v1/connector-actions', action)
  const config = { connector_id: id, action: 'list_orders', retrieve_all_data: true }
  const steps = [{ ref_id: 'call', type: 'connector_action', config }]
  const refused = await app.call('POST', FLOWS, { name: 'x', steps })
  expect({ code: codeOf(refused), keys: Object.keys(dataOf(refused) as object) }).toEqual({
    code: [400, 'validation'],
    keys: ['steps[0].config.retrieve_all_data'],
  })
})

test('templates can read variables, and the URLs of the playground and of Millrace', async () => {
  const app = await start()
  const at = new Date(app.clock.now()).toISOString()
  const dates = { created_at: at, updated_at: at }
  const variable = {
    id: NOWHERE,
    name: 'shop_url',
    type: 'text',
    value: 'x',
    secret: false,
    ...dates,
  } as const
  app.store.writeNow(() => app.store.envVariables.insert(variable))
  const steps = [set('a', { x: '{{ shop_url }}/{{ playground_url }}/{{ millrace_url }}' })]
  expect((await aFlow(app, { steps })).steps).toMatchObject(steps)
})

test('a step of an unknown type is kept by an import and from then on, only under its name', async () => {
  const app = await start()
  const odd = { ref_id: 'odd', type: 'teleport', config: { to: '{{ anywhere', '10': 1, '2': 2 } }
  const body = {
    name: 'Imported',
    steps: [{ ref_id: 'each', type: 'loop', config: { over: [] }, steps: [odd] }],
  }
  const [plain, imported] = [
    await app.call('POST', FLOWS, body),
    await app.call('POST', `${FLOWS}?import=true`, body),
  ]
  const flow = imported.json as Flow
  const again = await app.call('PUT', `${FLOWS}/${flow.id}`, { ...flow, steps: [...flow.steps, set('a')] })
  const renamed = await app.call('PUT', `${FLOWS}/${flow.id}`, { steps: [{ ...odd, ref_id: 'other' }] })
  expect({
    plain: codeOf(plain),
    imported: imported.status,
    steps: flow.steps[0]?.steps,
    again: again.status,
    renamed: codeOf(renamed),
  }).toEqual({
    plain: [400, 'validation'],
    imported: 201,
    steps: [{ ...STEP_DEFAULTS, ...odd }],
    again: 200,
    renamed: [400, 'validation'],
  })
})

test('an import is validated like every other flow', async () => {
  const app = await start()
  const refused = await app.call('POST', `${FLOWS}?import=true`, {
    name: 'x',
    steps: [{ ref_id: 'a', type: 'rest' }],
  })
  expect({ code: codeOf(refused), data: dataOf(refused) }).toEqual({
    code: [400, 'validation'],
    data: { 'steps[0].config.url': ['is required'] },
  })
})

test("an error handling flow must be a different, existing flow; a deleted one doesn't block other changes", async () => {
  const app = await start()
  const [handler, flow] = [await aFlow(app, { name: 'On error' }), await aFlow(app)]
  const itself = await app.call('PUT', `${FLOWS}/${flow.id}`, {
    settings: { error_handling_flow_id: flow.id },
  })
  const chosen = await put(app, flow, { settings: { error_handling_flow_id: handler.id } })
  await app.call('DELETE', `${FLOWS}/${handler.id}`)
  const renamed = await put(app, flow, { ...chosen, name: 'Renamed' })
  expect({
    code: codeOf(itself),
    data: dataOf(itself),
    errorHandlingFlowId: renamed.settings.error_handling_flow_id,
  }).toEqual({
    code: [400, 'validation'],
    data: { 'settings.error_handling_flow_id': ['is the flow itself; choose another flow, or null'] },
    errorHandlingFlowId: handler.id,
  })
})

test('the first webhook step creates a URL and a token, which stays', async () => {
  const app = await start()
  const without = await aFlow(app, { steps: [set('a')] })
  const first = await put(app, without, { steps: [WEBHOOK, ...without.steps] })
  expect({ withoutWebhook: without.webhook, first: first.webhook }).toEqual({
    withoutWebhook: null,
    first: {
      url: `http://127.0.0.1:4747/v1/flow-webhook/${first.id}`,
      public_url: null,
      token: expect.stringMatching(/^mr_whk_[0-9A-Za-z]{54}$/),
    },
  })
  const gone = await put(app, first, { steps: [] })
  const back = await put(app, first, { steps: [WEBHOOK] })
  const disabled = await put(app, first, { steps: [{ ...WEBHOOK, disabled: true }] })
  expect({ gone: gone.webhook, back: back.webhook, disabled: disabled.webhook }).toEqual({
    gone: null,
    back: first.webhook,
    disabled: first.webhook,
  })
  const other = await aFlow(app, { steps: [WEBHOOK] })
  expect(other.webhook?.token).not.toBe(first.webhook?.token)
  expect(app.store.flows.webhookToken(first.id)?.hash).toBe(hashSecret(first.webhook?.token ?? ''))
})

test('the webhook token is rotated on request; a flow without a webhook has none', async () => {
  const app = await start()
  const [flow, without] = [await aFlow(app, { steps: [WEBHOOK] }), await aFlow(app, { name: 'Nightly' })]
  const rotated = await app.call('POST', `${FLOWS}/${flow.id}/webhook-token`)
  const read = (await app.call('GET', `${FLOWS}/${flow.id}`)).json as Flow
  const token = (rotated.json as Flow).webhook?.token ?? ''
  expect({ status: rotated.status, json: rotated.json, isSameToken: token === flow.webhook?.token }).toEqual({
    status: 200,
    json: read,
    isSameToken: false,
  })
  expect({ json: rotated.json, hash: app.store.flows.webhookToken(flow.id)?.hash }).toEqual({
    json: { ...flow, webhook: { ...flow.webhook, token } },
    hash: hashSecret(token),
  })
  const refused = await app.call('POST', `${FLOWS}/${without.id}/webhook-token`)
  expect({ code: codeOf(refused), message: messageOf(refused) }).toEqual({
    code: [409, 'conflict'],
    message:
      'The flow "Nightly" has no webhook token because its first step isn\'t a webhook; add a webhook step first',
  })
})

test('the webhook is shown only to users who can update flows', async () => {
  const app = await start()
  const flow = await aFlow(app, { steps: [WEBHOOK] })
  const { webhook: _, ...plain } = flow
  const [full, manage, view] = [
    await aToken(app, 'automation'),
    await aToken(app, 'automation.manage'),
    await aToken(app, 'automation:view'),
  ]
  const path = `${FLOWS}/${flow.id}`
  const answers = await Promise.all(
    [full, manage, view].flatMap((as) => [
      app.call('GET', path, undefined, as),
      app.call('GET', FLOWS, undefined, as),
    ]),
  )
  expect(answers.map(({ json }) => json)).toEqual([flow, [flow], flow, [flow], plain, [plain]])
  const calls = await Promise.all([
    app.call('POST', FLOWS, { name: 'x' }, view),
    app.call('PUT', path, {}, view),
    app.call('POST', `${path}/webhook-token`, undefined, view),
    app.call('PUT', `${path}/working-copy`, { steps: [] }, view),
    app.call('POST', `${path}/versions/1/restore`, undefined, view),
    app.call('DELETE', path, undefined, manage),
    app.call('GET', path, undefined, await aToken(app, 'webhook_run')),
    app.call('GET', path, undefined, await aToken(app, 'connectors')),
  ])
  expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 403))
})

test('with another master key the token reads null until it is rotated', async () => {
  const dataDir = temporaryFolder()
  const first = await startTestApp({ store: { dataDir, masterKey: aMasterKey(1) } })
  const { id, webhook } = await aFlow(first, { steps: [WEBHOOK] })
  first.store.close()
  const app = await startTestApp({ store: { dataDir, masterKey: aMasterKey(2) } })
  const read = async () => ((await app.call('GET', `${FLOWS}/${id}`)).json as Flow).webhook
  expect(await read()).toEqual({ ...webhook, token: null })
  const rotated = (await app.call('POST', `${FLOWS}/${id}/webhook-token`)).json as Flow
  expect({ read: await read(), token: rotated.webhook?.token }).toEqual({
    read: rotated.webhook,
    token: expect.any(String),
  })
})

test('without a master key a new token is shown once', async () => {
  const app = await startTestApp({ store: { masterKey: null } })
  const created = await aFlow(app, { steps: [WEBHOOK] })
  const rotated = (await app.call('POST', `${FLOWS}/${created.id}/webhook-token`)).json as Flow
  const read = (await app.call('GET', `${FLOWS}/${created.id}`)).json as Flow
  expect({
    created: created.webhook?.token,
    rotated: rotated.webhook?.token,
    read: read.webhook?.token,
  }).toEqual({
    created: expect.stringMatching(/^mr_whk_/),
    rotated: expect.stringMatching(/^mr_whk_/),
    read: null,
  })
})

test('versions are listed newest first, and an older one is restored as the newest', async () => {
  const app = await start()
  const created = await aFlow(app, { steps: [set('a')] })
  const path = `${FLOWS}/${created.id}`
  app.clock.advance(1_000)
  const second = await put(app, created, { steps: [WEBHOOK] })
  await put(app, created, { steps: [] })
  const restored = await app.call('POST', `${path}/versions/2/restore`)
  expect({ status: restored.status, json: restored.json }).toEqual({
    status: 200,
    json: { ...second, version: 4 },
  })
  const listed = await app.call('GET', `${path}/versions?per_page=3`)
  expect({
    total: listed.headers['x-total-count'],
    versions: (listed.json as FlowVersion[]).map((one) => one.version),
  }).toEqual({ total: '4', versions: [4, 3, 2] })
  const filtered = await app.call('GET', `${path}/versions?filter=version,le,2`)
  const author = { id: expect.any(String), name: 'Local user' }
  const about = { flow_id: created.id, name: '', author }
  expect(filtered.json).toEqual([
    { ...about, version: 2, steps: second.steps, created_at: second.updated_at },
    { ...about, version: 1, steps: created.steps, created_at: created.created_at },
  ])
  const same = (await app.call('POST', `${path}/versions/4/restore`)).json as Flow
  const missing = await app.call('POST', `${path}/versions/9/restore`)
  expect({ version: same.version, code: codeOf(missing), message: messageOf(missing) }).toEqual({
    version: 4,
    code: [404, 'not_found'],
    message: 'The flow "Receive an order" has no version 9',
  })
})

test('a version keeps its name until it is removed, and its steps', async () => {
  const app = await start()
  const created = await aFlow(app, { steps: [set('a')] })
  const path = `${FLOWS}/${created.id}/versions`
  await put(app, created, { steps: [] })
  const named = await app.call('PUT', `${path}/1`, { name: ' Before the sale ' })
  const missing = await app.call('PUT', `${path}/9`, { name: 'x' })
  await app.call('POST', `${path}/1/restore`)
  const names = async () =>
    ((await app.call('GET', path)).json as FlowVersion[]).map(({ version, name }) => [version, name])
  const before = await names()
  await app.call('PUT', `${path}/1`, { name: '' })
  expect({ status: named.status, json: named.json, missing: codeOf(missing), before }).toMatchObject({
    status: 200,
    json: { version: 1, name: 'Before the sale', steps: created.steps },
    missing: [404, 'not_found'],
    before: [
      [3, ''],
      [2, ''],
      [1, 'Before the sale'],
    ],
  })
  expect((await names()).at(-1)).toEqual([1, ''])
})

test('a restored webhook step keeps the token it had', async () => {
  const app = await start()
  const created = await aFlow(app, { steps: [WEBHOOK] })
  await put(app, created, { steps: [] })
  const restored = (await app.call('POST', `${FLOWS}/${created.id}/versions/1/restore`)).json as Flow
  expect(restored.webhook).toEqual(created.webhook)
})

test('the working copy holds whatever the editor has, until it is deleted', async () => {
  const app = await start()
  const flow = await aFlow(app, { steps: [set('a')] })
  const path = `${FLOWS}/${flow.id}/working-copy`
  const saved = { steps: flow.steps, updated_at: null, written_with: null }
  const steps = [{ ref_id: '', type: 'rest', config: { url: '{{ ' } }, null, 'half a step']
  const copy = { steps, updated_at: new Date(app.clock.now()).toISOString(), written_with: null }
  const before = await app.call('GET', path)
  const written = await app.call('PUT', path, { steps })
  const read = await app.call('GET', path)
  expect({ before: before.json, written: written.json, read: read.json }).toEqual({
    before: saved,
    written: copy,
    read: copy,
  })
  expect((await app.call('GET', `${FLOWS}/${flow.id}`)).json).toEqual(flow)
  const forgotten = await app.call('PUT', path, { steps: null })
  expect({ forgotten: forgotten.json, read: (await app.call('GET', path)).json }).toEqual({
    forgotten: saved,
    read: saved,
  })
  const refused = await app.call('PUT', path, {})
  expect({ code: codeOf(refused), data: dataOf(refused) }).toEqual({
    code: [400, 'validation'],
    data: { steps: ['is required'] },
  })
})

test('flows are listed newest first, filtered, sorted and paged', async () => {
  const app = await start()
  for (const name of ['Orders', 'Invoices', 'Nightly sync']) {
    await aFlow(app, { name, status: name === 'Invoices' ? 'live' : 'draft' })
    app.clock.advance(1_000)
  }
  const list = (query: string) => app.call('GET', `${FLOWS}?${query}`)
  const first = await list('per_page=2')
  expect({
    names: names(first),
    total: first.headers['x-total-count'],
    link: String(first.headers.link),
  }).toEqual({ names: ['Nightly sync', 'Invoices'], total: '3', link: expect.stringContaining('page=2') })
  expect(names(await list('per_page=2&page=2'))).toEqual(['Orders'])
  const queries = [
    'sort=name',
    'sort=-created_at',
    'filter=status,eq,active',
    'filter=status,eq,live',
    'filter=status,in,live,paused',
    'filter=status,ne,live&filter=name,like,%25o%25',
    'filter=name,like,nightly%25',
    'filter=version,gt,1',
  ]
  expect(await Promise.all(queries.map(async (query) => names(await list(query))))).toEqual([
    ['Invoices', 'Nightly sync', 'Orders'],
    ['Nightly sync', 'Invoices', 'Orders'],
    ['Invoices'],
    ['Invoices'],
    ['Invoices'],
    ['Orders'],
    ['Nightly sync'],
    [],
  ])
  const refused = await Promise.all(
    ['filter=steps,eq,1', 'filter=name,is,1', 'sort=steps', 'per_page=201', 'colour=1'].map(list),
  )
  expect(refused.map(codeOf)).toEqual(refused.map(() => [400, 'validation']))
})

test('a deleted or unknown flow is 404 wherever it is named', async () => {
  const app = await start()
  const { id } = await aFlow(app, { steps: [WEBHOOK] })
  const deleted = await app.call('DELETE', `${FLOWS}/${id}`)
  expect({ status: deleted.status, text: deleted.text, left: (await app.call('GET', FLOWS)).json }).toEqual({
    status: 204,
    text: '',
    left: [],
  })
  const answers = await Promise.all(
    [id, NOWHERE, 'no-id'].flatMap((wanted) => [
      app.call('GET', `${FLOWS}/${wanted}`),
      app.call('PUT', `${FLOWS}/${wanted}`, { name: 'x' }),
      app.call('DELETE', `${FLOWS}/${wanted}`),
      app.call('POST', `${FLOWS}/${wanted}/webhook-token`),
      app.call('GET', `${FLOWS}/${wanted}/versions`),
      app.call('POST', `${FLOWS}/${wanted}/versions/1/restore`),
      app.call('GET', `${FLOWS}/${wanted}/working-copy`),
      app.call('PUT', `${FLOWS}/${wanted}/working-copy`, { steps: [] }),
    ]),
  )
  expect(answers.map(codeOf)).toEqual(answers.map(() => [404, 'not_found']))
})

test('every change is announced with name and status', async () => {
  const app = await start()
  const leaving = new AbortController()
  const caller = { kind: 'session', userId: 'local', scopes: [], tokenId: null } as const
  const stream = app.services.events.subscribe(caller, leaving.signal)
  await stream.next()
  const flow = await aFlow(app, { steps: [WEBHOOK] })
  await put(app, flow, { status: 'active', steps: [] })
  await app.call('POST', `${FLOWS}/${flow.id}/versions/1/restore`)
  await app.call('POST', `${FLOWS}/${flow.id}/webhook-token`)
  await app.call('PUT', `${FLOWS}/${flow.id}`, { name: '' })
  await app.call('DELETE', `${FLOWS}/${flow.id}`)
  const seen: LiveEvent[] = []
  for await (const event of stream) if (seen.push(event) === 5) break
  const about = { noun: 'flow', id: flow.id, name: 'Receive an order' }
  expect(seen).toEqual([
    { type: 'created', ...about, status: 'draft' },
    ...Array.from({ length: 3 }, () => ({ type: 'updated', ...about, status: 'active' })),
    { type: 'deleted', ...about, status: 'active' },
  ])
})
