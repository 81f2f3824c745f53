import { type PluginManifest, usesAuths } from '../../../shared/contract/plugins/manifest.ts'
import { t } from '../../lib/i18n.ts'

/** Something that a plug-in can access, in words. */
export interface Ability {
  readonly text: string
  /** The difference from the confirmed version. */
  readonly change: 'same' | 'new' | 'gone'
}

/** The abilities that a plug-in declares, compared with the confirmed ones if its files have changed since. */
export function abilitiesOf(
  manifest: PluginManifest,
  confirmed: PluginManifest | null = null,
): readonly Ability[] {
  const now = textsOf(manifest)
  if (confirmed === null) return now.map((text) => ({ text, change: 'same' }))
  const before = textsOf(confirmed)
  return [
    ...now.map((text): Ability => ({ text, change: before.includes(text) ? 'same' : 'new' })),
    ...before.filter((text) => !now.includes(text)).map((text): Ability => ({ text, change: 'gone' })),
  ]
}

function textsOf(manifest: PluginManifest): readonly string[] {
  const { origins, private_network: isPrivate, files, key_values: keepsValues } = manifest.permissions
  return [
    ...origins.map((origin) => t('Send requests to {{origin}}', { origin })),
    ...(isPrivate ? [t('Reach these URLs on this computer and its network')] : []),
    ...(usesAuths(manifest)
      ? [t('Sign in there with a step’s connector auth, without seeing its secrets')]
      : []),
    ...(files === 'none' ? [] : [t('Read files in the allowed folders')]),
    ...(files === 'write' ? [t('Write files in the allowed folders')] : []),
    ...(keepsValues ? [t('Keep its own values between runs')] : []),
  ]
}
