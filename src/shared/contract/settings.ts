import { withValue } from './base/message.ts'
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { alarmMail, alarmSettings, DEFAULT_ALARMS, eventHook } from './alarms.ts'
import { text } from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import { WHEN_IN_DOUBT } from './base/pagination-config.ts'
import { can, defineRoute } from './base/route.ts'

export const THEMES = ['system', 'light', 'dark'] as const

/** The language of the app; `system` follows the browser. */
export const LANGUAGES = ['system', 'en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const variableName = text(200).regex(
  /^[A-Za-z_][A-Za-z0-9_()]*$/,
  'must be the name of an environment variable',
)

const program = z.strictObject({
  name: text(60)
    .regex(/^[\w.+-][\w .+-]*$/, withValue('can only have letters, digits, spaces and . _ + -'))
    .describe('The name that steps use.'),
  path: text(1_000)
    .refine(isAbsolute, withValue('must be the full path of a program'))
    .refine(
      (path) => !/\.(?:bat|cmd)[. ]*$/i.test(path),
      "can't be a .bat or .cmd file, which Windows runs in a shell; name the program that it starts",
    )
    .describe('Full path of the program.'),
  arguments: z
    .array(text(4_000))
    .max(100)
    .default([])
    .describe(
      'Fixed arguments. `{}` in one is a place for an argument of the step; further ones are added at the end.',
    ),
  folder: text(1_000)
    .refine(isAbsolute, withValue('must be the full path of a folder'))
    .nullable()
    .default(null)
    .describe('Full path of the folder that it runs in. Null means the folder for temporary files.'),
  environment: z
    .array(variableName)
    .max(100)
    .default([])
    .describe("Variables of Millrace's own environment that it gets. No others are passed on."),
  step_environment: z
    .array(variableName)
    .max(100)
    .default([])
    .describe('Environment variables that steps can set.'),
  for_secrets: z
    .boolean()
    .optional()
    .describe(
      'If true, Millrace reads secrets with it, by the names `op`, `bw`, `pass`, `security` and `secret-tool`, and steps can never run it. Defaults to false.',
    ),
})
export type Program = z.output<typeof program>

export const settings = z.strictObject({
  webhook_rate_limit_requests: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe(
      'Webhook requests that one IP address can send per window, across all flows. Null means unlimited.',
    )
    .meta({ examples: [300] }),
  webhook_rate_limit_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .meta(doc('Length of that window in seconds, up to a day.', 300)),
  webhook_body_limit_bytes: z
    .int()
    .min(1_024)
    .max(104_857_600)
    .meta(doc('Largest body of a webhook request in bytes, 1 KiB to 100 MiB.', 5242880)),
  body_limit_bytes: z
    .int()
    .min(65_536)
    .max(104_857_600)
    .meta(doc('Largest body of other API requests in bytes, 64 KiB to 100 MiB.', 1048576)),
  file_limit_bytes: z
    .int()
    .min(1_024)
    .max(1_073_741_824)
    .meta(doc('Largest file that can be uploaded, in bytes, 1 KiB to 1 GiB.', 104857600)),
  file_folders: z
    .array(text(1_000).refine(isAbsolute, withValue('must be the full path of a folder')))
    .max(20)
    .describe(
      'Full paths of the folders in which steps can read and write files. Leave empty for none. Only the app can change it.',
    )
    .meta({ examples: [['/home/ada/exports']] }),
  programs: z
    .array(program)
    .max(100)
    .refine(
      (programs) => new Set(programs.map(({ name }) => name)).size === programs.length,
      'must have different names',
    )
    .meta(doc('Programs of this computer that steps can run. Only the app can change it.', [])),
  secret_environment: z
    .array(variableName)
    .max(100)
    .meta(
      doc(
        'Environment variables of Millrace that secrets can be read from (`env:NAME`). Only the app can change it.',
        ['SHOP_TOKEN'],
      ),
    ),
  secret_cache_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .meta(
      doc(
        'How long a secret that was read from a vault is used before it is read again, up to a day. 0 reads it at each use. Only the app can change it.',
        300,
      ),
    ),
  concurrent_runs: z
    .int()
    .min(1)
    .max(100)
    .meta(doc('How many runs can execute at the same time, 1 to 100. Further runs are queued.', 10)),
  pagination_max_pages: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Pages of one list before it fails with `page_limit`, 1 to 1000000. The records read are kept.')
    .meta({ examples: [10000] }),
  pagination_max_empty_pages: z
    .int()
    .min(1)
    .max(100_000)
    .describe('How many empty pages in a row a list may have before it fails with `stalled`.')
    .meta({ examples: [100] }),
  when_in_doubt: z
    .enum(WHEN_IN_DOUBT)
    .describe(
      'What happens to a list that may be incomplete, unless its step says otherwise: `warn` or `fail` with `list_in_doubt`.',
    )
    .meta({ examples: ['warn'] }),
  template_time_limit_ms: z
    .int()
    .min(10)
    .max(10_000)
    .describe(
      "Time that one template can take, in milliseconds, 10 to 10000. Millrace can't do anything else during it.",
    )
    .meta({ examples: [200] }),
  history_limit_mb: z
    .int()
    .min(10)
    .max(1_000_000)
    .nullable()
    .describe(
      'Size of the run history in megabytes above which the oldest finished runs are deleted, first those of flows that anyone can start. Null means unlimited.',
    )
    .meta({ examples: [10000] }),
  search_index: z
    .boolean()
    .describe(
      'True keeps a word index, so that searches cover the whole run history. The history becomes about half as large again.',
    ),
  public_url: text(2_000)
    .refine(isAddress, 'must begin with http:// or https://')
    .nullable()
    .describe(
      'URL at which others reach Millrace through a proxy or tunnel. It is shown next to webhook URLs. Null means none.',
    )
    .meta({ examples: ['https://hooks.example.com'] }),
  expose_api: z
    .boolean()
    .describe(
      'True lets requests from a proxy reach the whole API, not only webhooks. Only the app can change it.',
    )
    .meta({ examples: [false] }),
  trusted_proxies: z
    .array(text(100).refine(isAddressRange, withValue('must be an IP address or a range such as 10.0.0.0/8')))
    .max(50)
    .describe(
      "IP addresses and ranges of the proxies in front of `--webhook-listen`. Only they can pass on the caller's IP address in `proxy_header`. Only the app can change it.",
    )
    .meta({ examples: [['10.0.0.2']] }),
  proxy_header: text(100)
    .regex(/^[a-z][a-z0-9-]*$/, withValue('must be the name of a header in lower case'))
    .describe("Header in which these proxies pass on the caller's IP address. Only the app can change it.")
    .meta({ examples: ['x-forwarded-for'] }),
  alarms: alarmSettings.describe(
    'When and how to notify about active flows without alarms of their own: one alarm per channel in `/v1/alarms`, where the others are. Only the app can change it.',
  ),
  alarm_mail: alarmMail
    .nullable()
    .meta(doc('How alarms are sent by email. Null means that none are. Only the app can change it.', null)),
  event_hook: eventHook
    .nullable()
    .describe(
      'Receives the alarms of all active flows, regardless of their settings: an alarm in `/v1/alarms` for its flow, and one for its URL. Null means none. Only the app can change it.',
    )
    .meta({ examples: [null] }),
  page_url: text(300)
    .refine(isPageUrl, 'must be https:// and a host name, such as https://box.example.com')
    .nullable()
    .describe(
      'URL at which a proxy with TLS on this computer serves the app. Browsers sign in there with an access token or a link. If null, the app is only for this computer. Only the app can change it.',
    )
    .meta({ examples: ['https://box.example.com'] }),
  mcp_server: z
    .boolean()
    .describe(
      'True opens the MCP server at `/v1/mcp`, through which AI clients with an access token can use Millrace. Only the app can change it.',
    ),
  theme: z.enum(THEMES).describe('Colors of the app. `system` follows the operating system.'),
  language: z.enum(LANGUAGES).describe('Language of the app. `system` follows the browser.'),
})
export type Settings = z.output<typeof settings>

