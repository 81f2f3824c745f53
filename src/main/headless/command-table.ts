/** All commands: parsing, help, completion and the reference are generated from this table. */
import { ALARM_EVENTS } from '../../shared/contract/alarms.ts'
import { createAlarm, deleteAlarm, listAlarms, testAlarm } from './commands/alarm.ts'
import { WHEN_IN_DOUBT } from '../../shared/contract/base/pagination-config.ts'
import { SCOPES } from '../../shared/contract/base/scopes.ts'
import { RUN_STATUSES } from '../../shared/contract/flow-runs.ts'
import { FIGURES_OF } from '../../shared/contract/figures/figures.ts'
import { LOG_LEVELS } from '../../shared/contract/logs.ts'
import { FORWARD_METHODS, RESPONDERS } from '../../shared/contract/reach/forwards.ts'
import { TUNNEL_PROVIDERS } from '../../shared/contract/reach/tunnel.ts'
import { DEFAULT_PORT } from '../host/config.ts'
import { listAuths, signInByCode, testAuth } from './commands/auth.ts'
import { backUp, restore } from './commands/backup.ts'
import { printCompletion, SHELLS } from './commands/completion.ts'
import { addPlugin, beginPlugin, listPlugins, removePlugin, testPluginFolder } from './commands/plugin.ts'
import { importConnector, listConnectors } from './commands/connector.ts'
import { runDoctor } from './commands/doctor.ts'
import { checkFlows } from './commands/flow-check.ts'
import { testFlows } from './commands/flow-test.ts'
import { exportFlow, importFlow, listFlows, runFlowCommand } from './commands/flow.ts'
import { pullFlows, pushFlows } from './commands/flow-folder.ts'
import { forwardWebhooks } from './commands/forward.ts'
import { showFigures } from './commands/figures.ts'
import { exportKey, importKey, protectKey, unprotectKey } from './commands/key.ts'
import { initFolder } from './commands/init.ts'
import { printLogs } from './commands/logs.ts'
import { connectMcp } from './commands/mcp.ts'
import { move } from './commands/move.ts'
import { openPage, printSignInLink } from './commands/open.ts'
import { paginate } from './commands/paginate.ts'
import {
  exportRun,
  listRuns,
  reopenRun,
  replayRun,
  resolveRun,
  resumeRun,
  showRun,
  tailRuns,
} from './commands/run.ts'
import { serve } from './commands/serve.ts'
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
  token: 'access tokens for scripts and other programs',
  auth: 'connector auths, the stored credentials of connectors',
  connector: 'connectors, and imports from API descriptions',
  plugin: 'write, test, add and remove plug-ins',
  flow: 'list, import, export, run and test flows',
  run: 'find, follow, replay and resume flow runs',
  webhook: 'send, follow and replay webhook requests',
  alarm: 'who is notified when flows fail',
  tunnel: 'the public URL of your webhooks',
  key: 'export or import the encryption key, to move to another computer',
}

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionEntry[] = [
  { flags: '--data-dir <folder>', description: 'the data folder', completes: 'file' },
  { flags: '--json', description: 'print JSON' },
]

const FLOW: ArgumentEntry = { name: 'flow', description: 'ID or name of a flow' }
const RUN: ArgumentEntry = { name: 'run', description: 'ID of a run' }
const NO_WAIT: OptionEntry = { flags: '--no-wait', description: 'print the ID of the run and exit' }
const RECORD: OptionEntry = {
  flags: '--record',
  description: 'keep whole calls, up to 3 MB, so that a test can be made from the run',
}
const ONLY_FLOW: OptionEntry = { flags: '--flow <flow>', description: 'only this flow (ID or name)' }
const UNTIL: OptionEntry = { flags: '--count <lines>', description: 'exit after this many lines' }

const PASSPHRASE_FILE: OptionEntry = {
  flags: '--passphrase-file <file>',
  description: 'file with the passphrase ("-": stdin)',
  completes: 'file',
}
const FLOW_FOLDER: ArgumentEntry = {
  name: 'folder',
  description: 'the folder with one file per flow (default: flows)',
  optional: true,
  completes: 'file',
}
const REMOTE: OptionEntry = {
  flags: '--url <url>',
  description: 'use a Millrace on another computer, with the access token in MILLRACE_TOKEN',
}

