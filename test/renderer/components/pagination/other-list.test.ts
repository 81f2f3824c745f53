import { expect, test } from 'vitest'
import { type Message, say, spoken } from '../../../../src/shared/contract/base/message.ts'
import { otherListIn } from '../../../../src/renderer/components/pagination/state/other-list.ts'

const warning = (more: Message | string) => ({
  type: 'warning' as const,
  page: 0,
  code: 'jsonpath_no_match' as const,
  ...spoken(say('"response_jsonpath" matched nothing in the first response{{more}}', { more })),
})

test('the path of a list elsewhere in the response is read from the warning that names it', () => {
  const many = say('; "{{path}}" has {{count}} records. Use it', { path: '$.data', count: 25 })
  const one = say('; "{{path}}" has {{count}} record. Use it', { path: "$['a b'].items", count: 1 })
  expect([otherListIn([warning(many)]), otherListIn([warning(one)]), otherListIn([warning('')])]).toEqual([
    { path: '$.data', count: 25 },
    { path: "$['a b'].items", count: 1 },
    null,
  ])
})
