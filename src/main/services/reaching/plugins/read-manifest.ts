import { isOwnFilter } from '@millrace/jinja/environment'
import { z } from 'zod'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import {
  filterName,
  pluginManifest,
  type PluginManifest,
} from '../../../../shared/contract/plugins/manifest.ts'
import { type PluginConnector, readPluginConnectors } from './plugin-connectors.ts'
import type { PluginFiles } from './plugin-files.ts'

export type ReadPlugin =
  | {
      readonly manifest: PluginManifest
      readonly connectors: readonly PluginConnector[]
      readonly problem: null
    }
  | { readonly manifest: null; readonly connectors: readonly []; readonly problem: Said }

export function readPlugin(files: PluginFiles): ReadPlugin {
  try {
    return { ...requireParts(files), problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { manifest: null, connectors: [], problem: sentenceOf(error) }
  }
}

function requireParts(files: PluginFiles) {
  const text = files.get('manifest.json')
  if (text === undefined) throw new AppError('validation', say('it has no manifest.json'))
  if (!files.has('run.js')) throw new AppError('validation', say('it has no run.js'))
  const manifest = readManifest(text.toString())
  const taken = manifest.filters.map((one) => filterName(manifest.name, one)).find(isOwnFilter)
  if (taken !== undefined)
    throw new AppError(
      'validation',
      say('manifest.json: "{{name}}" is already a filter of Millrace; choose another name', { name: taken }),
    )
  return { manifest, connectors: readPluginConnectors(manifest, files) }
}

function readManifest(text: string): PluginManifest {
  try {
    const content = parseInput(manifestText, text, 'manifest.json')
    return parseInput(pluginManifest, content, 'manifest.json')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('validation', say('manifest.json: {{rest}}', { rest: sentenceOf(error) }), {
      cause: error,
    })
  }
}

/** @throws AppError if it isn't a plug-in */
export function requirePlugin(files: PluginFiles): Extract<ReadPlugin, { problem: null }> {
  const read = readPlugin(files)
  if (read.problem !== null)
    throw new AppError('validation', say("This isn't a plug-in: {{rest}}", { rest: read.problem }))
  return read
}

const manifestText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue("isn't JSON")
    return z.NEVER
  }
})
