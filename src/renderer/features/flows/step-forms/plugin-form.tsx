import { Link } from '@tanstack/react-router'
import { z } from 'zod'
import { connectorOfField, type PluginField } from '../../../../shared/contract/plugins/manifest.ts'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import type { FieldFace } from '../../../../shared/contract/step-types/parts/step-type.ts'
import { english, t } from '../../../lib/i18n.ts'
import { TriangleAlert } from '../../../lib/icons.tsx'
import { AuthField } from '../fields/auth-field.tsx'
import { FormControl, FormFields } from '../fields/form-fields.tsx'
import { asDictionary, asTemplate, type StepFormProps } from '../fields/form-props.ts'
import { TemplateDictionary } from '../fields/template-field.tsx'
import { partOf } from '../../../components/plugins/plugin-parts.ts'
import { usePlugins } from '../state/editor-context.tsx'

/** The fields that the manifest of the plug-in names; if it can't be used, all of them are plain fields. */
export function PluginForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  const plugins = usePlugins()
  const named = partOf(step, plugins)
  if (plugins === null) return null
  if (named?.plugin.status !== 'ready')
    return (
      <>
        <Unready name={asTemplate(config.plugin)} />
        <FormFields {...props} />
      </>
    )
  const { fields } = named.part
  const { manifest } = named.plugin
  const input = asDictionary(config.input)
  const own = new Set(fields.map(({ name }) => name))
  const others = Object.keys(input).filter((name) => !own.has(name))
  const change = (name: string, value: unknown) =>
    onChange({
      input: { ...without(input, [name]), ...(value === undefined ? {} : { [name]: value }) },
    })
  return (
    <>
      {fields.map((field) => {
        const value = Object.hasOwn(input, field.name) ? input[field.name] : undefined
        const name = `input.${field.name}`
        if (field.kind === 'auth')
          return (
            <AuthField
              key={name}
              refId={step.ref_id}
              label={field.label}
              required={field.required}
              {...(manifest === null ? {} : { connectorId: connectorOfField(manifest, field) })}
              value={config.auth_id}
              error={errorOf('auth_id')}
              onChange={(id) => onChange({ auth_id: id ?? undefined })}
            />
          )
        return (
          <FormControl
            {...props}
            key={name}
            name={name}
            face={faceOfField(field, value)}
            schema={schemaOf(field)}
            config={{ [name]: value }}
            onChange={(patch) => change(field.name, patch[name])}
          />
        )
      })}
      {others.length === 0 ? null : (
        <TemplateDictionary
          refId={step.ref_id}
          field="config.input"
          typed
          label={t('Other input')}
          noun={t('value')}
          error={others.map((name) => errorOf(`input.${name}`)).find((error) => error !== undefined)}
          value={without(input, [...own])}
          onChange={(rest) => onChange({ input: { ...without(input, others), ...rest } })}
        />
      )}
      <FormFields
        {...props}
        only={Object.keys(definitionOf(step.type)?.fields ?? {}).filter((name) => !OF_PART.has(name))}
      />
    </>
  )
}

/** The keys that select the part, and its input. */
const OF_PART = new Set(['plugin', 'step', 'trigger', 'hash', 'input', 'auth_id'])

function without(input: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
}

/** Explains why the plug-in's own form isn't shown, and where to change that. */
function Unready({ name }: { readonly name: string }) {
  const plugin = usePlugins()?.find((one) => one.name === name)
  if (name === '' || plugin?.status === 'ready') return null
  const reasons = {
    unconfirmed: t('Nobody has confirmed this plug-in yet. The step fails until somebody does.'),
    changed: t(
      'The files of this plug-in have changed since it was confirmed. The step fails until it is confirmed again.',
    ),
    broken: t('This plug-in is broken. The step fails.'),
    missing: t('This plug-in is missing. The step fails until it is added and confirmed.'),
  }
  return (
    <div className="flex items-start gap-2 rounded border border-line bg-retrying-soft px-3 py-2">
      <TriangleAlert size={14} aria-hidden className="mt-1 shrink-0 text-retrying" />
      <p className="min-w-0 flex-1">
        {reasons[plugin?.status ?? 'missing']}{' '}
        <Link to="/plugins" search={{ plugin: name }} className="text-accent-text underline">
          {t('Open plug-in')}
        </Link>
      </p>
    </div>
  )
}

function faceOfField(field: PluginField, value: unknown): FieldFace {
  const { label, hint, required, default: initial, options = {} } = field
  const isOptional = !required || initial !== undefined
  const placeholder = field.placeholder ?? (initial === undefined ? undefined : asTemplate(initial))
  return {
    label: english(label),
    ...(hint === undefined ? {} : { hint: english(hint) }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(isOptional ? { optional: true } : {}),
    ...CONTROL_OF[field.kind === 'switch' && typeof value === 'string' ? 'template' : field.kind],
    ...(field.kind === 'choice'
      ? {
          options: {
            ...(isOptional && initial === undefined ? { '': english('None') } : {}),
            ...(options as Record<string, never>),
          },
          ...(typeof initial === 'string' ? { initial } : {}),
        }
      : {}),
  }
}

const CONTROL_OF: { readonly [K in PluginField['kind']]: Partial<FieldFace> } = {
  template: { kind: 'template' },
  text: { kind: 'template', preview: 'text' },
  lines: { kind: 'template', preview: 'text', rows: 4 },
  number: { kind: 'template', number: true },
  choice: { kind: 'choice' },
  switch: { kind: 'switch' },
  json: { kind: 'json', orText: true },
  dictionary: { kind: 'dictionary', noun: english('value') },
  auth: { kind: 'auth' },
}

/** Its default, which the controls show. */
const schemaOf = ({ default: initial }: PluginField) => z.unknown().default(initial)
