import { Cable, Globe, Mail, Workflow } from 'lucide-react'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that call something outside the flow. */
export const CALL_FACES = {
  connector_action: {
    label: 'Connector action',
    icon: Cable,
    group: 'call',
    purpose: 'Calls an API that a connector describes; reads all pages where it can',
    words: 'api app integration',
    refId: 'action',
    config: {},
    sample: { config: { connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5', action: 'list_contacts' } },
    summary: (config) => shown(config.action, 'choose an action'),
  },
  rest: {
    label: 'HTTP request',
    icon: Globe,
    group: 'call',
    purpose: 'Sends a request to any address',
    words: 'rest api fetch post get',
    refId: 'rest',
    config: { method: 'GET' },
    sample: { config: { method: 'GET', url: '{{ playground_url }}/page/orders' } },
    summary: (config) => `${shown(config.method, 'GET')} ${shown(config.url, 'no address yet')}`,
  },
  run_flow: {
    label: 'Run another flow',
    icon: Workflow,
    group: 'call',
    purpose: 'Starts another flow and can wait for its result',
    words: 'subflow call flow execute workflow',
    refId: 'subflow',
    config: {},
    sample: {
      config: { flow_id: '{{ web1.flow_id }}', input: { order: '{{ web1.order }}' }, wait: true },
    },
    summary: (config) => (config.wait === false ? 'does not wait' : 'waits for its result'),
  },
  send_email: {
    label: 'Send a mail',
    icon: Mail,
    group: 'call',
    purpose: 'Sends a mail by a mail server',
    words: 'email smtp notify',
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
    summary: (config) => `to ${shown(config.to, '…')}`,
  },
} as const satisfies Readonly<Record<string, StepFace>>
