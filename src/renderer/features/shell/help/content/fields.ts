import { english } from '../../../../lib/i18n.ts'
import type { Help } from './help.ts'

const FOR_EACH: readonly Pick<Help, 'title' | 'text' | 'show'>[] = [
  {
    title: english('List'),
    text: english(
      'The step makes its call once for each item of this list, usually the result of an earlier step such as {{ customers }}. In its other fields, {{ item.id }} reads the current item. It returns one flat list with the records of all items, in the order of the list.',
    ),
    show: [english('List')],
  },
  {
    title: english('Keep from the item'),
    text: english(
      'Child records often don’t say which parent they belong to. The fields of the item that you name here are copied into each of its records. For example, id becomes parent_id. Write one name per line.',
    ),
    show: [english('Keep from the item')],
  },
  {
    title: english('At once'),
    text: english(
      'The number of calls made at the same time. One after the other is gentle on the API, and more at once is faster. Millrace always respects the limits that an API states, and keeps the order of the results.',
    ),
    show: [english('At once')],
  },
  {
    title: english('If an item fails'),
    text: english(
      'Choose whether one failed call fails the step, or only leaves out the records of its item. In the second case, the run and later steps are told that the list may be incomplete.',
    ),
    show: [english('If an item fails')],
  },
]

/**
 * Help for the fields at which people get stuck. The title is the label on the screen; `within` is the start of a path
 * or of a part's `data-help`.
 */
