import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from '../../src/shared/contract/plugins/plugins.ts'
import type { FlowApp } from './flow-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A folder with a plug-in `tools`; `manifest` replaces parts of a short one. */
export function aPlugin(manifest: object, run: string, more: Readonly<Record<string, string>> = {}): string {
  const folder = join(temporaryFolder(), 'tools')
  const whole = {
    manifest_version: 1,
    name: 'tools',
    version: '1.0.0',
    title: 'Tools',
    description: 'Tools for tests.',
    ...manifest,
  }
  const files = { 'manifest.json': JSON.stringify(whole), 'run.js': run, ...more }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

export const part = (name: string, more: object = {}) => ({
  name,
  label: name,
  description: `Does ${name}.`,
  ...more,
})

/** Adds the plug-in and confirms it. */
export async function confirmedPlugin(app: FlowApp, ...content: Parameters<typeof aPlugin>): Promise<Plugin> {
  const { json } = await app.call('POST', '/v1/plugins', { path: aPlugin(...content) })
  const { name, hash } = json as Plugin
  const confirmed = await app.call('POST', `/v1/plugins/${name}/confirm`, { hash })
  return confirmed.json as Plugin
}
