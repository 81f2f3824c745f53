import type { PluginManifest } from '../../../shared/contract/plugins/manifest.ts'
import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import { locale } from '../../lib/i18n.ts'

/** A plug-in's text, in the language of the page if the plug-in has a translation. */
export function translatePluginText(text: string, { german }: Pick<PluginManifest, 'german'>): string {
  return locale() === 'de-DE' && Object.hasOwn(german, text) ? (german[text] ?? text) : text
}

export function titleOfPlugin({ name, manifest }: Pick<Plugin, 'name' | 'manifest'>): string {
  return manifest === null ? name : translatePluginText(manifest.title, manifest)
}