/** These expose the computer to flows or to others, so only the app can change them, never a token. */
export const SESSION_SETTINGS = [
  'file_folders',
  'programs',
  'secret_environment',
  'secret_cache_seconds',
  'expose_api',
  'trusted_proxies',
  'proxy_header',
  'alarms',
  'alarm_mail',
  'event_hook',
  'page_url',
  'public_url',
  'mcp_server',
] as const satisfies readonly (keyof Settings)[]

export const DEFAULT_SETTINGS: Settings = {
  webhook_rate_limit_requests: LIMITS.webhookRequests,
  webhook_rate_limit_seconds: LIMITS.webhookWindowSeconds,
  webhook_body_limit_bytes: LIMITS.webhookBodyBytes,
  body_limit_bytes: LIMITS.bodyBytes,
  file_limit_bytes: LIMITS.fileBytes,
  file_folders: [],
  programs: [],
  secret_environment: [],
  secret_cache_seconds: 300,
  concurrent_runs: 10,
  pagination_max_pages: 10_000,
  pagination_max_empty_pages: 100,
  when_in_doubt: 'warn',
  template_time_limit_ms: 200,
  history_limit_mb: 10_000,
  search_index: true,
  public_url: null,
  expose_api: false,
  trusted_proxies: [],
  proxy_header: 'x-forwarded-for',
  alarms: DEFAULT_ALARMS,
  alarm_mail: null,
  event_hook: null,
  page_url: null,
  mcp_server: false,
  theme: 'system',
  language: 'system',
}

function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)
}

const IP_ADDRESS = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** Whether an entry is an address, such as `10.0.0.2` or `fd00::2`, or a range, such as `10.0.0.0/8`. */
export function isAddressRange(entry: string): boolean {
  return IP_ADDRESS.safeParse(entry).success
}

/** Whether a URL is like `https://box.example.com`, without a path. A proxy's URL never names this computer itself. */
export function isPageUrl(url: string): boolean {
  const [, host] = /^https:\/\/([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/?$/i.exec(url) ?? []
  if (host === undefined || !ADDRESS.safeParse(url).success) return false
  return !/^(?:localhost|[\w.-]+\.localhost|127\.[\d.]+|\[::1\])\.?$/i.test(host)
}

const ADDRESS = z.url({ protocol: /^https?$/ })

function isAddress(address: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(address) && ADDRESS.safeParse(address).success
}

export const readSettingsRoute = defineRoute({
  method: 'GET',
  path: '/v1/settings',
  summary: 'Read the settings',
  access: can('settings', 'read'),
  status: 200,
  item: true,
  result: settings,
})

export const updateSettingsRoute = defineRoute({
  method: 'PUT',
  path: '/v1/settings',
  summary:
    'Change settings; absent keys stay as they are, and those that expose this computer are for the page alone',
  access: can('settings', 'update'),
  status: 200,
  item: true,
  body: settings.partial(),
  result: settings,
})

export const settingsRoutes = {
  readSettingsRoute,
  updateSettingsRoute,
}
