import { expect, test } from 'vitest'
import { pagingRoleOf } from '../../../../src/main/engine/pagination/index.ts'

test('a parameter has its role in any spelling, and names of other things have none', () => {
  const names = {
    page: [
      'page',
      'Page',
      'pageNumber',
      'page_no',
      'page[number]',
      'searchCriteria[currentPage]',
      'X-Page',
      'pageStart',
      'page.number',
    ],
    offset: [
      'offset',
      '$skip',
      'startAt',
      'start_index',
      'pagination[start]',
      'sysparm_offset',
      'SkipCount',
      'X-Offset',
      'startNum',
      'first_row',
      'parameters.skip',
    ],
    size: [
      'limit',
      'per_page',
      'perpage',
      'PageSize',
      'page-size',
      '$top',
      'page[size]',
      'maxResults',
      'sysparm_limit',
      'numItems',
      'rowCount',
      'page.size',
    ],
    cursor: [
      'cursor',
      'pageToken',
      'page_token',
      'starting_after',
      '$skiptoken',
      'page[after]',
      'resumptionToken',
      'page-token',
    ],
  }
  const none = [
    'status',
    'access_token',
    'q',
    'is_from',
    'created_after',
    'landing_page',
    'fields[count_of]',
    'filter[number_of]',
    'start_date',
    'startWeek',
    'first_name',
    'file_size',
    'pageCount',
  ]
  expect({
    ...Object.fromEntries(
      Object.entries(names).map(([role, each]) => [role, each.filter((name) => pagingRoleOf(name) !== role)]),
    ),
    none: none.map((name) => pagingRoleOf(name)).filter((role) => role !== null),
  }).toEqual({ page: [], offset: [], size: [], cursor: [], none: [] })
})
