import { AppError } from '../../../shared/contract/base/errors.ts'

export const noFlow = (id: string) => new AppError('not_found', `There is no flow "${id.slice(0, 60)}"`)
export const noFlowRun = (id: string) =>
  new AppError('not_found', `There is no flow run "${id.slice(0, 60)}"`)
