import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'

export const flowNotFound = (id: string) =>
  new AppError('not_found', say('There is no flow "{{id}}"', { id: id.slice(0, 60) }))
export const runNotFound = (id: string) =>
  new AppError('not_found', say('There is no flow run "{{id}}"', { id: id.slice(0, 60) }))