export const FIELDS: readonly (Help & { readonly within?: string })[] = [
  {
    title: english('Reference name'),
    within: 'steps',
    text: english(
      'Other steps read the result of this one by its reference name, for example {{ web1.email }}. Choose something short that says what the result is, such as contacts. If you change it, the templates that use it are changed too.',
    ),
    picture: 'name',
    show: [english('Reference name')],
    doc: { doc: 'steps', heading: 'Reading results' },
  },
  {
    title: english('Cron expression'),
    within: 'steps schedule',
    text: english(
      'Five fields say when the flow starts: minute, hour, day of the month, month and day of the week. A star means “every”, so 0 7 * * 1-5 is seven o’clock from Monday to Friday. Below the form, you see the next start times.',
    ),
    picture: 'clock',
    show: [english('Cron expression')],
    doc: { doc: 'steps', heading: 'Schedules' },
  },
  {
    title: english('Runs'),
    within: 'steps schedule',
    text: english(
      'Choose how often the flow starts, then at what time. For anything unusual, choose the cron expression. The next start times below the form show whether the schedule is what you meant.',
    ),
    picture: 'clock',
    show: [english('Runs')],
    doc: { doc: 'steps', heading: 'Schedules' },
  },
  {
    title: english('Missed runs'),
    within: 'steps schedule',
    text: english(
      'While the computer sleeps or Millrace is closed, nothing starts. Afterward, one run can make up for all missed times, or they are skipped. Skip them if the work is only useful at the scheduled time.',
    ),
    picture: 'clock',
    show: [english('Missed runs')],
    doc: { doc: 'steps', heading: 'Schedules' },
  },
  {
    title: english('Time zone'),
    within: 'steps schedule',
    text: english(
      'The times of the schedule are in this time zone. It follows clock changes, so a run at 7:00 stays at 7:00. Choose the time zone of the people who wait for the result, not the server’s.',
    ),
    picture: 'clock',
    show: [english('Time zone')],
    doc: { doc: 'steps', heading: 'Schedules' },
  },
  {
    title: english('First check'),
    within: 'steps',
    text: english(
      'The first check finds everything that is already there. Usually you only want what is new from now on, so Millrace remembers the existing entries without starting the flow. You can also have the flow start for all of them, or for the newest.',
    ),
    picture: 'news',
    show: [english('First check')],
    doc: { doc: 'react-to-new-records', heading: 'The first check' },
  },
  {
    title: english('Look back'),
    within: 'steps',
    text: english(
      'Some entries arrive late, with a date before those already seen. Each check goes back this far, and entries that were seen before don’t start the flow twice. For dates, enter seconds, otherwise a number.',
    ),
    picture: 'news',
    show: [english('Look back')],
    doc: { doc: 'react-to-new-records', heading: 'If something is missing' },
  },
  {
    title: english('Methods'),
    within: 'steps webhook',
    text: english(
      'The flow only accepts requests with these HTTP methods. Most services send POST. Requests with another method are rejected with 405 and listed under Webhooks.',
    ),
    picture: 'webhook',
    show: [english('Methods')],
    doc: { doc: 'webhooks' },
  },
  {
    title: english('Respond immediately'),
    within: 'steps webhook',
    text: english(
      'If this is on, the caller gets 200 as soon as the request is stored, and the flow runs in the background. Turn it on if the flow takes a long time or if the caller gives up after a few seconds. The caller then doesn’t get the flow’s result.',
    ),
    picture: 'webhook',
    show: [english('Respond immediately')],
    doc: { doc: 'webhooks', heading: 'Response' },
  },
  {
    title: english('Response body'),
    within: 'steps webhook',
    text: english(
      'The caller gets this once the last step has run, so it can use the results of all steps. Text that starts with { or [ is sent as JSON. Values that you insert are escaped, so a quote in the data doesn’t break anything.',
    ),
    picture: 'webhook',
    show: [english('Response body')],
    doc: { doc: 'webhooks', heading: 'Response' },
  },
  {
    title: english('Request signature'),
    within: 'steps webhook',
    text: english(
      'Services such as GitHub and Stripe can’t send your token. They sign each request with a shared secret instead. Choose the scheme and enter the secret, and requests that aren’t signed with it are rejected before the flow runs. Then turn off Require a token in the flow’s settings.',
    ),
    picture: 'signature',
    show: [english('Request signature')],
    doc: { doc: 'webhooks', heading: 'Signed webhooks' },
  },
  {
    title: english('Allowed CORS origins'),
    within: 'steps webhook',
    text: english(
      'Browsers only let a web page call the flow if its origin is listed here. An origin is the start of its URL, such as https://shop.example, without a path. Servers and scripts don’t need it.',
    ),
    picture: 'webhook',
    show: [english('Allowed CORS origins')],
    doc: { doc: 'webhooks', heading: 'Access' },
  },
  {
    title: english('Run only if'),
    within: 'steps webhook',
    text: english(
      'A service often sends more kinds of requests than the flow is for. With a condition such as {{ web1.type == "invoice.paid" }}, all others get a response but start no run, and are listed as filtered. The line below says how many of the last requests the condition would have let through.',
    ),
    picture: 'webhook',
    show: [english('Run only if')],
    doc: { doc: 'webhooks', heading: 'Filter requests' },
  },
  {
    title: english('Hold the next request'),
    within: 'steps webhook',
    text: english(
      'The next request is held before the flow runs, and a dialog shows it in full. Change any part and release it, write the response yourself, or drop it. Since the caller is waiting, the request continues unchanged after 25 seconds.',
    ),
    picture: 'webhook',
    show: [english('Hold the next request')],
    doc: { doc: 'webhooks', heading: 'Hold a request' },
  },
  {
    title: english('Forward to a local program…'),
    within: 'steps webhook',
    text: english(
      'Requests also go, byte for byte, to a program on this computer, such as the app you are writing. Enter its port, and choose whether the caller gets its response or the flow’s. Each attempt is listed under Webhooks with its status, time and body.',
    ),
    picture: 'tunnel',
    show: [english('Forward to a local program…')],
    doc: { doc: 'webhooks', heading: 'Forward to a local program' },
  },
  {
    title: english('Status URL'),
    within: 'steps export_job',
    text: english(
      'After the request above has created the job, this URL is called again and again until the job is done. Templates read the response that created the job as job, so the job’s ID is often {{ job.body.id }}.',
    ),
    picture: 'files',
    show: [english('Status URL')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Status'),
    within: 'steps export_job',
    text: english(
      'This template reads the job’s status from poll, the latest response of the status URL. Run the step once in a test, and look in the result for the field that changes from queued to done.',
    ),
    picture: 'files',
    show: [english('Status')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Statuses that mean done'),
    within: 'steps export_job',
    text: english(
      'Once the status is one of these, the result is fetched. If the list is empty, the usual words count, such as done, completed or success. Case doesn’t matter.',
    ),
    picture: 'files',
    show: [english('Statuses that mean done')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Statuses that mean failed'),
    within: 'steps export_job',
    text: english(
      'If the status is one of these, the step fails at once instead of waiting for its time limit. If the list is empty, the usual words count, such as failed, error or cancelled.',
    ),
    picture: 'files',
    show: [english('Statuses that mean failed')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Download URL'),
    within: 'steps export_job',
    text: english(
      'Many APIs put the result in a file and give its URL in the last status, often {{ poll.body.url }}. Leave it empty if the last status response is the result itself. Credentials are only sent along to the API’s own origin.',
    ),
    picture: 'files',
    show: [english('Download URL')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Format'),
    within: 'steps export_job',
    text: english(
      'The downloaded file becomes a list of records. Millrace tells its format from its name or Content-Type. Choose one if the API states the wrong format, for example if it sends JSON lines as text.',
    ),
    picture: 'files',
    show: [english('Format')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('Path of the records'),
    within: 'steps export_job',
    text: english(
      'The path says where the list is in a JSON or XML file, such as $.records. Leave it empty if the file itself is the list, as with CSV and JSON lines.',
    ),
    picture: 'files',
    show: [english('Path of the records')],
    doc: { doc: 'large-lists', heading: 'Exports that take a while' },
  },
  {
    title: english('When'),
    within: 'steps condition',
    text: english(
      'The steps under “then” run if this is true, otherwise those under “else”. Write a comparison such as {{ web1.total > 100 }}. Empty text, 0, false, none and an empty list count as false.',
    ),
    picture: 'branch',
    show: [english('When')],
    doc: { doc: 'steps', term: 'condition' },
  },
  {
    title: english('Comparison'),
    within: 'steps condition',
    text: english(
      'Compare the value above with the one below, without writing a template. Numbers in text are compared as numbers where that makes sense. For anything more, switch the mode to Expression.',
    ),
    picture: 'branch',
    show: [english('Comparison')],
    doc: { doc: 'steps', term: 'condition' },
  },
  {
    title: english('Keep item if'),
    within: 'steps filter',
    text: english(
      'The condition is checked for each item of the list. Templates read the current one as item. {{ item.active and item.age >= 18 }} keeps those for which it’s true. After a test, you see how many were kept.',
    ),
    picture: 'branch',
    show: [english('Keep item if')],
    doc: { doc: 'steps', term: 'filter' },
  },
  {
    title: english('List'),
    within: 'steps loop',
    text: english(
      'Enter a list from an earlier step, for example {{ contacts }}. Steps in the loop read the current item as item and its position as index. A loop right after a paginated step can start before the list is complete.',
    ),
    picture: 'loop',
    show: [english('List')],
    doc: { doc: 'steps', heading: 'A loop over pages' },
  },
  {
    title: english('At once'),
    within: 'steps loop',
    text: english(
      'Iterations usually run one after another. A higher number is faster if each one waits for an API, but reaches a rate limit sooner. The results keep the order of the list, and iterations can’t read each other’s results.',
    ),
    picture: 'loop',
    show: [english('At once')],
    doc: { doc: 'steps', term: 'loop' },
  },
  {
    title: english('Wait for (hours)'),
    within: 'steps wait_for_callback',
    text: english(
      'The run pauses here until another program calls the step’s URL. An earlier step sends that URL, for example {{ callbacks.callback1.url }} if this step is called callback1. If nobody calls it within this time, the steps under “otherwise” run. The run keeps waiting even if Millrace restarts.',
    ),
    picture: 'webhook',
    show: [english('Wait for (hours)')],
    doc: { doc: 'steps', term: 'wait_for_callback' },
  },
  {
    title: english('Retrieve all data'),
    within: 'steps',
    text: english(
      'APIs return long lists in pages, and without this you only get the first one. If it’s on, the step reads page after page and returns one list. How it does that is set in the connector.',
    ),
    picture: 'pages',
    show: [english('Retrieve all data')],
    doc: { doc: 'pagination', heading: 'How it works' },
  },
  {
    title: english('Set up pagination'),
    text: english(
      'If an API returns long lists in pages, the step has to know how to get the next one. Open this to see a suggestion made from the first response. If you leave it off, the step sends a single request.',
    ),
    picture: 'pages',
    show: [english('Set up pagination')],
    doc: { doc: 'pagination', heading: 'How it works' },
  },
  {
    title: english('When in doubt'),
    within: 'steps',
    text: english(
      'A list can end too early, for example when the API promises 230 records and only 50 arrive. With a warning, the run continues with what there is, otherwise the step fails. Choose to fail where missing records would do harm.',
    ),
    picture: 'doubt',
    show: [english('When in doubt')],
    doc: { doc: 'how-pagination-ends', heading: 'Signs that something is wrong' },
  },
  {
    title: english('Connector auth'),
    within: 'steps',
    text: english(
      'The auth holds the token or password that this call is made with. If there is only one for the connector, it’s chosen for you. A badge shows whether it worked the last time it was used, in this flow or elsewhere.',
    ),
    picture: 'auth',
    show: [english('Connector auth')],
    doc: { doc: 'credentials' },
  },
  {
    title: english('Method'),
    within: 'steps rest',
    text: english(
      'GET reads, POST creates or sends, PUT and PATCH change, and DELETE removes. The documentation of the API says which one a call needs. Requests that read are retried after a failure, others only where a retry can’t do harm.',
    ),
    picture: 'webhook',
    show: [english('Method')],
    doc: { doc: 'steps', term: 'rest' },
  },
  {
    title: english('URL'),
    within: 'steps rest',
    text: english(
      'Enter the full URL, with templates where a value belongs, such as {{ web1.id }}. You can also paste a whole curl command, which fills in the other fields too. The URL that is actually sent is shown below the field.',
    ),
    picture: 'pages',
    show: [english('URL')],
    doc: { doc: 'steps', heading: 'A request from curl' },
  },
  {
    title: english('Existing records'),
    within: 'steps write_records',
    text: english(
      'Say what happens to records that are already in the target. Replacing those with the same key updates them and adds the others, which is right for most syncs. Keeping all only adds records, and replacing all deletes the ones that didn’t come this time.',
    ),
    picture: 'sync',
    show: [english('Existing records')],
    doc: { doc: 'sync-an-api-into-a-database', heading: 'How it works' },
  },
  {
    title: english('Key'),
    within: 'steps write_records',
    text: english(
      'The key is the field, or the fields, that identify a record, for example ["id"]. Records with the same key count as one record, which is updated instead of added again. Without a key, records can only be added, or all replaced.',
    ),
    picture: 'sync',
    show: [english('Key')],
    doc: { doc: 'sync-an-api-into-a-database', heading: 'How it works' },
  },
  {
    title: english('Cursor field'),
    within: 'steps write_records',
    text: english(
      'Choose a field whose value only increases, such as updated_at. Its highest value is kept together with the records, so the next run continues after it. Read it before the list with the step “Where a sync stopped”.',
    ),
    picture: 'sync',
    show: [english('Cursor field')],
    doc: { doc: 'sync-an-api-into-a-database', heading: 'How it works' },
  },
  {
    title: english('Records that can’t be written'),
    within: 'steps write_records',
    text: english(
      'A record can break a rule of the table, for example if a value is missing. The step can fail before anything is written, so that you can’t miss it. Otherwise the good records are written, and the bad ones are set aside in a file for you.',
    ),
    picture: 'sync',
    show: [english('Records that can’t be written')],
    doc: { doc: 'sync-an-api-into-a-database', heading: 'Bad records' },
  },
  {
    title: english('Statement'),
    within: 'steps sql',
    text: english(
      'Write SQL with a question mark for each value, or $1 and $2 for PostgreSQL. The values come from Parameters, so text from outside can never change the statement. Templates aren’t allowed here for the same reason.',
    ),
    picture: 'table',
    show: [english('Statement')],
    doc: { doc: 'steps', term: 'sql' },
  },
  {
    title: english('Arguments'),
    within: 'steps run_program',
    text: english(
      'Each argument is an item of the list. No shell reads them, so spaces and quotes in values are harmless. Put "--" before values from outside, so that none is taken for an option.',
    ),
    picture: 'log',
    show: [english('Arguments')],
    doc: { doc: 'run-a-program', heading: 'Arguments' },
  },
  {
    title: english('On failure'),
    within: 'steps',
    text: english(
      'A failed step usually fails the run. Let the flow continue if the rest makes sense without this step. If the step is called get, {{ get.error }} then says why it failed. Retries come first, if you turned them on, and steps in a Try have their own catch.',
    ),
    picture: 'branch',
    show: [english('On failure')],
    doc: { doc: 'steps', heading: 'Keys of every step' },
  },
  {
    title: english('Retry on failure'),
    within: 'steps',
    text: english(
      'The step is tried again after a pause, as often as you say. That helps with network errors and busy servers, but not with wrong input. Don’t retry what must not happen twice, such as a payment.',
    ),
    picture: 'loop',
    show: [english('Retry on failure')],
    doc: { doc: 'steps', heading: 'Keys of every step' },
  },
  {
    title: english('Require a token'),
    within: '/flows/',
    text: english(
      'Callers have to send the flow’s token, otherwise they get 401 and nothing runs. Turn it off only if requests are signed or if anyone may start the flow. Anybody who knows the URL can then call it.',
    ),
    picture: 'token',
    show: [english('Require a token')],
    doc: { doc: 'webhooks', heading: 'Access' },
  },
  {
    title: english('On failure, run flow'),
    within: '/flows/',
    text: english(
      'The flow that you choose here starts when a run of this one fails, with the error as its input. Use it to post to a chat or to clean up. If it fails too, it doesn’t start another.',
    ),
    picture: 'alarm',
    show: [english('On failure, run flow')],
    doc: { doc: 'error-flow' },
  },
  {
    title: english('Keep runs for (days)'),
    within: '/flows/',
    text: english(
      'Runs are deleted this many days after they end, with all of their data. A longer time is useful for looking back, and a shorter one saves space. 0 deletes each run as soon as it finishes.',
    ),
    picture: 'clock',
    show: [english('Keep runs for (days)')],
    doc: { doc: 'settings', heading: 'Flow settings' },
  },
  {
    title: english('Input schema'),
    within: '/flows/',
    text: english(
      'AI clients read this to know which input the flow needs. Name each value, its type and what it means. Without a schema, they can send any object.',
    ),
    picture: 'json',
    show: [english('Input schema')],
    doc: { doc: 'ai-clients', heading: 'Offer a flow as a tool' },
  },
  {
    title: english('Type'),
    within: '/auths/',
    text: english(
      'The documentation of the API says what it expects: a bearer token, a key in a header, a user name and password, or a sign-in with OAuth. The connector usually sets the type, so you can leave it as it is. A wrong type is the most common reason for 401.',
    ),
    picture: 'auth',
    show: [english('Type')],
    doc: { doc: 'credentials', heading: 'Types' },
  },
  {
    title: english('From a vault'),
    within: '/auths/',
    text: english(
      'The secret stays in 1Password, Bitwarden, pass, your keychain, a variable or a file. Millrace only stores where it is, reads it when a call needs it, and never shows it. You allow programs and variables in Settings. If the vault is locked, the call fails and says so.',
    ),
    picture: 'auth',
    show: [english('From a vault')],
    doc: { doc: 'credentials', heading: 'Secrets from vaults' },
  },
  {
    title: english('Base URL override'),
    within: '/auths/',
    text: english(
      'Use this if the account has its own API, for example a test system or a region. All calls with this auth then go there. The path of each action stays as it is.',
    ),
    picture: 'connector',
    show: [english('Base URL override')],
    doc: { doc: 'credentials', heading: 'Fields' },
  },
  {
    title: english('Visible to'),
    within: '/auths/',
    text: english(
      'Others can use an auth in their flows if you share it with them. They never see its secrets. Whoever may use it can call the API in your name.',
    ),
    picture: 'people',
    show: [english('Visible to')],
    doc: { doc: 'credentials', heading: 'Access' },
  },
  {
    title: english('Allowed folders'),
    within: '/settings',
    text: english(
      'Steps and triggers can only read and write files in these folders. Enter full paths, one per line, for example /home/ada/crm. Until you allow a folder, steps that use files fail with an error.',
    ),
    picture: 'files',
    show: [english('Allowed folders')],
    doc: { doc: 'settings', heading: 'Program settings' },
  },
  {
    title: english('Max concurrent runs'),
    text: english(
      'Any runs beyond this number wait in the queue, which is stored on disk. A higher number is faster but needs more memory. A low one works better for APIs with a rate limit.',
    ),
    picture: 'flow',
    show: [english('Max concurrent runs')],
    doc: { doc: 'settings', heading: 'Program settings' },
  },
  {
    title: english('Fail lists in doubt'),
    within: '/settings',
    text: english(
      'A list may be incomplete, for example if the API promises more records than it sends. Its step then gets a warning, or fails if this is on. You can choose otherwise for each step.',
    ),
    picture: 'doubt',
    show: [english('Fail lists in doubt')],
    doc: { doc: 'how-pagination-ends', heading: 'Signs that something is wrong' },
  },
  {
    title: english('Failed runs'),
    text: english(
      'You get at most one alarm per flow every ten minutes, however many runs fail, and one when it works again. Runs that you start manually don’t count. Send a test alarm to check that it arrives.',
    ),
    picture: 'alarm',
    show: [english('Failed runs')],
    doc: { doc: 'alarms', heading: 'Add an alarm' },
  },
  {
    title: english('No run for (minutes)'),
    text: english(
      'A flow that is expected to run often can stop running without any error, for example if nobody calls it. You get an alarm after this many minutes without a run. Leave it empty for flows that rarely run.',
    ),
    picture: 'alarm',
    show: [english('No run for (minutes)')],
    doc: { doc: 'alarms', heading: 'Add an alarm' },
  },
  {
    title: english('Missed scheduled times'),
    text: english(
      'A schedule can miss its time, for example because the computer was asleep. If this is on, you get an alarm when it is more than a minute late. The schedule itself says whether the missed run is made up for.',
    ),
    picture: 'alarm',
    show: [english('Missed scheduled times')],
    doc: { doc: 'alarms', heading: 'Add an alarm' },
  },
  {
    title: english('Provider'),
    within: '/settings',
    text: english(
      'A tunnel gives your webhooks a URL that services on the internet can call. It exposes only webhooks, forms and questions, never the app itself. Choose a provider whose program is installed on this computer, or your own server with SSH.',
    ),
    picture: 'tunnel',
    show: [english('Provider')],
    doc: { doc: 'public-address', heading: 'Choose a way' },
  },
  {
    title: english('Public URL'),
    within: '/settings',
    text: english(
      'If you have your own proxy or tunnel, enter its URL here. Millrace then shows it next to the URL of each webhook. This setting doesn’t expose anything by itself.',
    ),
    picture: 'tunnel',
    show: [english('Public URL')],
    doc: { doc: 'public-address', heading: 'Choose a way' },
  },
  {
    title: english('Trusted proxies'),
    within: '/settings',
    text: english(
      'Behind a proxy, all callers seem to have its IP address. Millrace only trusts the proxies listed here to pass on the real one. One proxy too many lets callers pretend to be somebody else.',
    ),
    picture: 'signature',
    show: [english('Trusted proxies')],
    doc: { doc: 'run-as-a-service', heading: 'Put a proxy in front' },
  },
  {
    title: english('Max pages'),
    text: english(
      'Reading stops after this many pages, with a warning. Start small while you try out a configuration. A list whose API always names a next page would otherwise never end.',
    ),
    picture: 'pages',
    show: [english('Max pages')],
    doc: { doc: 'pagination', heading: 'Why a list ended' },
  },
  {
    title: english('Max records'),
    within: '/pagination',
    text: english(
      'Reading stops once this many records have arrived. A few pages are enough to see whether pagination works. A flow reads the list to its end, whatever you enter here.',
    ),
    picture: 'pages',
    show: [english('Max records')],
    doc: { doc: 'pagination', heading: 'The pagination tester' },
  },
  {
    title: english('Style'),
    text: english(
      'APIs page in a few ways: by page number, by offset, with a cursor from the response, or with a link to the next page. Suggest usually finds the right one from the first response. The documentation of the API calls it pagination or paging.',
    ),
    picture: 'pages',
    show: [english('Style')],
    doc: { doc: 'pagination', heading: 'Common pagination styles' },
  },
  {
    title: english('Records path'),
    text: english(
      'The path says where the list is in the response, for example $.data. It’s written in JSONPath. Leave it empty if the response itself is the list.',
    ),
    picture: 'pages',
    show: [english('Records path')],
    doc: { doc: 'pagination', heading: 'How it works' },
  },
  {
    title: english('Sent as'),
    text: english(
      'The name of the parameter that carries the next value, such as page, offset or cursor. It must be spelled as the API expects it. The strip below shows the resulting request.',
    ),
    picture: 'pages',
    show: [english('Sent as')],
    doc: { doc: 'pagination', heading: 'Variables' },
  },
  {
    title: english('Ends'),
    text: english(
      'Choose how the last page is recognized. Most lists end with a page without records or without a next value. Some APIs mark the end themselves, with a value such as has_more.',
    ),
    picture: 'pages',
    show: [english('Ends')],
    doc: { doc: 'pagination', heading: 'Why a list ended' },
  },
  {
    title: english('Base URL'),
    within: '/connectors/',
    text: english(
      'All actions of the connector start with this URL and add their own path to it. Credentials are only sent to this host and to the origins that you allow. The URL can contain {{ auth.user_input.region }} and other values of the auth.',
    ),
    picture: 'connector',
    show: [english('Base URL')],
    doc: { doc: 'connectors' },
  },
  {
    title: english('Note'),
    within: '/tokens',
    text: english(
      'Write down what uses the token, for example “Shop checkout”. A year from now, the note tells you what breaks if you revoke the token. It isn’t part of the token.',
    ),
    picture: 'token',
    show: [english('Note')],
    doc: { doc: 'scopes' },
  },
  ...['steps rest', 'steps connector_action'].flatMap((within) =>
    FOR_EACH.map((one) => ({
      ...one,
      within,
      picture: 'loop' as const,
      doc: { doc: 'large-lists', heading: 'All children of all parents' },
    })),
  ),
]

/** Parts of screens whose fields share one explanation, by their `data-help`. */
export const PARTS: Readonly<Record<string, Help>> = {
  templates: {
    title: english('Template'),
    text: english(
      'Text between {{ and }} is replaced with a value when the step runs, for example {{ web1.email }}. Choose a value from the data next to the form, or type a dot to see what there is. A value that is only one expression keeps its type, so a list stays a list.',
    ),
    picture: 'template',
    show: [],
    doc: { doc: 'templates' },
  },
  pagination: {
    title: english('Pagination configuration'),
    text: english(
      'The configuration says how the next page is requested and when the list ends. Read more explains the key that the cursor is on. Most people choose a style in the form and never see the JSON.',
    ),
    picture: 'pages',
    show: [],
    doc: { doc: 'pagination', heading: 'Keys' },
  },
  'google-and-microsoft': {
    title: english('Sign-in'),
    text: english(
      'Google and Microsoft only accept sign-ins through an app that you registered with them. The steps guide you through the registration once, and the same app serves all of your auths. Millrace never sees your password.',
    ),
    picture: 'auth',
    show: [],
    doc: { doc: 'google-and-microsoft' },
  },
}
