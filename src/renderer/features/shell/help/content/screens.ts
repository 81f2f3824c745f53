import type { RegisteredRouter } from '@tanstack/react-router'
import { english } from '../../../../lib/i18n.ts'
import type { Help } from './help.ts'

/** Each screen that has a URL; a new one doesn’t compile until it has help. */
export type ScreenPath = keyof RegisteredRouter['routesByPath']

export const SCREENS: { readonly [Path in ScreenPath]: Help } = {
  '/': {
    title: english('Home'),
    text: english(
      'Home shows what your flows did in the last seven days. Whatever is waiting for a person comes first, then failures, then each flow with its last result and next start. Select a bar or a figure to see the runs behind it.',
    ),
    picture: 'home',
    show: [english('New flow'), english('Last 7 days')],
    doc: { doc: 'getting-started' },
  },
  '/flows': {
    title: english('Flows'),
    text: english(
      'A flow is a chain of steps that starts by itself, for example when a request arrives or at a certain time. This list shows what starts each flow and whether it’s active. You can test a draft at any time, but schedules and other triggers only start active flows.',
    ),
    picture: 'list',
    show: [english('New flow')],
    doc: { doc: 'getting-started', heading: '3. Build a flow' },
  },
  '/flows/$flowId': {
    title: english('Flow editor'),
    text: english(
      'Steps run from top to bottom, and each one can use the results of those before it. Select a step to fill in its form, and insert values from the data next to it. Test runs the flow with your changes, and Save publishes them as a new version.',
    ),
    picture: 'flow',
    show: [english('Add step')],
    doc: { doc: 'steps', heading: 'Reading results' },
  },
  '/runs': {
    title: english('Runs'),
    text: english(
      'Each line is one execution of a flow, newest first. Drag across the chart to choose a time range, or search for a word in the data that runs read and wrote. To find out why runs fail, show the failures by cause.',
    ),
    picture: 'list',
    show: [english('Search run data'), english('Status')],
    doc: { doc: 'debug-a-failed-run', heading: 'In the app' },
  },
  '/runs/$runId': {
    title: english('Run'),
    text: english(
      'The result comes first, followed by how long each step took. Select a step to see its input, its output and its HTTP requests. Replay runs the same input again, with the current version of the flow or the one that the run used.',
    ),
    picture: 'run',
    show: [english('Replay'), english('Open in editor'), english('Cancel run')],
    doc: { doc: 'debug-a-failed-run', heading: 'Read the error' },
  },
  '/runs/$runId/compare': {
    title: english('Comparison'),
    text: english(
      'Two runs of the same flow are compared step by step. For steps that differ, you see which lines of their input and output changed. A failed run is compared with the last one that worked, unless you choose another.',
    ),
    picture: 'compare',
    show: [english('Other run'), english('Swap')],
    doc: { doc: 'debug-a-failed-run', heading: 'Compare it with the last success' },
  },
  '/webhooks': {
    title: english('Webhooks'),
    text: english(
      'Every request to your flows is listed here, including rejected ones with the reason. The search finds words anywhere in paths and bodies. Select a request to see it, the response to its caller and the response of your local program. You can edit it and send it again, also to a port on this computer, or hold the next one.',
    ),
    picture: 'webhook',
    show: [english('Search paths and bodies'), english('Columns')],
    doc: { doc: 'webhooks' },
  },
  '/connectors': {
    title: english('Connectors'),
    text: english(
      'A connector describes an API: its base URL, the kinds of credentials it accepts and the actions that flows can use. Many are built in, and you can import others from OpenAPI, Postman or a curl command. To change a built-in connector, copy it first.',
    ),
    picture: 'connector',
    show: [english('New connector'), english('Import connector')],
    doc: { doc: 'connectors' },
  },
  '/connectors/$connectorId': {
    title: english('Actions of a connector'),
    text: english(
      'An action is one call to the API, with a form for its input. Select one to edit it, and try it with real values before a flow uses it. Lists that come in pages need a pagination configuration, which is set for the connector. An action can have its own.',
    ),
    picture: 'connector',
    show: [english('New action'), english('Connector sections')],
    doc: { doc: 'connectors' },
  },
  '/auths': {
    title: english('Connector auths'),
    text: english(
      'An auth is your key to an API: a token, a password or a sign-in. Its secrets are stored encrypted and are never shown again. The list shows whether each auth worked the last time a run or a test used it.',
    ),
    picture: 'auth',
    show: [english('New connector auth')],
    doc: { doc: 'credentials' },
  },
  '/auths/$authId': {
    title: english('Connector auth'),
    text: english(
      'Test what you typed before you save it: a test stores nothing. Secrets that you leave empty stay as they are. Used by shows which flows stop working if you delete this auth.',
    ),
    picture: 'auth',
    show: [english('Test credentials')],
    doc: { doc: 'credentials', heading: 'Tests' },
  },
  '/auths/new': {
    title: english('New connector auth'),
    text: english(
      'Choose the API, then fill in what it needs. A test with your values runs before anything is stored. Until you share it, only your flows can use the auth.',
    ),
    picture: 'auth',
    show: [english('Connector')],
    doc: { doc: 'credentials' },
  },
  '/tokens': {
    title: english('Access tokens'),
    text: english(
      'Programs use an access token to call the API of Millrace. Give each program its own token with only the permissions it needs, so that you can revoke one without breaking the others. A token is shown once, when it’s created.',
    ),
    picture: 'token',
    show: [english('Create token'), english('Check token')],
    doc: { doc: 'scopes' },
  },
  '/users': {
    title: english('Users'),
    text: english(
      'Everyone who works with Millrace is a user with their own flows, and also sees what others share. To see what somebody sees, act as that user. Teams are groups of users that you can share with in one step.',
    ),
    picture: 'people',
    show: [english('Users')],
    doc: { doc: 'users-and-teams' },
  },
  '/env-variables': {
    title: english('Variables'),
    text: english(
      'A variable is a value that many flows use, such as a URL. Templates read it as {{ env.NAME }}, so you only change it in one place. Secret variables are stored encrypted and hidden in the run history.',
    ),
    picture: 'variables',
    show: [english('New variable'), english('Search variables')],
    doc: { doc: 'variables' },
  },
  '/data-tables': {
    title: english('Tables'),
    text: english(
      'Tables keep records in Millrace, without a separate database. Flows look up, add and update rows with the Table step. You can fill a table from a CSV file and export it again.',
    ),
    picture: 'table',
    show: [english('New table'), english('Search tables')],
    doc: { doc: 'keep-data-in-tables' },
  },
  '/data-tables/$tableId': {
    title: english('Table'),
    text: english(
      'Click a cell to change it. Import adds the rows of a CSV or JSON file, and can update rows that have the same key. Flows see every change at once.',
    ),
    picture: 'table',
    show: [english('Add row'), english('Filter rows')],
    doc: { doc: 'keep-data-in-tables', heading: 'Fill it from a file' },
  },
  '/files': {
    title: english('Files'),
    text: english(
      'These files were uploaded by you, or received and kept by flows. A step reads one by its ID, for example as the attachment of an email. Files that a run keeps are deleted together with the run.',
    ),
    picture: 'files',
    show: [english('Upload files'), english('Search files')],
    doc: { doc: 'files', heading: 'Uploads' },
  },
  '/pagination': {
    title: english('Pagination tester'),
    text: english(
      'The tester reads a list page by page and shows each request and its response. Suggest finds a configuration from the first response. At the end it says whether all records arrived, and explains any doubts.',
    ),
    picture: 'pages',
    show: [english('Run'), english('Suggest')],
    doc: { doc: 'pagination', heading: 'The pagination tester' },
  },
  '/reference': {
    title: english('API reference'),
    text: english(
      'Everything that you do in the app is a call to the API, and all calls are listed here. For each one, you see what it takes, what it returns and which permission it needs. You can copy the examples and run them as they are.',
    ),
    picture: 'reference',
    show: [english('Search the API')],
    doc: { doc: 'api' },
  },
  '/plugins': {
    title: english('Plug-ins'),
    text: english(
      'A plug-in adds steps, triggers or filters, written by you or by others. Before its first use, you confirm what it can access. If its files change, Millrace asks again and shows the difference.',
    ),
    picture: 'plugin',
    show: [english('Read the folders again')],
    doc: { doc: 'write-a-step' },
  },
  '/settings': {
    title: english('Settings'),
    text: english(
      'These settings apply to all of Millrace, and most take effect at once. Search for a word to find a setting among the cards. The settings of a single flow are in its Settings tab.',
    ),
    picture: 'settings',
    show: [english('Search settings')],
    doc: { doc: 'settings', heading: 'Program settings' },
  },
  '/doctor': {
    title: english('Diagnostics'),
    text: english(
      'Diagnostics checks what Millrace needs: its data folder, its port, its key and the database. For each problem, you see what to do about it. Copy the result as text when you report a bug. It contains no secrets.',
    ),
    picture: 'checks',
    show: [english('Run again'), english('Copy as text')],
    doc: { doc: 'cli', heading: 'Diagnostics' },
  },
  '/logs': {
    title: english('Logs'),
    text: english(
      'The log shows what Millrace itself did: its starts, its warnings and its errors. To see what flows did, open Runs. API calls shows who called the API and which calls were rejected.',
    ),
    picture: 'log',
    show: [english('Search the log'), english('Level')],
    doc: { doc: 'monitor-millrace', heading: 'Read the log' },
  },
  '/open-link': {
    title: english('Opened by a link'),
    text: english(
      'A link in another program or on a website asked Millrace to open this. Nothing happens until you agree. If you didn’t expect the link, ignore it.',
    ),
    picture: 'link',
    show: [],
    doc: { doc: 'desktop-app', heading: 'Links' },
  },
}

