import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Action, Connector } from '../../../../src/shared/contract/connectors.ts'
import type { FlowSample } from '../../../../src/shared/contract/flow-samples.ts'
import { STEP_TYPES, TRIGGER_TYPES } from '../../../../src/shared/contract/step-types/index.ts'
import { catalogueOf, type Entry, typeEntry } from '../../../../src/renderer/components/services/catalogue.ts'
import { groupFound, type MoreEntry } from '../../../../src/renderer/components/services/group-entries.ts'
import { createEntrySearch } from '../../../../src/renderer/components/services/find-entries.ts'
import { setLanguage } from '../../../../src/renderer/lib/i18n.ts'

const LATER_STEPS = STEP_TYPES.filter((type) => !TRIGGER_TYPES.includes(type))

/** What people want from the first step of a flow. */
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

/** What people want from later steps. */
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
    const { find } = createEntrySearch(types.map(typeEntry))
    const found = Object.keys(wanted).map((query) => [query, find(query)[0]?.id.slice('type '.length)])
    expect(Object.fromEntries(found)).toEqual(wanted)
  })
})

test('words that no step type has find nothing, and filling words decide nothing', () => {
  const { find } = createEntrySearch(STEP_TYPES.map(typeEntry))
  expect(find('zebra')).toEqual([])
  expect(find('with a zebra')).toEqual([])
  expect(find('I want to parse xml')).toEqual(find('parse xml'))
})

/** Searches the whole catalogue: all step types, bundled connectors and samples. */
const QUERIES = {
  en: {
    'hubspot contacts': 'HubSpot: List contacts',
    'contacts hubspot': 'HubSpot: List contacts',
    'hubspot new contact': 'HubSpot: Create a contact',
    hubspot: 'HubSpot: List contacts',
    hubspt: 'HubSpot: List contacts',
    'google drive': 'Google Drive: List files',
    'slack message': 'Slack: Send a message',
    slack: 'Slack: Send a message',
    'google sheets append': 'Google Sheets: Append rows',
    'sheet rows': 'Google Sheets: Append rows',
    'github issues': 'GitHub: List issues',
    'stripe customers': 'Stripe: List customers',
    'stripe refund': 'Stripe: Create a refund',
    'shopify orders': 'Shopify: List orders',
    'notion page': 'Notion: Create a page',
    'jira issue': 'Jira: Create an issue',
    'dropbox files': 'Dropbox: Search files',
    'calendar event': 'Google Calendar: List events',
    'telegram photo': 'Telegram: Send a photo',
    'openai chat': 'OpenAI: Create a chat completion',
    webhook: 'type webhook',
    'every day': 'type schedule',
    'send an email': 'type send_email',
    http: 'type rest',
    'for each': 'type loop',
    if: 'type condition',
    approval: 'type ask_person',
    'cursor pagination': 'sample cursor-pagination',
    'nightly report': 'sample nightly-report',
    'expense approval': 'sample expense-approval',
  },
  de: {
    'hubspot kontakte': 'HubSpot: List contacts',
    'kontakt anlegen hubspot': 'HubSpot: Create a contact',
    hubspot: 'HubSpot: List contacts',
    'slack nachricht': 'Slack: Send a message',
    'an slack senden': 'Slack: Send a message',
    'google tabelle zeilen': 'Google Sheets: Append rows',
    'github issues': 'GitHub: List issues',
    'stripe kunden': 'Stripe: List customers',
    'stripe rückerstattung': 'Stripe: Create a refund',
    'shopify bestellungen': 'Shopify: List orders',
    'notion seite erstellen': 'Notion: Create a page',
    'jira issue': 'Jira: Create an issue',
    'dropbox ordner': 'Dropbox: List a folder',
    kalender: 'Google Calendar: List calendars',
    'termin anlegen': 'Google Calendar: Create an event',
    'telegram foto': 'Telegram: Send a photo',
    'list contacts': 'HubSpot: List contacts',
    'mailchimp mitglieder': 'Mailchimp: List members',
    'zendesk ticket': 'Zendesk: Create a ticket',
    'asana aufgabe': 'Asana: Create a task',
    'jeden tag': 'type schedule',
    'E-Mail senden': 'type send_email',
    'jede neue Mail': 'type imap_trigger',
    Formular: 'type form_trigger',
    wenn: 'type condition',
    'Freigabe einholen': 'type ask_person',
    'in Datenbank speichern': 'type write_records',
    warten: 'type delay',
    Rechnungen: 'Stripe: List invoices',
    Spesenfreigabe: 'sample expense-approval',
  },
} as const

test.each(['en', 'de'] as const)(
  'of the whole catalogue, 29 of 30 searches in %s have what is meant among the first three',
  async (language) => {
    await setLanguage(language)
    const { find } = createEntrySearch(bundledCatalogue())
    const missed = Object.entries(QUERIES[language]).flatMap(([query, wanted]) => {
      const found = find(query).filter(({ kind }) => kind !== 'service')
      const first = groupFound(found)
        .flatMap(({ items }) => items.map(nameOf))
        .slice(0, 3)
      return first.includes(wanted) ? [] : [{ query, wanted, first }]
    })
    await setLanguage('en')
    expect(missed.slice(1)).toEqual([])
  },
)

const RESOURCES = join(import.meta.dirname, '../../../../resources')

function read(folder: string): readonly unknown[] {
  return readdirSync(join(RESOURCES, folder)).map((file): unknown => ({
    id: file.replace('.json', ''),
    ...(JSON.parse(readFileSync(join(RESOURCES, folder, file), 'utf8')) as object),
  }))
}

const NO_TEXTS = { tag: '', tags: [], short_description: '' }

function bundledCatalogue(): readonly Entry[] {
  const bundled = read('connectors') as readonly { id: string; connector: Connector; actions: Action[] }[]
  return catalogueOf({
    connectors: bundled.map(({ connector }) => ({ ...NO_TEXTS, ...connector, built_in: true })),
    actions: bundled.flatMap(({ connector, actions }) =>
      actions.map((action) => ({ ...NO_TEXTS, ...action, connector_id: connector.id })),
    ),
    plugins: [],
    samples: read('samples') as readonly FlowSample[],
  })
}

function nameOf(entry: Entry | MoreEntry): string {
  if (entry.kind === 'action') return `${entry.connector.name}: ${entry.action.title}`
  return entry.kind === 'service' ? `service ${entry.label}` : entry.id
}
