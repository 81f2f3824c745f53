/** All commands: parsing, help, completion and the reference are generated from this table. */
import { SCOPES } from '../../shared/contract/base/scopes.ts'
import { RUN_STATUSES } from '../../shared/contract/flow-runs.ts'
import { LOG_LEVELS } from '../../shared/contract/logs.ts'
import { TUNNEL_PROVIDERS } from '../../shared/contract/reach/tunnel.ts'
import { DEFAULT_PORT } from '../config.ts'
import { listAuths, testAuth } from './commands/auth.ts'
import { backUp, restore } from './commands/backup.ts'
import { printCompletion, SHELLS } from './commands/completion.ts'
import { importConnector, listConnectors } from './commands/connector.ts'
import { runDoctor } from './commands/doctor.ts'
import { testFlows } from './commands/flow-test.ts'
import { exportFlow, importFlow, listFlows, runFlowCommand } from './commands/flow.ts'
import { pullFlows, pushFlows } from './commands/flow-folder.ts'
import { exportKey, importKey } from './commands/key.ts'
import { printLogs } from './commands/logs.ts'
import { connectMcp } from './commands/mcp.ts'
import { move } from './commands/move.ts'
import { openPage } from './commands/open.ts'
import { paginate } from './commands/paginate.ts'
import { listRuns, replayRun, resumeRun, showRun, tailRuns } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { printSignInLink } from './commands/sign-in-link.ts'
import { start } from './commands/start.ts'
import { showStatus } from './commands/status.ts'
import { stopProgram } from './commands/stop.ts'
import { showTunnel, startTunnel, stopTunnel } from './commands/tunnel.ts'
import { checkToken, createToken, listTokens, revokeToken } from './commands/token.ts'
import { uninstall } from './commands/uninstall.ts'
import { replayWebhook, sendWebhook, tailWebhooks } from './commands/webhook.ts'
import type { ArgumentEntry, CommandEntry, OptionEntry } from './support/command-entry.ts'

