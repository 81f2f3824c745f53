import { say } from '../../../../../shared/contract/base/message.ts'
import { CsvError } from '@millrace/jinja/csv'
import { type Data, UnknownCharsetError } from '@millrace/jinja/data'
import { shortText } from './read-input.ts'
import type { StoredFile } from '../../model/ports.ts'
import type { StepScope } from '../../model/compiled-step.ts'
import { XmlError } from '@millrace/jinja/xml'

export interface TextSource {
  readonly text?: string | undefined
  readonly file_id?: string | null | undefined
}

/**
 * The string that a step works on: its own, or the content of a file.
 *
 * @throws StepError if there is neither, it is too long, or its bytes don't match the charset
 */
export function readText(source: TextSource, scope: StepScope, decode: (file: StoredFile) => string): string {
  if (source.file_id) return fileText(source.file_id, scope, decode)
  const value = scope.evaluate('config.text', source.text ?? '')
  if (typeof value !== 'string') {
    throw scope.fail(
      'validation',
      say('"text" must be a string, got {{shortText}}', { shortText: shortText(value) }),
      {
        field: 'config.text',
      },
    )
  }
  return checkLength(value, 'text', scope)
}

function fileText(source: string, scope: StepScope, decode: (file: StoredFile) => string): string {
  const field = 'config.file_id'
  const file = openStoredFile(scope.evaluate(field, source), field, scope)
  try {
    return checkLength(decode(file), 'file_id', scope)
  } catch (error) {
    if (error instanceof UnknownCharsetError) {
      throw scope.fail(
        'validation',
        say('the file "{{name}}": {{reason}}', { name: file.filename, reason: error.said }),
        { field },
      )
    }
    if (error instanceof TypeError) {
      throw scope.fail(
        'validation',
        say('the file "{{name}}" isn\'t in the charset it is read as', { name: file.filename }),
        {
          field,
        },
      )
    }
    throw error
  }
}

/** @throws StepError if there is no such file */
export function openStoredFile(id: Data, field: string, scope: StepScope): StoredFile {
  const file = typeof id === 'string' ? scope.ports.readFile(id.trim()) : null
  if (file) return file
  throw scope.fail(
    'not_found',
    say('there is no file {{file}}; use the "file_id" of a file that was uploaded or received', {
      file: shortText(id),
    }),
    { field },
  )
}

/** Converts a parser's error to a failure of the step. */
export function asTextFailure(error: unknown, source: TextSource, scope: StepScope): unknown {
  if (!(error instanceof CsvError || error instanceof XmlError)) return error
  const column = error instanceof XmlError ? error.column : null
  const name = source.file_id ? 'file_id' : 'text'
  return scope.fail(
    'validation',
    say('"{{name}}" can\'t be read. {{reason}}', { name, reason: error.said }),
    {
      field: `config.${name}`,
      line: error.line,
      column,
    },
  )
}

function checkLength(text: string, name: string, scope: StepScope): string {
  if (text.length <= MOST_CHARACTERS) return text
  throw scope.fail(
    'too_large',
    say('"{{name}}" has {{length}} characters; the limit is {{limit}}. Split it before this step', {
      name,
      length: text.length,
      limit: MOST_CHARACTERS,
    }),
    { field: `config.${name}` },
  )
}

const MOST_CHARACTERS = 20_000_000
