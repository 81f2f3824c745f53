import { Cable, Database, Globe, Mail, SquareTerminal, Workflow } from '../../../lib/icons.tsx'
import { english, t } from '../../../lib/i18n.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Steps that call something outside the flow. */
export const CALL_FACES = {
  connector_action: {
    label: english('Connector action'),
    icon: Cable,
    group: 'calls',
    purpose: english('Calls a connector’s API and can read all pages'),
    words: english('api app integration service call slack sheets github notion'),
    refId: 'action',
    config: {},
    sample: { config: { connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5', action: 'list_contacts' } },
    summary: (config) => shown(config.action, t('choose an action')),
  },
  rest: {
    label: english('HTTP request'),
    icon: Globe,
    group: 'calls',
    purpose: english('Sends a request to any URL'),
    words: english('rest api call fetch post get curl url'),
    refId: 'rest',
    config: { method: 'GET' },
    sample: { config: { method: 'GET', url: '{{ playground_url }}/orders' } },
    summary: (config) => `${shown(config.method, 'GET')} ${shown(config.url, t('no URL yet'))}`,
  },
  run_flow: {
    label: english('Run another flow'),
    icon: Workflow,
    group: 'calls',
    purpose: english('Starts another flow and can wait for its result'),
    words: english('subflow call flow execute workflow'),
    refId: 'subflow',
    config: {},
    sample: {
      config: { flow_id: '{{ web1.flow_id }}', input: { order: '{{ web1.order }}' }, wait: true },
    },
    summary: (config) => (config.wait === false ? t('does not wait') : t('waits for its result')),
  },
  send_email: {
    label: english('Send email'),
    icon: Mail,
    group: 'calls',
    purpose: english('Sends an email via SMTP'),
    words: english('email smtp notify message'),
    refId: 'mail',
    config: {},
    sample: {
      config: {
        auth_id: '{{ web1.auth_id }}',
        to: '{{ web1.email }}',
        subject: 'Order {{ web1.order_id }}',
        text: 'Thank you for your order.',
      },
    },
    summary: (config) => t('to {{address}}', { address: shown(config.to, '…') }),
  },
  run_program: {
    label: english('Run a program'),
    icon: SquareTerminal,
    group: 'calls',
    purpose: english('Runs a program on this computer'),
    words: english('shell script command execute exec process terminal bash python cli tool powershell'),
    refId: 'program',
    config: {},
    sample: { config: { program: 'pandoc', arguments: ['--', '{{ web1.file }}'] } },
    summary: (config) => shown(config.program, t('choose a program')),
  },
  sql: {
    label: english('SQL'),
    icon: Database,
    group: 'calls',
    purpose: english('Queries SQLite, PostgreSQL or MySQL'),
    words: english('database query select insert update postgres postgresql mysql mariadb sqlite table rows'),
    refId: 'query',
    config: {},
    sample: {
      config: {
        file: 'shop.db',
        statement: 'SELECT * FROM orders WHERE id = ?',
        parameters: ['{{ web1.id }}'],
      },
    },
    summary: (config) => shown(config.statement, t('no statement yet')),
  },
} as const satisfies Readonly<Record<string, StepFace>>
