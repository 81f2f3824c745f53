import { z } from 'zod'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { pluginManifest, type PluginManifest } from '../../../../shared/contract/plugins/manifest.ts'
import type { PluginFiles } from './plugin-files.ts'

export type ReadManifest =
  | { readonly manifest: PluginManifest; readonly problem: null }
  | { readonly manifest: null; readonly problem: string }

export function readManifest(files: PluginFiles): ReadManifest {
  const text = files.get('manifest.json')
  if (text === undefined) return { manifest: null, problem: 'it has no manifest.json' }
  if (!files.has('run.js')) return { manifest: null, problem: 'it has no run.js' }
  try {
    const content = parseInput(manifestText, text.toString(), 'manifest.json')
    return { manifest: parseInput(pluginManifest, content, 'manifest.json'), problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { manifest: null, problem: `manifest.json: ${error.message}` }
  }
}

/** @throws AppError if it isn't a plug-in */
export function requireManifest(files: PluginFiles): PluginManifest {
  const { manifest, problem } = readManifest(files)
  if (manifest === null)
    throw new AppError('validation', say("This isn't a plug-in: {{rest}}", { rest: problem }))
  return manifest
}

const manifestText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue("isn't JSON")
    return z.NEVER
  }
})
