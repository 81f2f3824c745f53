import type { PluginManifest } from '../../../shared/contract/plugins/manifest.ts'
import { t } from '../../lib/i18n.ts'

/** Something that a plug-in can reach, in words. */
export interface Ability {
  readonly text: string
  /** How it differs from what was confirmed. */
  readonly change: 'same' | 'new' | 'gone'
}

/** What a plug-in declares; compared with what was confirmed, if its files have changed since. */
export function abilitiesOf(
  manifest: Pick<PluginManifest, 'permissions'>,
  confirmed: Pick<PluginManifest, 'permissions'> | null = null,
): readonly Ability[] {
  const now = textsOf(manifest)
  if (confirmed === null) return now.map((text) => ({ text, change: 'same' }))
  const before = textsOf(confirmed)
  return [
    ...now.map((text): Ability => ({ text, change: before.includes(text) ? 'same' : 'new' })),
    ...before.filter((text) => !now.includes(text)).map((text): Ability => ({ text, change: 'gone' })),
  ]
}

function textsOf({ permissions }: Pick<PluginManifest, 'permissions'>): readonly string[] {
  const { origins, private_network: isPrivate, files, key_values: keepsValues } = permissions
  return [
    ...origins.map((origin) => t('Send requests to {{origin}}', { origin })),
    ...(isPrivate ? [t('Reach these URLs on this computer and in its network')] : []),
    ...(files === 'none' ? [] : [t('Read files in the allowed folders')]),
    ...(files === 'write' ? [t('Write files in the allowed folders')] : []),
    ...(keepsValues ? [t('Keep values of its own between runs')] : []),
  ]
}