const WEBHOOK_LISTEN: readonly OptionEntry[] = [
  {
    flags: '--webhook-listen <host:port>',
    description: 'also listen here, for webhooks only, for a proxy or other computers',
  },
  { flags: '--insecure', description: 'let other computers reach that listener without TLS' },
]

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: "open Millrace in the browser, and start it if it isn't running",
    details: '"millrace" without a command does the same. If the port is taken, the next free one is used.',
    options: [
      {
        flags: '--port <port>',
        description: `port to listen on; 0 for any free one (default: ${DEFAULT_PORT})`,
      },
      { flags: '--no-open', description: "don't open the browser" },
      ...WEBHOOK_LISTEN,
    ],
    examples: ['millrace', 'millrace start --port 0 --no-open'],
    run: start,
  },
  {
    name: 'serve',
    summary: 'run Millrace in this terminal, and open it in the browser',
    options: [
      {
        flags: '--port <port>',
        description: `port to listen on; 0 for any free one (default: ${DEFAULT_PORT})`,
      },
      { flags: '--next-port', description: 'if the port is taken, use the next free one' },
      { flags: '--no-open', description: "don't open the browser" },
      {
        flags: '--no-link',
        description: "don't print the sign-in link, for output that is kept in a log",
      },
      ...WEBHOOK_LISTEN,
    ],
    examples: ['millrace serve --port 0 --no-open', 'millrace serve --webhook-listen 127.0.0.1:4750'],
    run: serve,
  },
  {
    name: 'open',
    summary: 'open the running Millrace in the browser, and print a new sign-in link',
    options: [{ flags: '--no-open', description: 'only print the link' }],
    examples: ['millrace open --no-open'],
    run: openPage,
  },
  {
    name: 'sign-in-link',
    summary: 'print a link that signs in one browser on another device',
    details:
      'This is for the app behind a proxy. The URL comes from the setting page_url or from MILLRACE_PAGE_URL. The link works once, for 15 minutes.',
    examples: ['millrace sign-in-link'],
    run: printSignInLink,
  },
  {
    name: 'status',
    summary: 'show the URL of the running Millrace, and the state of its flows and runs',
    details: "Exits with 1 if Millrace isn't running.",
    examples: ['millrace status', 'millrace status --json'],
    run: showStatus,
  },
  {
    name: 'stop',
    summary: 'stop the running Millrace, and wait until it has stopped',
    details:
      "Requests in progress get their responses first, and accepted runs continue at the next start. Exits with 0 even if Millrace isn't running.",
    examples: ['millrace stop', 'millrace stop --data-dir ~/millrace-test'],
    run: stopProgram,
  },
  {
    name: 'token create',
    summary: 'create a token and print it once',
    details: `Scopes: ${SCOPES.join(', ')}`,
    options: [
      {
        flags: '--scopes <scopes>',
        description: 'comma-separated scopes: automation,connectors',
        required: true,
        completes: SCOPES,
      },
      { flags: '--note <text>', description: 'what it is for', required: true },
      { flags: '--expiration <days>', description: 'days until it expires (default: never)' },
      {
        flags: '--flow <flow>',
        description: 'name or ID of a flow: the token reaches only such flows, repeatable',
        repeatable: true,
      },
      {
        flags: '--auth <auth>',
        description: 'name or ID of a connector auth: the token reaches only such auths, repeatable',
        repeatable: true,
      },
      { flags: '--no-auths', description: 'the token reaches no connector auths' },
    ],
    examples: [
      'millrace token create --scopes automation,connectors:view --note "nightly export" --expiration 90',
      'millrace token create --scopes webhook_run --note "shop" --flow "Receive an order"',
    ],
    run: createToken,
  },
  { name: 'token list', summary: 'list the tokens', examples: ['millrace token list'], run: listTokens },
  {
    name: 'token check',
    arguments: [{ name: 'token', description: 'the token (default: read from stdin)', optional: true }],
    summary: 'identify a token, and show its scopes and when it expires',
    details:
      'Other users of this computer can see arguments, so prefer stdin. Exits with 1 unless the token is valid.',
    examples: ['millrace token check < token.txt'],
    run: checkToken,
  },
  {
    name: 'token revoke',
    arguments: [{ name: 'id', description: 'ID of a token' }],
    summary: 'revoke a token and every token created with it',
    examples: ['millrace token revoke b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11'],
    run: revokeToken,
  },
  {
    name: 'alarm list',
    summary: 'list the alarms, with those in the settings of flows',
    examples: ['millrace alarm list'],
    run: listAlarms,
  },
  {
    name: 'alarm create',
    summary: 'add an alarm: who is notified of what',
    details: `Events: ${ALARM_EVENTS.join(', ')}. "run_failed" stands for each failed run, and can only start a flow.`,
    options: [
      {
        flags: '--email <address>',
        description: 'notify by email, repeatable; needs a mail server in Settings',
        repeatable: true,
      },
      { flags: '--url <url>', description: 'send each alarm to this URL, as JSON by POST' },
      { flags: '--start-flow <flow>', description: 'start this flow (ID or name)' },
      { flags: '--notification', description: 'notify in the app' },
      { flags: '--on <events>', description: 'comma-separated events (default: failed,recovered)' },
      {
        flags: '--flow <flow>',
        description: 'only about this flow (ID or name), repeatable (default: all active flows)',
        repeatable: true,
      },
    ],
    examples: [
      'millrace alarm create --email ada@example.com',
      'millrace alarm create --url https://alerts.example.com/millrace --on failed,silent,missed --flow "Receive an order"',
    ],
    run: createAlarm,
  },
  {
    name: 'alarm test',
    arguments: [{ name: 'id', description: 'ID of an alarm' }],
    summary: 'send a test alarm now; exits with 1 if it did not arrive',
    examples: ['millrace alarm test b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11'],
    run: testAlarm,
  },
  {
    name: 'alarm delete',
    arguments: [{ name: 'id', description: 'ID of an alarm' }],
    summary: 'delete an alarm',
    examples: ['millrace alarm delete b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11'],
    run: deleteAlarm,
  },
  {
    name: 'auth list',
    summary: 'list the connector auths',
    examples: ['millrace auth list'],
    run: listAuths,
  },
  {
    name: 'auth test',
    arguments: [{ name: 'auth', description: 'ID or name of a connector auth' }],
    summary: 'test the credentials with one call to the API, or by signing in to their server',
    details: 'Exits with 1 if they are rejected.',
    options: [
      { flags: '--action <name>', description: "the action to call (default: the connector's test action)" },
      { flags: '--url <url>', description: 'send a GET request to this URL or path instead' },
    ],
    examples: ['millrace auth test "GitHub of the team"'],
    run: testAuth,
  },
  {
    name: 'auth sign-in',
    arguments: [{ name: 'auth', description: 'ID or name of a connector auth' }],
    summary: 'sign in with a code that you enter in a browser, on this computer or another one',
    details:
      'This is for connectors whose grant type is device_code. Prints the code and where to enter it, and waits. Exits with 1 if the sign-in is refused or the code expires.',
    examples: ['millrace auth sign-in "Television of the lobby"'],
    run: signInByCode,
  },
  {
    name: 'connector list',
    summary: 'list the connectors',
    examples: ['millrace connector list'],
    run: listConnectors,
  },
  {
    name: 'connector import',
    arguments: [{ name: 'file', description: 'the file, or "-" for stdin', completes: 'file' }],
    summary:
      'create a connector from an OpenAPI document, a Postman collection, a curl command or an exported file',
    examples: ['millrace connector import openapi.yaml'],
    run: importConnector,
  },
  {
    name: 'plugin list',
    summary: 'list the plug-ins, and whether they are confirmed',
    examples: ['millrace plugin list'],
    run: listPlugins,
  },
  {
    name: 'plugin new',
    arguments: [{ name: 'folder', description: 'the new folder; its name is the name of the plug-in' }],
    summary: 'create a plug-in with a step and its test',
    examples: ['millrace plugin new invoice_numbers'],
    run: beginPlugin,
  },
  {
    name: 'plugin test',
    arguments: [
      {
        name: 'folder',
        description: 'the folder of a plug-in (default: the current one)',
        optional: true,
        completes: 'file',
      },
    ],
    summary: 'run the test cases of a plug-in, without network',
    examples: ['millrace plugin test invoice_numbers'],
    run: testPluginFolder,
  },
  {
    name: 'plugin add',
    arguments: [
      {
        name: 'source',
        description: 'the folder of a plug-in, such as a git checkout, or a .tar.gz file',
        completes: 'file',
      },
    ],
    summary: 'copy a plug-in into the data folder, or a new version of it',
    options: [{ flags: '--yes', description: 'confirm it right away, with everything it can reach' }],
    examples: ['millrace plugin add invoice_numbers --yes'],
    run: addPlugin,
  },
  {
    name: 'plugin remove',
    arguments: [{ name: 'plugin', description: 'name of a plug-in' }],
    summary: 'remove a plug-in; steps that use it fail from then on',
    examples: ['millrace plugin remove invoice_numbers'],
    run: removePlugin,
  },
  {
    name: 'init',
    arguments: [
      {
        name: 'folder',
        description: 'the Git folder, in which "flows" has the files (default: the current one)',
        optional: true,
        completes: 'file',
      },
    ],
    summary: 'prepare a folder of flows for AI agents and editors',
    details:
      'Writes AGENTS.md, a skill for agents, the JSON Schema of flow files, and VS Code settings for it if there are none. A file that you have ' +
      'changed is kept. Exits with 1 if one differs and was kept.',
    options: [{ flags: '--force', description: 'overwrite files that differ, except the VS Code settings' }],
    examples: ['millrace init', 'millrace init flows-repository --force'],
    run: initFolder,
  },
  { name: 'flow list', summary: 'list the flows', examples: ['millrace flow list'], run: listFlows },
  {
    name: 'flow import',
    arguments: [
      {
        name: 'file',
        description: 'a Millrace or n8n file, "-" for stdin, or a sample such as "sample:echo"',
        completes: 'file',
      },
    ],
    summary: 'create flows from a file or a sample, as drafts',
    options: [{ flags: '--yes', description: 'skip the confirmation' }],
    examples: ['millrace flow import order.json', 'millrace flow import sample:form-to-json'],
    run: importFlow,
  },
  {
    name: 'flow export',
    arguments: [FLOW],
    summary: 'print a flow as JSON, for import',
    options: [{ flags: '--out <file>', description: 'write to this file instead', completes: 'file' }],
    examples: ['millrace flow export "Receive an order" --out order.json'],
    run: exportFlow,
  },
  {
    name: 'flow run',
    arguments: [FLOW],
    summary: 'run a flow, and print its status and response',
    details: 'Exits with 1 if the run fails.',
    options: [
      {
        flags: '--input <json>',
        description: 'the input, a JSON object; "@input.json" reads a file, "-" stdin',
      },
      { flags: '--steps', description: "also print each step's output" },
      RECORD,
      NO_WAIT,
    ],
    examples: [
      `millrace flow run "Form to JSON" --input '{"name": "ada", "seats": "2"}' --steps`,
      'millrace flow run "Form to JSON" --input @input.json',
    ],
    run: runFlowCommand,
  },
  {
    name: 'flow pull',
    arguments: [FLOW_FOLDER],
    summary: 'save flows that changed in Millrace in a folder, one YAML file per flow',
    details:
      'This is for a folder under version control. Secrets are replaced with placeholders. A flow that changed on both sides since the last pull or push ' +
      'is a conflict, and is kept unchanged without --force. Exits with 1 if there are conflicts or invalid files.',
    options: [
      { flags: '--dry-run', description: 'only show what would be written' },
      { flags: '--force', description: 'in a conflict, take the flow from Millrace' },
      { flags: '--watch', description: 'keep saving flows as they change' },
      REMOTE,
    ],
    examples: ['millrace flow pull', 'millrace flow pull flows --watch'],
    run: pullFlows,
  },
  {
    name: 'flow push',
    arguments: [FLOW_FOLDER],
    summary: 'create and change flows to match the files in a folder',
    details:
      'Flows keep their status; new ones are drafts. If something is missing (connectors, auths, variables), it is listed and nothing is pushed; ' +
      'a missing secret only keeps back its own flow. Each flow is saved completely or not at all; if one fails, the others are saved. ' +
      "Exits with 1 if a file couldn't be pushed.",
    options: [
      { flags: '--dry-run', description: 'only show what would change' },
      { flags: '--force', description: 'in a conflict, take the file' },
      { flags: '--delete', description: 'delete flows whose files were deleted, with their runs' },
      { flags: '--watch', description: 'keep pushing files as they change' },
      REMOTE,
    ],
    examples: [
      'millrace flow push --dry-run',
      'millrace flow push flows --url https://millrace.example.com --force',
    ],
    run: pushFlows,
  },
  {
    name: 'flow check',
    arguments: [
      {
        name: 'path',
        description: 'a file with a flow, or the folder with one file per flow (default: flows)',
        optional: true,
        completes: 'file',
      },
    ],
    summary: 'check flows in files: where each problem is, why, and what fixes it',
    details:
      'Nothing is saved in Millrace. A fix is safe if nothing else can have been meant and nothing that works changes. Choosing credentials is never safe. ' +
      "Exits with 1 if there are errors; warnings alone don't fail.",
    options: [{ flags: '--fix', description: 'make the safe fixes in the files' }, REMOTE],
    examples: ['millrace flow check', 'millrace flow check flows/receive-an-order.yaml --fix'],
    run: checkFlows,
  },
  {
    name: 'flow test',
    arguments: [
      {
        name: 'folder',
        description:
          'the folder with one file per flow (default: flows); with --live: a test case, or a folder of them (default: flow-tests)',
        optional: true,
        completes: 'file',
      },
    ],
    summary: 'test the flows of a folder with recorded calls',
    details:
      'Nothing is sent and nothing is stored: every call gets its recorded response, waits take no time, and a call that was not recorded fails the test. ' +
      'The tests of "greet.yaml" are in the folder "greet.tests"; --record makes one from a run. With --live, requests are sent to the flows instead, which run as ' +
      'usual; --record then takes a flow, and creates test cases from the newest requests to its webhook. Exits with 1 if a test fails, and with 2 if a file is invalid or there is no test.',
    options: [
      {
        flags: '--record <run>',
        description: 'make a test from this run (ID); with --live: from the requests to this flow',
      },
      { flags: '--name <name>', description: 'the name of the recorded test' },
      {
        flags: '--flow <flow>',
        description:
          'only test this flow (file, name or ID); with --live: instead of the one in the test cases',
      },
      { flags: '--update', description: 'accept new results of tests whose calls are as recorded' },
      { flags: '--watch', description: 'test again whenever a file changes' },
      { flags: '--junit <file>', description: 'also write the results as JUnit XML' },
      { flags: '--coverage', description: 'list steps and branches that no test ran' },
      { flags: '--live', description: 'send recorded requests, and compare the responses' },
      { flags: '--count <requests>', description: 'how many requests to record with --live', default: '10' },
    ],
    examples: [
      `millrace flow test flows --record 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --name "An order with two items"`,
      'millrace flow test flows',
      'millrace flow test flows --coverage --junit results.xml',
      'millrace flow test tests --live --record "Receive an order" --count 3',
      'millrace flow test tests --live',
    ],
    run: testFlows,
  },
  {
    name: 'run list',
    summary: 'list the newest runs',
    options: [
      ONLY_FLOW,
      { flags: '--status <status>', description: 'only runs with this status', completes: RUN_STATUSES },
      { flags: '--search <text>', description: 'only runs whose data contains these words' },
      { flags: '--count <runs>', description: 'number of runs, at most 200', default: '20' },
    ],
    examples: ['millrace run list --flow "Receive an order" --status error'],
    run: listRuns,
  },
  {
    name: 'run show',
    arguments: [RUN],
    summary: 'print the status and response of a run',
    options: [{ flags: '--steps', description: "also print each step's output" }],
    examples: ['millrace run show 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --steps'],
    run: showRun,
  },
  {
    name: 'run export',
    arguments: [RUN],
    summary: 'print a run as a file to attach to a report, without secrets',
    details: 'The file has the flow, the steps with their inputs, results and HTTP calls, and versions.',
    options: [
      { flags: '--har', description: 'only the HTTP calls, as a HAR file for developer tools' },
      { flags: '--out <file>', description: 'write to this file instead', completes: 'file' },
    ],
    examples: [
      'millrace run export 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --out run.json',
      'millrace run export 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --har --out run.har',
    ],
    run: exportRun,
  },
  {
    name: 'run tail',
    summary: 'print the newest runs, then each change as it happens',
    options: [ONLY_FLOW, UNTIL],
    examples: ['millrace run tail --flow "Receive an order"'],
    run: tailRuns,
  },
  {
    name: 'run replay',
    arguments: [RUN],
    summary: 'run a flow again with the input of an earlier run',
    options: [
      { flags: '--version <number>', description: 'version of the flow (default: the current one)' },
      RECORD,
      NO_WAIT,
    ],
    examples: ['millrace run replay 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --version 4'],
    run: replayRun,
  },
  {
    name: 'run resume',
    arguments: [RUN],
    summary: 'continue a failed run at the step and page where it stopped',
    options: [NO_WAIT],
    examples: ['millrace run resume 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab'],
    run: resumeRun,
  },
  {
    name: 'run resolve',
    arguments: [RUN],
    summary: 'mark a failed run as resolved',
    options: [{ flags: '--note <text>', description: 'what was done about it' }],
    examples: ['millrace run resolve 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --note "The password was renewed"'],
    run: resolveRun,
  },
  {
    name: 'run reopen',
    arguments: [RUN],
    summary: 'mark a resolved run as open again',
    examples: ['millrace run reopen 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab'],
    run: reopenRun,
  },
  {
    name: 'webhook send',
    arguments: [FLOW],
    summary: 'send a request to the webhook of a flow, with its token',
    details: 'Exits with 1 if the status of the response is 400 or above.',
    options: [
      { flags: '--data <text>', description: 'the body; "@order.json" reads a file, "-" stdin' },
      { flags: '--header <header>', description: '"Name: value", repeatable', repeatable: true },
      { flags: '--query <query>', description: 'the query string, such as "page=2&dry=1"' },
    ],
    examples: [
      `millrace webhook send "Receive an order" --data '{"order_id": "A-1"}'`,
      'millrace webhook send "Receive an order" --data @order.json',
    ],
    run: sendWebhook,
  },
  {
    name: 'webhook tail',
    summary: 'print the newest requests, then each new one as it arrives',
    options: [ONLY_FLOW, UNTIL],
    examples: ['millrace webhook tail --json'],
    run: tailWebhooks,
  },
  {
    name: 'webhook replay',
    arguments: [
      { name: 'request', description: 'ID of a webhook request', optional: true, repeatable: true },
    ],
    summary: 'run the flow of a request again, or send requests to a local program',
    details:
      'Without --to, the flow of one request runs again, or a rejected request is resent. With --to, requests go to a local program in the order ' +
      'they arrived, each after the response to the previous one. Each response is compared with the first one. Exits with 1 if a response has a status of 400 or above.',
    options: [
      { flags: '--version <number>', description: 'version of the flow (default: the current one)' },
      { flags: '--to <target>', description: 'port of the local program, or its URL' },
      {
        flags: '--sign',
        description: "sign them again, with the current time, as the flow's webhook step says",
      },
      {
        flags: '--since <time>',
        description:
          "requests that arrived since this time and weren't rejected: 2026-03-01T12:00:00Z, or 15m, 2h, 3d ago",
      },
      { flags: '--until <time>', description: 'only requests that arrived before this time' },
      ONLY_FLOW,
      { flags: '--rhythm', description: 'wait between two requests as long as their first callers did' },
    ],
    examples: [
      'millrace webhook replay 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab',
      'millrace webhook replay 3f0c2a1e-8f5b-4c0a-9d1e-0123456789ab --to 3000',
      'millrace webhook replay --since 2h --flow "Receive an order" --to 3000',
    ],
    run: replayWebhook,
  },
  {
    name: 'forward',
    arguments: [{ name: 'target', description: 'port of the local program, or its URL' }],
    summary: 'forward requests of a webhook to a local program, and print each one',
    details:
      'Without --flow, it makes a flow "Forward to port …" with a webhook that anybody who knows its URL can call. The forward ends with the command. ' +
      'In a terminal, a table shows each request with the status and time of the program: the arrow keys choose one, "r" sends it again, "/" filters, "q" quits. ' +
      'Elsewhere, each request is a line; with --json, one value per line.',
    options: [
      { flags: '--path <path>', description: 'path of the local program, such as /hooks/stripe' },
      { flags: '--flow <flow>', description: 'forward the webhook of this flow (ID or name)' },
      { flags: '--filter <template>', description: 'only requests for which this template is true' },
      {
        flags: '--method <method>',
        description: 'only this method, repeatable',
        repeatable: true,
        completes: FORWARD_METHODS,
      },
      {
        flags: '--respond <who>',
        description: 'who answers the caller: program (default), flow, first or fixed',
        completes: RESPONDERS,
      },
      {
        flags: '--keep-when-closed',
        description: 'keep requests while nothing listens on the port, and send them later',
      },
      { flags: '--keep-host', description: "pass on the caller's Host header" },
      { flags: '--keep', description: 'keep forwarding when the command ends' },
    ],
    examples: [
      'millrace forward 3000 --path /hooks/stripe',
      'millrace forward http://localhost:8080/in --flow "Receive an order" --respond flow',
    ],
    run: forwardWebhooks,
  },
  {
    name: 'tunnel start',
    summary: 'turn on the public URL, and print it',
    details:
      'Options that you leave out keep their last values. The tunnel reopens at each start of Millrace until "tunnel stop". Secrets are read from ' +
      'files or stdin, because other users of this computer can see arguments. Exits with 1 if there is no public URL yet; Millrace keeps trying.',
    options: [
      { flags: '--provider <name>', description: 'the kind of tunnel', completes: TUNNEL_PROVIDERS },
      {
        flags: '--token-file <file>',
        description: 'the ngrok authtoken, or the token of a named Cloudflare tunnel ("-": stdin)',
        completes: 'file',
      },
      {
        flags: '--url <url>',
        description:
          'the public URL, if you know it: of your own proxy, of a named tunnel, or of the port on the SSH server ("{port}")',
      },
      { flags: '--domain <domain>', description: 'a domain of your ngrok account' },
      { flags: '--ssh <user@host:port>', description: 'the SSH server' },
      { flags: '--key-file <file>', description: 'private key for the SSH server', completes: 'file' },
      {
        flags: '--password-file <file>',
        description: 'password for the SSH server or for the key ("-": stdin)',
        completes: 'file',
      },
      {
        flags: '--host-key <fingerprint>',
        description: 'accept this host key of the SSH server, such as SHA256:…',
      },
      {
        flags: '--bind <address:port>',
        description: 'the address that the SSH server listens on; port 0 lets it choose one',
      },
      {
        flags: '--header <name>',
        description: "the header in which your own proxy passes on the caller's IP address",
      },
      {
        flags: '--local-port <port>',
        description: 'the port on this computer that the tunnel leads to, or "any"',
      },
      {
        flags: '--copy-to <port>',
        description: 'send a copy of each request to this port on this computer, or "off"',
      },
      { flags: '--off-after <minutes>', description: 'turn it off after this time, or "never"' },
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
    summary: 'turn off the public URL',
    examples: ['millrace tunnel stop'],
    run: stopTunnel,
  },
  {
    name: 'tunnel status',
    summary: 'show the public URL, when it last responded, and what others can reach',
    details: 'Exits with 1 unless it is on.',
    examples: ['millrace tunnel status', 'millrace tunnel status --json'],
    run: showTunnel,
  },
  {
    name: 'mcp',
    summary: 'bridge MCP clients that use stdio, such as Claude Desktop, to the MCP server',
    details:
      'Enter it in the configuration of the client. It speaks the Model Context Protocol over stdin and stdout. The access token comes from the ' +
      'environment variable MILLRACE_TOKEN. Millrace must be running, with the MCP server turned on in Settings.',
    examples: ['MILLRACE_TOKEN=mr_pat_… millrace mcp'],
    run: connectMcp,
  },
  {
    name: 'paginate',
    summary: 'fetch all pages of a list, and print one record per line',
    options: [
      {
        flags: '--config <file>',
        description: 'file with the pagination configuration in JSON ("-": stdin)',
        required: true,
        completes: 'file',
      },
      { flags: '--url <url>', description: 'the URL of the first page', required: true },
      { flags: '--header <header>', description: '"Name: value", repeatable', repeatable: true },
      { flags: '--method <method>', description: 'the HTTP method', default: 'GET' },
      {
        flags: '--when-in-doubt <what>',
        description: 'what to do with a list that may be incomplete: "warn", or "fail" with exit code 1',
        default: 'warn',
        completes: WHEN_IN_DOUBT,
      },
    ],
    examples: [
      'millrace paginate --config pagination.json --url https://api.example.test/orders > orders.jsonl',
    ],
    run: paginate,
  },
  {
    name: 'key export',
    summary: 'print the encryption key',
    options: [{ flags: '--out <file>', description: 'write to this file instead', completes: 'file' }],
    examples: ['millrace key export --out millrace.key'],
    run: exportKey,
  },
  {
    name: 'key import',
    arguments: [{ name: 'file', description: 'file with the key ("-": stdin)', completes: 'file' }],
    summary: 'import the encryption key of another computer',
    examples: ['millrace key import millrace.key'],
    run: importKey,
  },
  {
    name: 'key protect',
    summary: 'protect the key file with a passphrase, or change the passphrase',
    details:
      'This is for computers without a keychain. Each start then asks for the passphrase on the terminal, or takes it from MILLRACE_PASSPHRASE. The new ' +
      'passphrase is read from the terminal, or from stdin.',
    examples: ['millrace key protect'],
    run: protectKey,
  },
  {
    name: 'key unprotect',
    summary: 'remove the passphrase of the key file',
    examples: ['millrace key unprotect'],
    run: unprotectKey,
  },
  {
    name: 'backup',
    arguments: [{ name: 'file', description: 'the file to write', completes: 'file' }],
    summary: 'back up to a file, even while Millrace is running',
    details: 'With a passphrase, the file is encrypted and also contains the keys to stored credentials.',
    options: [
      { flags: '--overwrite', description: 'replace an existing file' },
      { flags: '--passphrase', description: 'ask for a passphrase, and encrypt the backup with it' },
      PASSPHRASE_FILE,
    ],
    examples: ['millrace backup ~/millrace-backup', 'millrace backup ~/millrace-encrypted --passphrase'],
    run: backUp,
  },
  {
    name: 'restore',
    arguments: [{ name: 'file', description: 'the backup', completes: 'file' }],
    summary: 'restore a backup',
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
    summary: 'move the data folder, for example to another disk',
    details:
      'Millrace must not be running. It then uses the new folder, unless --data-dir or MILLRACE_DATA_DIR names another one.',
    examples: ['millrace move /mnt/large/millrace'],
    run: move,
  },
  {
    name: 'uninstall',
    summary: 'remove what Millrace has created outside its program: caches, the command, the login item',
    details:
      'Stops Millrace first if it is running. The data folder and its key are kept without --data. Without a terminal, it needs --yes. Remove the program itself afterwards, the way it was installed.',
    options: [
      { flags: '--data', description: 'also delete all flows, runs and credentials' },
      { flags: '--yes', description: 'skip the confirmation' },
    ],
    examples: ['millrace uninstall', 'millrace uninstall --yes', 'millrace uninstall --data --yes'],
    run: uninstall,
  },
  {
    name: 'doctor',
    summary: 'check for problems with the data folder, the database, the key and the port',
    details: "Exits with 1 if there is a problem, or with 78 if the data folder can't be used.",
    options: [{ flags: '--port <port>', description: `the port to check (default: ${DEFAULT_PORT})` }],
    examples: ['millrace doctor'],
    run: runDoctor,
  },
  {
    name: 'figures',
    summary: 'show how many runs there were by day or hour, how many failed, and how long they took',
    details:
      'A terminal with UTF-8 also shows bars. Use --of to show something else, such as the size of the data folder. --json prints what GET /v1/figures returns.',
    options: [
      ONLY_FLOW,
      { flags: '--of <what>', description: 'what is shown', default: 'runs', completes: FIGURES_OF },
      { flags: '--days <days>', description: 'how many days; one is shown by the hour', default: '7' },
    ],
    examples: [
      'millrace figures',
      'millrace figures --flow "Receive an order" --days 1',
      'millrace figures --of disk --days 30',
    ],
    run: showFigures,
  },
  {
    name: 'logs',
    summary: "show Millrace's log, newest last, even while it isn't running",
    options: [
      { flags: '--level <level>', description: 'only this level and above', completes: LOG_LEVELS },
      { flags: '--text <text>', description: 'only lines that contain this' },
      {
        flags: '--since <time>',
        description: 'only lines since this time: 2026-03-01T12:00:00Z, or 15m, 2h, 3d ago',
      },
      { flags: '--count <lines>', description: 'maximum number of lines', default: '50' },
      { flags: '--follow', description: 'keep printing new lines' },
    ],
    examples: ['millrace logs --level warn --since 2h', 'millrace logs --follow'],
    run: printLogs,
  },
  {
    name: 'completion',
    arguments: [
      {
        name: 'shell',
        description: `${SHELLS.slice(0, -1).join(', ')} or ${SHELLS.at(-1)}`,
        completes: SHELLS,
      },
    ],
    summary: 'print the shell completion script',
    details:
      'For bash, put the first line of the examples into ~/.bashrc; for PowerShell, the last one into the file that $PROFILE names.',
    examples: [
      'source <(millrace completion bash)',
      'millrace completion zsh > ~/.zfunc/_millrace',
      'millrace completion fish > ~/.config/fish/completions/millrace.fish',
      'millrace completion powershell | Out-String | Invoke-Expression',
    ],
    run: (context, _options: unknown, shell) =>
      printCompletion(context, { shell, commands: COMMANDS, common: COMMON_OPTIONS }),
  },
]
