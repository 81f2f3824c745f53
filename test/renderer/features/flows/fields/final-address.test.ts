import { expect, test } from 'vitest'
import { renderTemplate } from '../../../../../packages/jinja/src/template/index.ts'
import { seenFromOutside } from '../../../../../src/renderer/features/flows/webhook/reach-mark.tsx'
import { wholeAddress } from '../../../../../src/renderer/features/flows/fields/final-address.tsx'
import type { WebhookRequest } from '../../../../../src/shared/contract/webhooks.ts'

test('a request’s URL is shown with its query, encoded as it is sent', () => {
  const config = { url: 'https://x.test/{{ web1.id }}?v=1', query: { q: '{{ web1.name }} & co', page: 2 } }
  const template = wholeAddress({ type: 'rest', config }, 'config.url')
  expect(renderTemplate(template ?? '', { web1: { id: 7, name: 'Ada' } })).toBe(
    'https://x.test/7?v=1&q=Ada%20%26%20co&page=2',
  )
  expect(wholeAddress({ type: 'rest', config: { url: 'https://x.test' } }, 'config.url')).toBe(null)
  expect(wholeAddress({ type: 'rest', config }, 'config.body')).toBe(null)
})

test('a flow counts as reachable from outside once a request proves it, by a header or by its host name', () => {
  const request = (at: string, headers: Record<string, string>) => ({ at, headers }) as WebhookRequest
  const local = request('2', { host: '127.0.0.1:4747' })
  expect(seenFromOutside([local])).toBe(null)
  expect(seenFromOutside([local, request('1', { host: 'hooks.example.test' })])).toEqual({
    at: '1',
    host: 'hooks.example.test',
    header: null,
  })
  const tunnelled = { host: 'localhost:4747', 'x-forwarded-host': 'a.trycloudflare.com', 'cf-ray': '1' }
  expect(seenFromOutside([request('1', tunnelled)])).toMatchObject({ host: 'a.trycloudflare.com' })
})
