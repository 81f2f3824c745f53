import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ParsedYaml } from './parse-yaml.ts'

/** Says the line and the column where the text has one. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** Begins with a key, a comment or one of the marks that begin a document. */
export function looksLikeYaml(text: string): boolean {
  return /^(?:%YAML\b|---\s|#|["']?[\w$-]+["']?\s*:(?:\s|$))/.test(text)
}

/**
 * A YAML document as plain values, read on a thread of its own so that none holds the program up.
 *
 * @throws YamlError
 */
export async function readYaml(text: string): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const worker = new Worker(WORKER, {
    workerData: text,
    name: 'millrace yaml',
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  try {
    const [parsed] = (await once(worker, 'message', { signal })) as [ParsedYaml]
    if ('error' in parsed) throw new YamlError(parsed.error)
    return JSON.parse(parsed.json)
  } catch (error) {
    if (signal.aborted || (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new YamlError('it is too large to be read as YAML; convert it to JSON first')
    throw error
  } finally {
    await worker.terminate()
  }
}

const TIMEOUT_MS = 20_000
const MEMORY_MB = 1_024

/** From sources Node runs the worker as it is; the build puts it beside this file. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? 'yaml-worker.ts' : 'yaml-worker.js', import.meta.url)
