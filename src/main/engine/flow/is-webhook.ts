import type { CompiledStep } from './model/compiled-step.ts'

export function isWebhook(step: CompiledStep): step is CompiledStep<'webhook'> {
  return step.type === 'webhook'
}
