/**
 * One rule for the text that targets can store, whatever each of them allows: no NUL, and no halves of surrogate pairs.
 */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isList,
  writeJson,
} from '@millrace/jinja/data'
import type { SinkNote } from '../../../engine/flow/model/ports.ts'

export interface Storable {
  /** The record as it can be stored, and its JSON. */
  of(record: Dictionary): { readonly record: Dictionary; readonly json: string }
  notes(columns: readonly Said[]): readonly SinkNote[]
}

export function createStorable(): Storable {
  let replaced = 0
  return {
    of(record) {
      const json = writeJson(record)
      // In JSON, both are escapes. After another backslash, the same characters are text and stay.
      if (!SUSPECT.test(json)) return { record, json }
      const clean = cleanData(record) as Dictionary
      const text = writeJson(clean)
      if (text === json) return { record, json }
      replaced++
      return { record: clean, json: text }
    },
    notes: (columns) => [
      ...columns.map((said) => ({ code: 'columns_changed', said }) as const),
      ...(replaced === 0
        ? []
        : [
            {
              code: 'text_replaced',
              said: say(
                'In {{count}} record(s), characters that tables and files can\'t hold (NUL, halves of surrogate pairs) were replaced by "\ufffd"',
                { count: replaced },
              ),
            } as const,
          ]),
    ],
  }
}

function cleanData(value: Data): Data {
  if (typeof value === 'string') return cleanText(value)
  if (isList(value)) return value.map(cleanData)
  if (!isDictionary(value)) return value
  return dictionaryOf(entriesOf(value).map(([key, one]) => [cleanText(key), cleanData(one)]))
}

const cleanText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

const SUSPECT = /\\u(?:0000|d[89a-f])/i
