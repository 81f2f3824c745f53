import { AppError } from '../../../shared/contract/base/errors.ts'
import { checkForm } from './check-form.ts'
import type { Gate } from './gate.ts'
import { isWebhookPath } from './paths.ts'

/** For listeners that others reach: there is nothing but webhooks, and nothing says what else runs here. */
export const onlyWebhooks: Gate = (request) => {
  checkForm(request)
  if (!isWebhookPath(request.url ?? '')) throw new AppError('not_found', 'Not found')
}
