import { expect, test } from 'vitest'
import { otherListIn } from '../../../../src/renderer/components/pagination/state/other-list.ts'

const warning = (code: 'jsonpath_no_match' | 'page_size', message: string) => ({
  type: 'warning' as const,
  page: 0,
  code,
  message,
})

test('the path of a list elsewhere in the response is read from the warning that names it', () => {
  const nothing = '"response_jsonpath" matched nothing in the first response'
  expect([
    otherListIn([warning('jsonpath_no_match', `${nothing}; "$.data" has 25 records. Use it`)]),
    otherListIn([warning('jsonpath_no_match', `${nothing}; "$['a b'].items" has 1 record. Use it`)]),
    otherListIn([warning('jsonpath_no_match', nothing)]),
    otherListIn([warning('page_size', '; "$.data" has 25 records. Use it')]),
  ]).toEqual([{ path: '$.data', count: 25 }, { path: "$['a b'].items", count: 1 }, null, null])
})
