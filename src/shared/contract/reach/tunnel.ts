/** The public URL: that of a tunnel that Millrace keeps open, or the user's own URL. */
import { withValue } from '../base/message.ts'
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { text, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'

export const TUNNEL_PROVIDERS = ['cloudflared', 'ngrok', 'ssh', 'own'] as const
export type TunnelProviderName = (typeof TUNNEL_PROVIDERS)[number]

export const TUNNEL_STATES = ['off', 'starting', 'on', 'failing'] as const
export type TunnelState = (typeof TUNNEL_STATES)[number]

const port = z.int().min(1).max(65_535)
const httpUrl = text(2_000).regex(/^https?:\/\/[^/?#\s]+\/?$/i, 'must be http(s)://host, without a path')

export const tunnelSettings = z.strictObject({
  provider: z
    .enum(TUNNEL_PROVIDERS)
    .describe(
      '`cloudflared`: the program on the PATH; `ngrok`: the package `@ngrok/ngrok`; `ssh`: remote forwarding of an SSH server; `own`: a URL that already leads here.',
    ),
  local_port: port
    .nullable()
    .describe(
      'Port on this computer that the tunnel leads to, for webhooks only. Null means any free one. A named Cloudflare tunnel and your own proxy need a fixed one.',
    )
    .meta({ examples: [null] }),
  off_after_minutes: z
    .int()
    .min(1)
    .max(525_600)
    .nullable()
    .meta(doc('Minutes after which the public URL is turned off. Null means never.', 60)),
  copy_port: port
    .nullable()
    .describe(
      'Port on this computer that gets a copy of each received request, whether or not it is accepted. Null means none.',
    )
    .meta({ examples: [null] }),
  cloudflared_url: httpUrl
    .nullable()
    .describe(
      'Public URL of a named Cloudflare tunnel. Null for a quick tunnel, which gets a new URL at each start.',
    )
    .meta({ examples: [null] }),
  ngrok_domain: text(255)
    .nullable()
    .meta(doc('Domain of your ngrok account. Null means the one that ngrok assigns.', null)),
  ssh_host: text(255).meta(doc('Host name or IP address of the SSH server.', 'tunnel.example.com')),
  ssh_port: port.meta(doc('Port of the SSH server.', 22)),
  ssh_username: text(255).meta(doc('User who logs in to the SSH server.', 'ada')),
  ssh_host_key: text(200)
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be a fingerprint that begins with SHA256:')
    .nullable()
    .describe(
      'Fingerprint of the host key that you accepted. Null means none yet; the tunnel stays closed until you accept `offered_host_key`. Another `ssh_host` or `ssh_port` clears it.',
    )
    .meta({ examples: ['SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8'] }),
  ssh_bind_address: text(255)
    .describe("Address that the SSH server binds. Leave empty for all of the server's, if it permits that.")
    .meta({ examples: ['localhost'] }),
  ssh_bind_port: z
    .int()
    .min(0)
    .max(65_535)
    .describe('Port that the SSH server binds. 0 lets it choose one. Services such as localhost.run need 80.')
    .meta({ examples: [80] }),
  ssh_url: text(2_000)
    .regex(
      /^https?:\/\/[^/?#\s]+\/?$/i,
      'must be http(s)://host, without a path; {port} stands for the bound port',
    )
    .nullable()
    .describe(
      'Public URL of that port; `{port}` is replaced with its number. Null means the URL that the server prints after login.',
    )
    .meta({ examples: ['https://hooks.example.com'] }),
  own_url: httpUrl
    .nullable()
    .meta(doc('Public URL that leads to `local_port`, through a proxy of your own.', null)),
  own_header: text(100)
    .regex(/^[a-z][a-z0-9-]*$/, withValue('must be the name of a header in lower case'))
    .nullable()
    .describe(
      "Header in which that proxy passes on the caller's IP address. Null means none, so all callers share one rate limit.",
    )
    .meta({ examples: ['x-forwarded-for'] }),
})
export type TunnelSettings = z.output<typeof tunnelSettings>

export const DEFAULT_TUNNEL_SETTINGS: TunnelSettings = {
  provider: 'cloudflared',
  local_port: null,
  off_after_minutes: null,
  copy_port: null,
  cloudflared_url: null,
  ngrok_domain: null,
  ssh_host: '',
  ssh_port: 22,
  ssh_username: '',
  ssh_host_key: null,
  ssh_bind_address: '',
  ssh_bind_port: 80,
  ssh_url: null,
  own_url: null,
  own_header: null,
}

export const TUNNEL_SECRETS = [
  'cloudflared_token',
  'ngrok_token',
  'ssh_password',
  'ssh_private_key',
  'ssh_passphrase',
] as const
export type TunnelSecret = (typeof TUNNEL_SECRETS)[number]

const secret = text(20_000).nullable()

const change = tunnelSettings.partial().extend({
  cloudflared_token: secret.optional().describe('Token of a named Cloudflare tunnel. Null removes it.'),
  ngrok_token: secret.optional().describe('Authtoken of your ngrok account. Null removes it.'),
  ssh_password: secret.optional().describe('Password for the SSH server. Null removes it.'),
  ssh_private_key: secret.optional().describe('Private key for the SSH server, as text. Null removes it.'),
  ssh_passphrase: secret.optional().describe('Passphrase of that key. Null removes it.'),
})
export type TunnelChange = z.output<typeof change>

export const tunnel = z.object({
  state: z
    .enum(TUNNEL_STATES)
    .meta(doc('`failing`: there is no public URL now; Millrace tries again at `retry_at`.', 'on')),
  public_url: z
    .string()
    .nullable()
    .describe('Base URL at which others reach webhooks. Null unless the state is `on`.')
    .meta({ examples: ['https://quiet-river.trycloudflare.com'] }),
  since: timestamp
    .nullable()
    .describe('Since when it has this URL, in UTC. Null unless the state is `on`.')
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  ends_at: timestamp
    .nullable()
    .meta(doc('When it is turned off, in UTC. Null means never.', '2026-03-01T13:00:00.000Z')),
  problem: z
    .object({
      message: z.string().meta(doc('What is wrong.', 'cloudflared is not on the PATH')),
      hint: z.string().meta(doc('What to do.', 'Install cloudflared, then start the tunnel again')),
    })
    .nullable()
    .meta(doc('Why it is failing. Null otherwise.', null)),
  retry_at: timestamp
    .nullable()
    .meta(doc('When it is tried again, in UTC. Null unless it is failing.', null)),
  offered_host_key: z
    .string()
    .nullable()
    .describe(
      'Fingerprint that the SSH server presented instead of the accepted one. To accept it, save it as `ssh_host_key`. Null if there is none.',
    )
    .meta({ examples: [null] }),
  local_url: z
    .string()
    .nullable()
    .meta(doc('Where the tunnel leads on this computer. Null while it is off.', 'http://127.0.0.1:49152')),
  test: z
    .object({
      ok: z
        .boolean()
        .nullable()
        .describe('Whether the latest test through the public URL arrived here. Null before the first one.')
        .meta({ examples: [true] }),
      answered_at: timestamp
        .nullable()
        .meta(doc('When a test last arrived, in UTC. Null if none has.', '2026-03-01T12:05:00.000Z')),
      message: z.string().nullable().meta(doc("Why the latest one didn't. Null if it did.", null)),
    })
    .describe('The test through the public URL, once a minute.'),
  copies: z
    .object({
      sent: z.int().describe('Copies that the local port accepted since the start.'),
      failed: z.int().describe("Copies that the local port didn't accept."),
      message: z.string().nullable().meta(doc("Why the latest one failed. Null if it didn't.", null)),
    })
    .describe('Copies of requests to `copy_port`.'),
  exposed: z
    .array(
      z.object({
        flow_id: z.string().describe('ID of the flow.'),
        name: z.string().meta(doc('Name of the flow.', 'Receive an order')),
        url: z
          .string()
          .describe('URL of its webhook, public if there is a public URL.')
          .meta({
            examples: [
              'https://quiet-river.trycloudflare.com/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7',
            ],
          }),
        protection: z
          .array(z.enum(['token', 'signature']))
          .meta(doc('What callers need. If empty, anyone who knows the URL can run the flow.', ['token'])),
      }),
    )
    .describe(
      'The flows that others can run through the public URL: those with a webhook that are not paused.',
    ),
  settings: tunnelSettings.describe('How the public URL is made.'),
  secrets: z
    .partialRecord(z.enum(TUNNEL_SECRETS), z.literal(true))
    .meta(doc('Which secrets are stored. They are never returned.', { ngrok_token: true })),
})
export type Tunnel = z.output<typeof tunnel>

export const readTunnelRoute = defineRoute({
  method: 'GET',
  path: '/v1/tunnel',
  summary: 'Read the state of the public URL, when it last responded, and what is exposed',
  access: can('settings', 'read'),
  status: 200,
  result: tunnel,
})

export const updateTunnelRoute = defineRoute({
  method: 'PUT',
  path: '/v1/tunnel',
  summary:
    'Change how the public URL is made; absent keys stay as they are, and a tunnel that is on starts again',
  access: 'session',
  status: 200,
  body: change,
  result: tunnel,
})

export const startTunnelRoute = defineRoute({
  method: 'POST',
  path: '/v1/tunnel/start',
  name: 'start_tunnel',
  summary:
    'Switch the public URL on, with changed settings if there are any; it comes back with each start of Millrace',
  access: 'session',
  status: 200,
  body: change,
  bodyOptional: true,
  result: tunnel,
})

export const stopTunnelRoute = defineRoute({
  method: 'POST',
  path: '/v1/tunnel/stop',
  name: 'stop_tunnel',
  summary: 'Turn off the public URL',
  access: 'session',
  status: 200,
  result: tunnel,
})

export const tunnelRoutes = {
  readTunnelRoute,
  updateTunnelRoute,
  startTunnelRoute,
  stopTunnelRoute,
}
