import { describe, expect, test } from 'vitest'
import {
  canonicalScope,
  coversAll,
  isCovered,
  managesTokens,
  OPERATIONS,
  SCOPES,
  scopeList,
} from '../../../../src/shared/contract/base/scopes.ts'

describe('the scope table of the specification', () => {
  const probes = (scope: string, entity: Parameters<typeof isCovered>[1]) =>
    OPERATIONS.filter((operation) => isCovered([scope], entity, operation)).join(' ')

  test('a bare scope grants everything, :manage all but delete, :view only reading', () => {
    expect({
      bare: probes('automation', 'flows'),
      manage: probes('automation:manage', 'flows'),
      view: probes('automation:view', 'flows'),
      run: probes('automation:webhook_run', 'flows'),
    }).toEqual({ bare: 'create read update delete', manage: 'create read update', view: 'read', run: '' })
  })

  test('automation only reads connector auths, env variables and file uploads', () => {
    expect(
      (['connector_auths', 'env_variables', 'file_uploads'] as const).map((entity) =>
        probes('automation', entity),
      ),
    ).toEqual(['read', 'read', 'read'])
  })

  test('webhooks are started with automation, :manage or :webhook_run, in every spelling, never with :view', () => {
    const started = [
      'automation',
      'automation:manage',
      'automation.webhook_run',
      'webhook_run',
      'automation:view',
      'connectors',
    ]
    expect(started.map((scope) => isCovered([scope], 'webhooks', 'create'))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('a scope does not cover entities of another scope', () => {
    expect([
      probes('connectors', 'flows'),
      probes('company', 'connector_auths'),
      probes('dashboard', 'flows'),
    ]).toEqual(['', '', ''])
  })
})

test('a dot is accepted instead of the colon, and unknown names are rejected', () => {
  expect(
    ['automation.manage', 'webhook_run', 'automation:admin', 'Automation', ''].map(canonicalScope),
  ).toEqual(['automation:manage', 'automation:webhook_run', null, null, null])
  expect(SCOPES.length).toBe(19)
})

test('two spellings of one scope are a duplicate', () => {
  expect(scopeList.safeParse(['automation.view', 'automation:view']).success).toBe(false)
  expect(scopeList.safeParse([]).success).toBe(false)
  expect(scopeList.parse(['automation.view'])).toEqual(['automation.view'])
})

test('a token cannot create one that covers more than itself', () => {
  const rows: [string[], string[], boolean][] = [
    [['automation'], ['automation:manage', 'automation:view', 'webhook_run'], true],
    [['automation:manage'], ['automation:view', 'webhook_run'], true],
    [['automation:manage'], ['automation'], false],
    [['automation:view'], ['webhook_run'], false],
    [['automation'], ['connectors:view'], false],
    [['automation'], ['connector_auth:view'], true],
    [['automation:webhook_run'], ['connector_auth:view'], false],
    [['automation', 'company:view'], ['automation:manage', 'company'], false],
    [['automation'], ['embed:view'], false],
    [['embed'], ['embed:view'], true],
    [['dashboard:view'], ['embed:view'], false],
  ]
  expect(rows.map(([own, wanted]) => coversAll(own, wanted))).toEqual(rows.map(([, , expected]) => expected))
})

test('only a token with more than :view or webhook_run manages tokens', () => {
  expect([['automation:view', 'webhook_run'], ['connectors:manage'], ['embed']].map(managesTokens)).toEqual([
    false,
    true,
    true,
  ])
})
