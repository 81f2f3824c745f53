import { Plus, X } from '../../lib/icons.tsx'
import type { Program } from '../../../shared/contract/settings.ts'
import { faultInList, fieldsOf } from '../../api/failure.ts'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { Field, Switch, TextArea, TextInput } from '../../components/controls/field.tsx'
import { Card } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'
import { LinesSetting, NumberSetting, type SettingsDraft } from './setting-fields.tsx'

/** The programs that steps can run. */
export function ProgramsCard({ shown, failure, set }: SettingsDraft) {
  const { programs } = shown
  const replace = (at: number, patch: Partial<Program>) =>
    set({ programs: programs.map((one, index) => (index === at ? { ...one, ...patch } : one)) })
  return (
    <Card
      stacked
      title={t('Programs')}
      aside={
        <Button look="quiet" icon={Plus} onClick={() => set({ programs: [...programs, NEW] })}>
          {t('Add program')}
        </Button>
      }
    >
      <p className="text-muted">
        {t('Steps can run only these programs, without a shell. Access tokens can’t change this list.')}
      </p>
      {fieldsOf(failure)['programs'] === undefined ? null : (
        <p className="text-error">{faultInList(failure, 'programs')}</p>
      )}
      {programs.map((program, index) => (
        // Programs are identified only by their position while they are typed.
        <ProgramFields
          key={index}
          program={program}
          faultOf={(field) => faultInList(failure, `programs[${index}].${field}`)}
          onChange={(patch) => replace(index, patch)}
          onRemove={() => set({ programs: programs.filter((_one, at) => at !== index) })}
        />
      ))}
    </Card>
  )
}

/** The sources of secrets besides the vaults in the list of programs. */
export function VaultsCard(draft: SettingsDraft) {
  return (
    <Card stacked title={t('Secrets from vaults')}>
      <p className="text-muted">
        {t(
          'Millrace can read the secrets of connector auths when a call needs them: with the programs op, bw, pass, security and secret-tool if they are listed as “Only for secrets”, from files that only you can read, and from these variables. Access tokens can’t change any of this.',
        )}
      </p>
      <LinesSetting
        {...draft}
        name="secret_environment"
        label={t('Environment variables with secrets')}
        hint={t('Names, one per line, for example SHOP_TOKEN.')}
      />
      <NumberSetting
        {...draft}
        name="secret_cache_seconds"
        label={t('Reuse a secret for (seconds)')}
        hint={t('Enter 0 to read the secret again each time it’s used.')}
      />
    </Card>
  )
}

const NEW: Program = {
  name: '',
  path: '',
  arguments: [],
  folder: null,
  environment: [],
  step_environment: [],
}

interface ProgramFieldsProps {
  readonly program: Program
  readonly faultOf: (field: keyof Program) => string | undefined
  readonly onChange: (patch: Partial<Program>) => void
  readonly onRemove: () => void
}

function ProgramFields({ program, faultOf, onChange, onRemove }: ProgramFieldsProps) {
  const { name } = program
  const lines = (field: 'arguments' | 'environment' | 'step_environment', label: string, hint: string) => (
    <Field label={label} optional hint={hint} error={faultOf(field)}>
      <TextArea
        mono
        value={program[field].join('\n')}
        onChange={(text) => onChange({ [field]: text.split('\n') })}
        onBlur={() => onChange({ [field]: program[field].filter((line) => line.trim() !== '') })}
      />
    </Field>
  )
  return (
    <div
      role="group"
      aria-label={t('Program {{name}}', { name })}
      className="flex flex-col gap-3 rounded border border-line p-3"
    >
      <div className="flex items-start gap-2">
        <Field label={t('Name')} error={faultOf('name')} className="w-48">
          <TextInput value={name} placeholder="pandoc" onChange={(text) => onChange({ name: text })} />
        </Field>
        <Field label={t('Full path of the program')} error={faultOf('path')} className="flex-1">
          <TextInput
            mono
            value={program.path}
            placeholder="/usr/bin/pandoc"
            onChange={(path) => onChange({ path })}
          />
        </Field>
        <IconButton label={t('Remove program {{name}}', { name })} icon={X} onClick={onRemove} />
      </div>
      {lines(
        'arguments',
        t('Fixed arguments'),
        t('Enter one per line. {} is replaced by an argument of the step. Further arguments go at the end.'),
      )}
      <Field
        label={t('Folder it runs in')}
        optional
        hint={t('Leave empty to use the folder for temporary files.')}
        error={faultOf('folder')}
      >
        <TextInput
          mono
          value={program.folder ?? ''}
          onChange={(folder) => onChange({ folder: folder === '' ? null : folder })}
        />
      </Field>
      {lines(
        'environment',
        t('Passed environment variables'),
        t(
          'Names, one per line, for example PATH. The program gets no other variables from Millrace’s environment.',
        ),
      )}
      {lines(
        'step_environment',
        t('Environment variables that steps set'),
        t('Enter one name per line, for example API_KEY.'),
      )}
      <Switch
        label={t('Only for secrets')}
        hint={t('Millrace reads secrets with it, and steps can’t run it.')}
        checked={program.for_secrets === true}
        onChange={(isOnly) => onChange({ for_secrets: isOnly })}
      />
    </div>
  )
}
