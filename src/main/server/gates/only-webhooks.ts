import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { checkForm } from './check-form.ts'
import type { Gate } from './gate.ts'
import { isWebhookPath } from './paths.ts'

/**
 * For listeners that other computers can reach. Only webhooks exist there, and no response reveals what else runs here.
 */
export const onlyWebhooks: Gate = (request) => {
  checkForm(request)
  if (!isWebhookPath(request.url ?? '')) throw new AppError('not_found', say('Not found'))
}
