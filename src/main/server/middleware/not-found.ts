import type { RequestHandler } from 'express'
import { AppError } from '../../../shared/contract/errors.ts'
import { pathOf } from '../gates/paths.ts'

export const notFound: RequestHandler = (request) => {
  throw new AppError('not_found', `There is nothing at ${pathOf(request.originalUrl).slice(0, 200)}`)
}
