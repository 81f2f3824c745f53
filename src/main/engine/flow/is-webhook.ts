import type { CompiledStep } from './step-runner.ts'

export function isWebhook(step: CompiledStep): step is CompiledStep<'webhook'> {
  return step.type === 'webhook'
}