/** Descriptions of the first words of two-word commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  token: 'personal access tokens for scripts and other programs',
  auth: 'connector auths, the stored credentials of connectors',
  connector: 'connectors, and the documents they are made of',
  flow: 'flows as files, run and tested from here',
  run: 'runs of flows: found, followed, run again',
  webhook: 'requests to the webhooks of flows',
  tunnel: 'the public URL at which others reach webhooks',
  key: 'the key to stored credentials, for moving to another machine',
}

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionEntry[] = [
  { flags: '--data-dir <folder>', description: 'the folder that holds the data', completes: 'file' },
  { flags: '--json', description: 'print JSON, for programs' },
]

const FLOW: ArgumentEntry = { name: 'flow', description: 'id or name of a flow' }
const RUN: ArgumentEntry = { name: 'run', description: 'id of a run' }
const NO_WAIT: OptionEntry = { flags: '--no-wait', description: 'print the id of the run at once' }
const ONLY_FLOW: OptionEntry = { flags: '--flow <flow>', description: 'only of this flow, by id or name' }
const UNTIL: OptionEntry = { flags: '--count <lines>', description: 'end after so many lines' }

const PASSPHRASE_FILE: OptionEntry = {
  flags: '--passphrase-file <file>',
  description: 'the passphrase in a file ("-": stdin)',
  completes: 'file',
}
const FLOW_FOLDER: ArgumentEntry = {
  name: 'folder',
  description: 'the folder with a file for each flow (default: flows)',
  optional: true,
  completes: 'file',
}
const REMOTE: OptionEntry = {
  flags: '--url <url>',
  description: 'a Millrace elsewhere, called with the access token in MILLRACE_TOKEN',
}

const WEBHOOK_LISTEN: readonly OptionEntry[] = [
  {
    flags: '--webhook-listen <host:port>',
    description: 'also listen here, for webhooks only: the address that a proxy or other computers reach',
  },
  { flags: '--insecure', description: 'accept that others reach it without TLS' },
]

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'open Millrace in the browser, and run it here if it is not running yet',
    details: 'Without a command, "millrace" does this. Takes the next free port if that one is taken.',
    options: [
      {
        flags: '--port <port>',
        description: `the port to listen on, 0 for any free one (default: ${DEFAULT_PORT})`,
      },
      { flags: '--no-open', description: 'do not open the page in the browser' },
      ...WEBHOOK_LISTEN,
    ],
    examples: ['millrace', 'millrace start --port 0 --no-open'],
    run: start,
  },
  {
    name: 'serve',
    summary: 'run Millrace here, with its page in the browser',
    options: [
      {
        flags: '--port <port>',
        description: `the port to listen on, 0 for any free one (default: ${DEFAULT_PORT})`,
      },
      { flags: '--next-port', description: 'take the next free port if that one is taken' },
      { flags: '--no-open', description: 'do not open the page in the browser' },
      {
        flags: '--no-link',
        description: 'do not print the link with the session, where the output is kept as a log',
      },
      ...WEBHOOK_LISTEN,
    ],
    examples: ['millrace serve --port 0 --no-open', 'millrace serve --webhook-listen 127.0.0.1:4750'],
    run: serve,
  },
  {
    name: 'open',
    summary: "open the running Millrace's page and print a new sign-in link",
    options: [{ flags: '--no-open', description: 'only print the link' }],
    examples: ['millrace open --no-open'],
    run: openPage,
  },
  {
    name: 'sign-in-link',
    summary: 'print a link that signs one browser in from elsewhere',
    details:
      'For the app behind a proxy, at the URL of the setting page_url or of MILLRACE_PAGE_URL. The link works once, within 15 minutes.',
    examples: ['millrace sign-in-link'],
    run: printSignInLink,
  },
  {
    name: 'status',
    summary: 'show where Millrace runs, and how its flows and runs are',
    details: 'Ends with 1 if no Millrace runs on the data folder.',
    examples: ['millrace status', 'millrace status --json'],
    run: showStatus,
  },
  {
    name: 'stop',
    summary: 'stop the Millrace that runs on the data folder, and wait until it has ended',
    details:
      'Requests in progress get their responses first, and accepted runs continue at the next start. Ends with 0 as well if none runs.',
    examples: ['millrace stop', 'millrace stop --data-dir ~/millrace-test'],
    run: stopProgram,
  },
  {
    name: 'token create',
    summary: 'create a token and print it, which only happens now',
    details: `Scopes: ${SCOPES.join(', ')}`,
    options: [
      {
        flags: '--scopes <scopes>',
        description: 'what it may do, with commas: automation,connectors',
        required: true,
        completes: SCOPES,
      },
      { flags: '--note <text>', description: 'what it is for', required: true },
      { flags: '--expiration <days>', description: 'days until it expires (default: never)' },
    ],
    examples: [
      'millrace token create --scopes automation,connectors:view --note "nightly export" --expiration 90',
    ],
    run: createToken,
  },
  { name: 'token list', summary: 'list the tokens', examples: ['millrace token list'], run: listTokens },
  {
    name: 'token check',
    arguments: [{ name: 'token', description: 'the token; read from stdin if absent', optional: true }],
    summary: 'say which token a value is, what it may do and how long',
    details:
      'Other users of the machine can see arguments, so prefer stdin. Ends with 1 unless the token is valid.',
    examples: ['millrace token check < token.txt'],
    run: checkToken,
  },
  {
    name: 'token revoke',
    arguments: [{ name: 'id', description: 'id of a token' }],
    summary: 'revoke a token and every token made with it',
    examples: ['millrace token revoke b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11'],
    run: revokeToken,
  },
  {
    name: 'auth list',
    summary: 'list the connector auths',
    examples: ['millrace auth list'],
    run: listAuths,
  },
  {
    name: 'auth test',
    arguments: [{ name: 'auth', description: 'id or name of a connector auth' }],
    summary: 'call the API once with the credentials',
    details: 'Ends with 1 if the API refuses them.',
    options: [
      { flags: '--action <name>', description: "an action to call (default: the connector's test action)" },
      { flags: '--url <url>', description: 'GET this URL or path instead' },
    ],
    examples: ['millrace auth test "GitHub of the team"'],
    run: testAuth,
  },
  {
    name: 'connector list',
    summary: 'list the connectors',
    examples: ['millrace connector list'],
    run: listConnectors,
  },
  {
    name: 'connector import',
    arguments: [{ name: 'file', description: 'a file, or "-" for stdin', completes: 'file' }],
    summary:
      'make a connector of an OpenAPI document, a Postman collection, a curl command or an exported file',
    examples: ['millrace connector import openapi.yaml'],
    run: importConnector,
  },
  { name: 'flow list', summary: 'list the flows', examples: ['millrace flow list'], run: listFlows },
  {
    name: 'flow import',
    arguments: [
      {
        name: 'file',
        description: 'a file of Millrace or n8n, "-" for stdin, or a sample such as "sample:echo"',
        completes: 'file',
      },
    ],
    summary: 'create flows, as drafts, from a file or a sample',
    options: [{ flags: '--yes', description: 'do not ask, once the hosts and templates were listed' }],
    examples: ['millrace flow import order.json', 'millrace flow import sample:echo'],
    run: importFlow,
  },
  {
    name: 'flow export',
    arguments: [FLOW],
    summary: 'print a flow as a file',
    options: [{ flags: '--out <file>', description: 'write to this file instead', completes: 'file' }],
    examples: ['millrace flow export "Receive an order" --out order.json'],
    run: exportFlow,
  },
  {
    name: 'flow run',
    arguments: [FLOW],
    summary: 'run a flow, and print the run and its response',
    details: 'Ends with 1 if the run ends in an error.',
    options: [
      {
        flags: '--input <json>',
        description: 'the input, a JSON object; "@input.json" is a file, "-" stdin',
      },
      { flags: '--steps', description: "print each step's output as well" },
      NO_WAIT,
    ],
    examples: [
      `millrace flow run Echo --input '{"name": "Ada"}' --steps`,
      'millrace flow run Echo --input @input.json',
    ],
    run: runFlowCommand,
  },
  {
    name: 'flow test',
    arguments: [
      {
        name: 'path',
        description: 'a folder of cases, or one case (default: flow-tests)',
        optional: true,
        completes: 'file',
      },
    ],
    summary: 'send recorded requests to flows and compare the responses with the expected ones',
    details:
      'With --record it makes the cases: a file for each of the newest requests to the webhook of a flow. In a case, "ignore" lists paths that may ' +
      'differ, such as "body.id" or "body.items[*].at". The requests run the flow like any other. Ends with 1 if a response differs.',
    options: [
      {
        flags: '--record <flow>',
        description: 'make cases of the newest requests to this flow, by id or name',
      },
      { flags: '--count <requests>', description: 'how many requests to record', default: '10' },
      { flags: '--flow <flow>', description: 'test this flow instead of the one that the cases name' },
      { flags: '--update', description: 'write the responses that came into the cases' },
    ],
    examples: [
      'millrace flow test tests --record "Receive an order" --count 3',
      'millrace flow test tests',
      'millrace flow test tests --update',
    ],
    run: testFlows,
  },
  {
    name: 'flow pull',
    arguments: [FLOW_FOLDER],
    summary: 'write the flows that changed in Millrace into a folder, a YAML file for each',
    details:
      'For a folder under version control. Secrets become placeholders. What changed on both sides since the last pull or push is a conflict, ' +
      'and stays as it is without --force. Ends with 1 if there are conflicts or faulty files.',
    options: [
      { flags: '--dry-run', description: 'only show what would be written' },
      { flags: '--force', description: 'where both sides changed, take the flow of Millrace' },
      { flags: '--watch', description: 'continue with each change of a flow until stopped' },
      REMOTE,
    ],
    examples: ['millrace flow pull', 'millrace flow pull flows --watch'],
    run: pullFlows,
  },
  {
    name: 'flow push',
    arguments: [FLOW_FOLDER],
    summary: 'create and change flows so that they are as the files of a folder say',
    details:
      'Flows keep their status; new ones are drafts. What is missing here (connectors, auths, variables, secrets) is named first, and nothing is ' +
      'pushed then. Each flow is saved as a whole; if one fails, the others are saved. Ends with 1 if a file was not taken over.',
    options: [
      { flags: '--dry-run', description: 'only show what would change' },
      { flags: '--force', description: 'where both sides changed, take the file' },
      { flags: '--delete', description: 'delete flows whose files were deleted, with their runs' },
      { flags: '--watch', description: 'continue with each change of a file until stopped' },
      REMOTE,
    ],
    examples: [
      'millrace flow push --dry-run',
      'millrace flow push flows --url https://millrace.example.com --force',
    ],
    run: pushFlows,
  },
  {
    name: 'run list',
    summary: 'list the newest runs',
    options: [
      ONLY_FLOW,
      { flags: '--status <status>', description: 'only with this status', completes: RUN_STATUSES },
      { flags: '--search <text>', description: 'only with these words in their data' },
      { flags: '--count <runs>', description: 'how many, at most 200', default: '20' },
    ],
    examples: ['millrace run list --flow "Receive an order" --status error'],
    run: listRuns,
  },
  {
    name: 'run show',
    arguments: [RUN],
    summary: 'print a run and its response',
    options: [{ flags: '--steps', description: "print each step's output as well" }],
    examples: ['millrace run show 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --steps'],
    run: showRun,
  },
  {
    name: 'run tail',
    summary: 'print the newest runs, then each change of a run as it happens',
    options: [ONLY_FLOW, UNTIL],
    examples: ['millrace run tail --flow "Receive an order"'],
    run: tailRuns,
  },
  {
    name: 'run replay',
    arguments: [RUN],
    summary: 'run again with the same input',
    options: [
      { flags: '--version <number>', description: 'on this version of the flow (default: the current one)' },
      NO_WAIT,
    ],
    examples: ['millrace run replay 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --version 4'],
    run: replayRun,
  },
  {
    name: 'run resume',
    arguments: [RUN],
    summary: 'continue a failed run at the step and page where it ended',
    options: [NO_WAIT],
    examples: ['millrace run resume 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab'],
    run: resumeRun,
  },
  {
    name: 'webhook send',
    arguments: [FLOW],
    summary: 'send a request to the webhook of a flow, with its token',
    details: 'Ends with 1 if the response is 400 or above.',
    options: [
      { flags: '--data <text>', description: 'the body; "@order.json" is a file, "-" stdin' },
      { flags: '--header <header>', description: '"Name: value", as often as needed', repeatable: true },
      { flags: '--query <query>', description: 'the query, such as "page=2&dry=1"' },
    ],
    examples: [
      `millrace webhook send "Receive an order" --data '{"order_id": "A-1"}'`,
      'millrace webhook send "Receive an order" --data @order.json',
    ],
    run: sendWebhook,
  },
  {
    name: 'webhook tail',
    summary: 'print the newest requests, then each one as it comes',
    options: [ONLY_FLOW, UNTIL],
    examples: ['millrace webhook tail --json'],
    run: tailWebhooks,
  },
  {
    name: 'webhook replay',
    arguments: [{ name: 'request', description: 'id of a webhook request' }],
    summary: 'run the flow of a request again, or send a refused request again',
    options: [
      { flags: '--version <number>', description: 'on this version of the flow (default: the current one)' },
    ],
    examples: ['millrace webhook replay 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab'],
    run: replayWebhook,
  },
  {
    name: 'tunnel start',
    summary: 'switch the public URL on, and print it',
    details:
      'What is not given stays as it was the last time. It comes back with each start of Millrace until "tunnel stop". Secrets are read from ' +
      'files or stdin, because other users of the machine can see arguments. Ends with 1 if there is no public URL yet; Millrace keeps trying.',
    options: [
      { flags: '--provider <name>', description: 'how to make it', completes: TUNNEL_PROVIDERS },
      {
        flags: '--token-file <file>',
        description: 'authtoken of ngrok, or token of a named tunnel of Cloudflare ("-": stdin)',
        completes: 'file',
      },
      {
        flags: '--url <url>',
        description:
          'the public URL, if it is known: of your own proxy, a named tunnel, or the port of the SSH server ("{port}")',
      },
      { flags: '--domain <domain>', description: 'a domain of your ngrok account' },
      { flags: '--ssh <user@host:port>', description: 'the SSH server' },
      { flags: '--key-file <file>', description: 'private key for it', completes: 'file' },
      {
        flags: '--password-file <file>',
        description: 'password for it, or for the key ("-": stdin)',
        completes: 'file',
      },
      { flags: '--host-key <fingerprint>', description: 'accept this host key of it, such as SHA256:…' },
      { flags: '--bind <address:port>', description: 'what it binds; 0: a port that it chooses' },
      { flags: '--header <name>', description: 'the header in which your own proxy names the caller' },
      { flags: '--local-port <port>', description: 'where the tunnel leads on this computer, or "any"' },
      {
        flags: '--copy-to <port>',
        description: 'send a copy of each request to this port of this computer, or "off"',
      },
      { flags: '--off-after <minutes>', description: 'switch it off by itself, or "never"' },
    ],
    examples: [
      'millrace tunnel start --provider cloudflared --off-after 60',
      'millrace tunnel start --provider ngrok --token-file ngrok.token',
      'millrace tunnel start --provider ssh --ssh ada@example.com --key-file ~/.ssh/id_ed25519 --bind :8080 --url http://example.com:8080',
    ],
    run: startTunnel,
  },
  {
    name: 'tunnel stop',
    summary: 'switch the public URL off',
    examples: ['millrace tunnel stop'],
    run: stopTunnel,
  },
  {
    name: 'tunnel status',
    summary: 'show the public URL, when it last answered, and what others can reach',
    details: 'Ends with 1 unless it is on.',
    examples: ['millrace tunnel status', 'millrace tunnel status --json'],
    run: showTunnel,
  },
  {
    name: 'mcp',
    summary: 'connect an AI client that starts programs to the MCP server',
    details:
      'For the configuration of the client: it speaks the Model Context Protocol over stdin and stdout. The environment variable MILLRACE_TOKEN ' +
      'is the access token. Millrace must be running, with the MCP server on in Settings.',
    examples: ['MILLRACE_TOKEN=mr_pat_… millrace mcp'],
    run: connectMcp,
  },
  {
    name: 'paginate',
    summary: 'read a paginated list to its end, a record a line',
    options: [
      {
        flags: '--config <file>',
        description: 'the pagination configuration, JSON ("-": from stdin)',
        required: true,
        completes: 'file',
      },
      { flags: '--url <url>', description: 'the URL of the first page', required: true },
      { flags: '--header <header>', description: '"Name: value", as often as needed', repeatable: true },
      { flags: '--method <method>', description: 'the HTTP method', default: 'GET' },
    ],
    examples: [
      'millrace paginate --config pagination.json --url https://api.example.test/orders > orders.jsonl',
    ],
    run: paginate,
  },
  {
    name: 'key export',
    summary: 'print the key',
    options: [{ flags: '--out <file>', description: 'write to this file instead', completes: 'file' }],
    examples: ['millrace key export --out millrace.key'],
    run: exportKey,
  },
  {
    name: 'key import',
    arguments: [
      { name: 'file', description: 'the key of another machine ("-": from stdin)', completes: 'file' },
    ],
    summary: 'take over the key of another machine',
    examples: ['millrace key import millrace.key'],
    run: importKey,
  },
  {
    name: 'backup',
    arguments: [{ name: 'file', description: 'the file to write', completes: 'file' }],
    summary: 'copy the database and its files to a file, also while Millrace runs',
    details: 'With a passphrase, the file is encrypted and contains the keys to stored credentials as well.',
    options: [
      { flags: '--overwrite', description: 'replace the file if it is already there' },
      { flags: '--passphrase', description: 'encrypt it with a passphrase, which is asked for' },
      PASSPHRASE_FILE,
    ],
    examples: ['millrace backup ~/millrace-backup', 'millrace backup ~/millrace-backup --passphrase'],
    run: backUp,
  },
  {
    name: 'restore',
    arguments: [{ name: 'file', description: 'a backup', completes: 'file' }],
    summary: 'put a backup in the place of the database',
    details: 'Asks for the passphrase if the backup has one.',
    options: [PASSPHRASE_FILE],
    examples: ['millrace restore ~/millrace-backup'],
    run: restore,
  },
  {
    name: 'move',
    arguments: [
      { name: 'folder', description: 'an empty folder, or one that is created', completes: 'file' },
    ],
    summary: 'move the data folder, for instance to another disk',
    details:
      'Millrace must not be running. From then on it uses the new folder by itself, unless --data-dir or MILLRACE_DATA_DIR names one.',
    examples: ['millrace move /mnt/large/millrace'],
    run: move,
  },
  {
    name: 'uninstall',
    summary: 'remove what Millrace leaves outside of its program: caches, its command, its start at login',
    details:
      'Stops a running Millrace first. The data folder and its key stay, unless --data is given. The program itself is then removed the way it was installed.',
    options: [
      { flags: '--data', description: 'delete all flows, runs and credentials as well' },
      { flags: '--yes', description: 'do not ask before deleting them' },
    ],
    examples: ['millrace uninstall', 'millrace uninstall --data --yes'],
    run: uninstall,
  },
  {
    name: 'doctor',
    summary: 'check the folder, the database, the key and the port',
    details: 'Ends with 1 if something would keep Millrace from working, with 78 if that is the data folder.',
    options: [{ flags: '--port <port>', description: `the port to check (default: ${DEFAULT_PORT})` }],
    examples: ['millrace doctor'],
    run: runDoctor,
  },
  {
    name: 'logs',
    summary: 'show the log of Millrace, newest last, also while it is not running',
    options: [
      { flags: '--level <level>', description: 'only this level and above', completes: LOG_LEVELS },
      { flags: '--text <text>', description: 'only lines that contain this' },
      { flags: '--since <time>', description: 'only from then on: 2026-03-01T12:00:00Z, or 15m, 2h, 3d ago' },
      { flags: '--count <lines>', description: 'how many lines at most', default: '50' },
      { flags: '--follow', description: 'continue with each new line until stopped' },
    ],
    examples: ['millrace logs --level warn --since 2h', 'millrace logs --follow'],
    run: printLogs,
  },
  {
    name: 'completion',
    arguments: [{ name: 'shell', description: 'bash or zsh', completes: SHELLS }],
    summary: 'print the completion of this command for a shell',
    examples: ['source <(millrace completion bash)', 'millrace completion zsh > ~/.zfunc/_millrace'],
    run: (context, _options: unknown, shell) =>
      printCompletion(context, { shell, commands: COMMANDS, common: COMMON_OPTIONS }),
  },
]