/** Views of a screen that need their own help, by `view` in the URL. */
export const VIEWS: { readonly [Path in ScreenPath]?: Readonly<Record<string, Help>> } = {
  '/flows/$flowId': {
    canvas: {
      title: english('Canvas'),
      text: english(
        'The canvas shows the same flow as the list of steps, with its branches and loops side by side. Press A to add a step after the selected one, and Enter to open its form. After a test, each step shows its result and how long it took.',
      ),
      picture: 'canvas',
      show: [english('Find step'), english('Show all')],
      doc: { doc: 'steps', heading: 'Step types' },
    },
    json: {
      title: english('Flow as JSON'),
      text: english(
        'This is the whole flow in the API’s format. Changes you make here appear in the forms as soon as they’re valid. Copy it to keep the flow as text or to create it in another installation of Millrace.',
      ),
      picture: 'json',
      show: [english('Flow as JSON')],
      doc: { doc: 'steps', heading: 'Keys of every step' },
    },
    settings: {
      title: english('Flow settings'),
      text: english(
        'These settings apply to the whole flow, whatever its steps are. They say who can start it, how many runs are allowed at once, and how long runs are kept. They take effect when you save the flow.',
      ),
      picture: 'settings',
      show: [english('Require a token'), english('Name')],
      doc: { doc: 'settings', heading: 'Flow settings' },
    },
    versions: {
      title: english('Versions'),
      text: english(
        'Each save creates a version, and runs show which one they used. Select one to see how it differs from the newest. Restoring an earlier one saves it as a new version, so nothing is lost.',
      ),
      picture: 'versions',
      show: [english('Versions'), english('Versions width')],
      doc: { doc: 'flows-in-git' },
    },
    tests: {
      title: english('Tests'),
      text: english(
        'A test plays a run again with its recorded calls, without sending anything, and compares the results. Run tests after a change to see what is different, accept a new result, or make a call fail on purpose.',
      ),
      picture: 'run',
      show: [english('Tests'), english('Run all tests')],
      doc: { doc: 'test-flows-in-ci' },
    },
    activity: {
      title: english('Activity'),
      text: english(
        'The charts show how often this flow ran, how often it failed and how long it took. Choose 24 hours, 7 days or 30 days. Each chart has a table with the same numbers for people who use a keyboard or a screen reader.',
      ),
      picture: 'chart',
      show: [english('Activity')],
      doc: { doc: 'monitor-millrace' },
    },
  },
  '/connectors/$connectorId': {
    connection: {
      title: english('Connection'),
      text: english(
        'The connection says where the API is and how calls authenticate. Headers set here are sent with every call. The form for credentials is what people fill in when they add an auth for this connector.',
      ),
      picture: 'auth',
      show: [english('Base URL')],
      doc: { doc: 'connectors' },
    },
    paging: {
      title: english('Paging of a connector'),
      text: english(
        'Most APIs return long lists in pages. This configuration says how the next page is requested and when the list ends, for all actions that don’t have their own. Test it in the pagination tester, which shows each page as it is read.',
      ),
      picture: 'pages',
      show: [english('Pagination'), english('Max pages')],
      doc: { doc: 'pagination', heading: 'In a step and in a connector' },
    },
    about: {
      title: english('About a connector'),
      text: english(
        'The name and description are what people see when they look for a connector. The search for steps looks through them too. Export saves the connector as a file, without any credentials.',
      ),
      picture: 'connector',
      show: [english('Description')],
      doc: { doc: 'connectors' },
    },
  },
  '/users': {
    teams: {
      title: english('Teams'),
      text: english(
        'A team is a group of users that you can share an auth with in one step. Its current members get access. You have to add anyone who joins later to the auth. Deleting a team doesn’t delete its users.',
      ),
      picture: 'people',
      show: [english('Teams')],
      doc: { doc: 'users-and-teams' },
    },
  },
}
