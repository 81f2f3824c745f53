import { ListTree } from '../../../lib/icons.tsx'
import { Button } from '../../controls/button.tsx'
import { Menu } from '../../controls/menu.tsx'
import { t } from '../../../lib/i18n.ts'
import { writeConfig } from '../state/config-text.ts'
import { useCallConnector } from '../state/pagination-store.ts'
import { PRESETS } from './presets.ts'

/** Configurations to start from: the connector's own, and the eight usual styles. */
export function PresetMenu({ onChoose }: { readonly onChoose: (configText: string) => void }) {
  const connector = useCallConnector()
  const own = connector?.pagination_config ?? null
  return (
    <Menu
      trigger={
        <Button look="quiet" icon={ListTree} className="h-6">
          {t('Presets')}
        </Button>
      }
      groups={[
        ...(connector === null || own === null
          ? []
          : [
              [
                {
                  label: t('Configuration of {{name}}', { name: connector.name }),
                  hint: t('As saved'),
                  onSelect: () => onChoose(writeConfig(own)),
                },
              ],
            ]),
        PRESETS.map(({ label, hint, config }) => ({
          label: t(label),
          hint: t(hint),
          onSelect: () => onChoose(writeConfig(config)),
        })),
      ]}
    />
  )
}
