import { englishOf, type Said, say } from '@millrace/jinja/said'
import type { FormPart } from './form-part.ts'
import { shownText } from './open-text.ts'
import { placeholder, toTemplate, type TemplateOptions } from './template-text.ts'

/** Parts with the same name become a list. */
export function fieldsOf(
  parts: readonly FormPart[],
  notes: Said[],
  options: TemplateOptions,
): Record<string, unknown> {
  const fields = new Map<string, unknown[]>()
  let last = ''
  for (const part of parts) {
    if (fields.has(part.name) && last !== part.name)
      notes.push(say`Millrace sends the parts named ${part.name} one after the other`)
    last = part.name
    fields.set(part.name, [...(fields.get(part.name) ?? []), fieldOf(part, options)])
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

function fieldOf(
  { name, content, file, filename, contentType, problems }: FormPart,
  options: TemplateOptions,
): unknown {
  const blocks = name === '' ? [...problems, say`a part without a name`] : problems
  if (blocks.length > 0)
    return placeholder(`${blocks.map(englishOf).join(' and ')}, which a form of Millrace can't have`)
  const extras = {
    ...(contentType === '' ? {} : { content_type: toTemplate(contentType, options) }),
    ...(filename === '' ? {} : { filename: toTemplate(filename, options) }),
  }
  if (file !== null) {
    const own = shownText(file).split(/[/\\]/).at(-1) ?? ''
    return { ...fileOf(shownText(file)), filename: own, ...extras }
  }
  const text = toTemplate(content, options)
  return Object.keys(extras).length === 0 ? text : { content: text, ...extras }
}

export const fileOf = (path: string) => ({
  file_id: placeholder(
    `the file ${path}, which is on the computer of the command: enter the file_id of a file that is here`,
  ),
})
