import { AppError } from '../../../shared/contract/base/errors.ts'

export const flowNotFound = (id: string) => new AppError('not_found', `There is no flow "${id.slice(0, 60)}"`)
export const runNotFound = (id: string) =>
  new AppError('not_found', `There is no flow run "${id.slice(0, 60)}"`)
