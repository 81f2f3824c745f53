import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { type FieldSource, formatFields } from '../format/str-format.ts'
import { Dict } from '../values/containers.ts'
import type { Value } from '../base/value.ts'

/** `str.format` reads attributes and items of its values, by the very rules of the language. */
export function createFormatMethods(
  access: Pick<FieldSource, 'attribute' | 'item'>,
): readonly Operation<string>[] {
  const format = (text: string, positional: readonly Value[], named: (name: string) => Value | undefined) =>
    formatFields(text, { positional, named, ...access })
  return [
    operation(
      'format',
      '*args, **kwargs',
      "Fills fields: '{} of {n}'.format(1, n=2).",
      (text, _args, extra) => format(text, extra.rest, (name) => extra.names.get(name)),
    ),
    operation('format_map', 'mapping, /', 'Fills fields from a dictionary.', (text, [mapping]) =>
      format(text, [], (name) => (mapping instanceof Dict ? mapping.getText(name) : undefined)),
    ),
  ]
}
