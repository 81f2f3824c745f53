import type { StepScope } from './model/compiled-step.ts'

/** The path in a step's config; whether it is allowed is for the folders to say. */
export function readPath(source: string, scope: StepScope): string {
  const field = 'config.path'
  const path = scope.renderText(field, source).trim()
  if (path !== '' && !path.includes('\0')) return path
  throw scope.fail('validation', '"path" is empty; name a file in a folder that the settings allow', {
    field,
  })
}
