import api from './api.json'
import common from './common.json'
import components from './components.json'
import connectorAuths from './connector-auths.json'
import connectors from './connectors.json'
import dataTables from './data-tables.json'
import doctor from './doctor.json'
import envVariables from './env-variables.json'
import fileUploads from './file-uploads.json'
import flowRuns from './flow-runs.json'
import flows from './flows.json'
import help from './help.json'
import home from './home.json'
import lib from './lib.json'
import logs from './logs.json'
import openLink from './open-link.json'
import paginationTests from './pagination-tests.json'
import plugins from './plugins.json'
import programConnectors from './program/connectors.json'
import programImports from './program/imports.json'
import programSamples from './program/samples.json'
import programTemplates from './program/templates.json'
import program from './program/sentences.json'
import reference from './reference.json'
import settings from './settings.json'
import shell from './shell.json'
import signIn from './sign-in.json'
import tokens from './tokens.json'
import users from './users.json'
import webhooks from './webhooks.json'

/** The server's messages in German, by the keys of its sentences; see `lib/message-translator.ts`. */
export const germanOfProgram: Readonly<Record<string, string>> = {
  ...program,
  ...programImports,
  ...programTemplates,
}

/** German labels of the built-in connectors' actions, fields and groups. */
export const germanOfConnectors: Readonly<Record<string, string>> = programConnectors

/** German names and descriptions of the sample flows. */
export const germanOfSamples: Readonly<Record<string, string>> = programSamples

/** The German of the page by its English sentences, one file for each folder that shows them. */
export const german: Readonly<Record<string, string>> = {
  ...api,
  ...common,
  ...components,
  ...connectorAuths,
  ...connectors,
  ...dataTables,
  ...doctor,
  ...envVariables,
  ...fileUploads,
  ...flowRuns,
  ...flows,
  ...help,
  ...home,
  ...lib,
  ...logs,
  ...openLink,
  ...paginationTests,
  ...plugins,
  ...reference,
  ...settings,
  ...shell,
  ...signIn,
  ...tokens,
  ...users,
  ...webhooks,
}
