import { afterAll, describe, expect, test } from 'vitest'
import { STEP_TYPES, TRIGGER_TYPES } from '../../../../src/shared/contract/step-types/index.ts'
import { findStepTypes } from '../../../../src/renderer/features/flows/step-types/find-step-types.ts'
import { setLanguage } from '../../../../src/renderer/lib/i18n.ts'

const LATER_STEPS = STEP_TYPES.filter((type) => !TRIGGER_TYPES.includes(type))

/** What somebody wants of the first step of a flow. */
const STARTS = {
  en: {
    'every new mail': 'imap_trigger',
    'new e-mails': 'imap_trigger',
    'when an email arrives': 'imap_trigger',
    'when a file appears': 'folder_trigger',
    'watch a folder': 'folder_trigger',
    'new row in a database': 'sql_trigger',
    'new order': 'list_trigger',
    rss: 'list_trigger',
    'every day': 'schedule',
    'every hour': 'schedule',
    'contact form': 'form_trigger',
    'receive a webhook': 'webhook',
  },
  de: {
    'jede neue Mail': 'imap_trigger',
    'wenn eine E-Mail eintrifft': 'imap_trigger',
    'wenn eine Datei erscheint': 'folder_trigger',
    'neue Zeile in der Datenbank': 'sql_trigger',
    'neue Bestellung': 'list_trigger',
    'jeden Tag': 'schedule',
    Formular: 'form_trigger',
    'Webhook empfangen': 'webhook',
  },
} as const

/** And of the later ones. */
const STEPS = {
  en: {
    'ask for approval': 'ask_person',
    'approve with a button': 'ask_person',
    'save to a database': 'write_records',
    'query a database': 'sql',
    excel: 'csv_parse',
    'export to excel': 'csv_write',
    'send an email': 'send_email',
    'send mail': 'send_email',
    'call an api': 'connector_action',
    'http request': 'rest',
    'run a script': 'run_program',
    python: 'run_program',
    javascript: 'code',
    'scrape a website': 'html_extract',
    'html to markdown': 'markdown',
    'look up in a table': 'data_table',
    'remember a value': 'key_value',
    'wait until tomorrow': 'delay',
    'for each': 'loop',
    if: 'condition',
    'if else': 'condition',
    'save a file': 'file_write',
    parquet: 'write_records',
    'another flow': 'run_flow',
    loop: 'loop',
    stop: 'stop',
    csv_write: 'csv_write',
  },
  de: {
    'Freigabe einholen': 'ask_person',
    'um Genehmigung fragen': 'ask_person',
    'in Datenbank speichern': 'write_records',
    'Datenbank abfragen': 'sql',
    Excel: 'csv_parse',
    'nach Excel exportieren': 'csv_write',
    'E-Mail senden': 'send_email',
    'Mail schicken': 'send_email',
    'Programm starten': 'run_program',
    'Webseite auslesen': 'html_extract',
    'in einer Tabelle nachschlagen': 'data_table',
    'Wert merken': 'key_value',
    warten: 'delay',
    'für jeden Eintrag': 'loop',
    wenn: 'condition',
    'Datei speichern': 'file_write',
    'send email': 'send_email',
  },
} as const

const SEARCHES = [
  ['en', STEP_TYPES, STARTS.en],
  ['en', LATER_STEPS, STEPS.en],
  ['de', STEP_TYPES, STARTS.de],
  ['de', LATER_STEPS, STEPS.de],
] as const

describe('what somebody wants finds the step type for it first', () => {
  afterAll(() => setLanguage('en'))

  test.each(SEARCHES)('in %s', async (language, types, wanted) => {
    await setLanguage(language)
    const found = Object.keys(wanted).map((query) => [query, findStepTypes(types, query)[0]])
    expect(Object.fromEntries(found)).toEqual(wanted)
  })
})

test('words that no step type has find nothing, and filling words decide nothing', () => {
  expect(findStepTypes(STEP_TYPES, 'zebra')).toEqual([])
  expect(findStepTypes(STEP_TYPES, 'with a zebra')).toEqual([])
  expect(findStepTypes(STEP_TYPES, 'I want to parse xml')).toEqual(findStepTypes(STEP_TYPES, 'parse xml'))
})
