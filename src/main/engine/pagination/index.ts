export { checkPaginationConfig } from './config/check-config.ts'
export { repairPagination } from './config/repair-config.ts'
export { largePageSizes } from './config/config-hints.ts'
export type { ConfigProblem } from './config/config-problem.ts'
export { collectRecords, errorOf } from './events/collect-records.ts'
export type { PageEvent } from './events/events.ts'
export type { Checkpoint, Resume } from './plan/checkpoint.ts'
export { paginate, type PaginateOptions, type PaginatePorts } from './paginate.ts'
export { PaginationError } from './model/pagination-error.ts'
export { addressRules } from './request/address.ts'
export { firstRequest } from './request/next-request.ts'
export { type OtherBody, readAnyBody, readOtherFormat } from './response/response-body.ts'
export { bodyOf } from '../request/body.ts'
export type { ApiRequest } from '../request/api-request.ts'
export { lacksCursor } from './doubt/unseen-cursor.ts'
export { suggestFromDescription } from './suggest/from-description.ts'
export { type Suggestions, suggestPagination } from './suggest/index.ts'
export {
  CREDENTIAL_PARAMETERS,
  PARTNERS as PARTNERS_OF_SIZES,
  partsOf,
  type PagingRole,
  pagingRoleOf,
  plainName,
  wordsOf,
} from './suggest/paging-names.ts'
