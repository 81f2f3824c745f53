/** The supported n8n nodes. Any other becomes a step that says what it was. */
import { textOf } from '../source/plain-json.ts'
import type { NodeType } from './node-context.ts'
import type { Node } from '../source/workflow.ts'
import { airtableNode } from './airtable.ts'
import { codeItemNode, codeNode } from './code.ts'
import { filterNode, ifNode, switchNode } from './conditions.ts'
import { mysqlNode, postgresNode } from './databases.ts'
import { discordNode } from './discord.ts'
import { htmlNode, markdownNode } from './documents.ts'
import { formNode } from './forms.ts'
import { githubNode } from './github.ts'
import { gmailNode } from './gmail.ts'
import { googleSheetsNode } from './google-sheets.ts'
import {
  aggregateNode,
  itemListsNode,
  limitNode,
  mergeNode,
  sortNode,
  splitInBatchesNode,
  splitOutNode,
} from './lists.ts'
import { notionNode } from './notion.ts'
import {
  commandNode,
  passNode,
  respondNode,
  runFlowNode,
  sendEmailNode,
  stopNode,
  waitNode,
} from './others.ts'
import { httpRequestNode } from './requests.ts'
import { comparesItsItems, removeDuplicatesNode, summarizeNode } from './summaries.ts'
import {
  calledNode,
  cronNode,
  errorNode,
  intervalNode,
  manualNode,
  scheduleNode,
  webhookNode,
} from './triggers.ts'
import { setNode } from './values.ts'
import { slackNode } from './slack.ts'
import { telegramNode } from './telegram.ts'
import { feedTriggerNode, fileTriggerNode, mailTriggerNode } from './watchers.ts'

/** Null for a type without an equivalent. */
export function nodeTypeOf(node: Node): NodeType | null {
  const name = /^n8n-nodes-base\.(\w+)$/.exec(node.type)?.[1] ?? ''
  if (name === 'removeDuplicates' && !comparesItsItems(node)) return null
  if (name === 'code' && textOf(node.parameters['mode']) === 'runOnceForEachItem') return codeItemNode
  return Object.hasOwn(TYPES, name) ? (TYPES[name] ?? null) : null
}

/** Whether it starts a workflow, supported or not. */
export function isTrigger(node: Node): boolean {
  return nodeTypeOf(node)?.isTrigger === true || /trigger$/i.test(node.type)
}

/** Whether the node is a note on the canvas. */
export const isNote = (node: Node): boolean => node.type === 'n8n-nodes-base.stickyNote'
/** Whether the workflow is started manually, as every flow can be. */
export const startsByHand = (node: Node): boolean => nodeTypeOf(node) === manualNode
export const isErrorTrigger = (node: Node): boolean => nodeTypeOf(node) === errorNode

const TYPES: Readonly<Record<string, NodeType>> = {
  webhook: webhookNode,
  scheduleTrigger: scheduleNode,
  cron: cronNode,
  interval: intervalNode,
  rssFeedReadTrigger: feedTriggerNode,
  localFileTrigger: fileTriggerNode,
  emailReadImap: mailTriggerNode,
  formTrigger: formNode,
  manualTrigger: manualNode,
  start: manualNode,
  executeWorkflowTrigger: calledNode,
  errorTrigger: errorNode,
  httpRequest: httpRequestNode,
  set: setNode,
  if: ifNode,
  filter: filterNode,
  switch: switchNode,
  merge: mergeNode,
  code: codeNode,
  function: codeNode,
  functionItem: codeItemNode,
  sort: sortNode,
  limit: limitNode,
  splitOut: splitOutNode,
  aggregate: aggregateNode,
  summarize: summarizeNode,
  removeDuplicates: removeDuplicatesNode,
  itemLists: itemListsNode,
  splitInBatches: splitInBatchesNode,
  respondToWebhook: respondNode,
  noOp: passNode,
  wait: waitNode,
  stopAndError: stopNode,
  executeWorkflow: runFlowNode,
  emailSend: sendEmailNode,
  html: htmlNode,
  htmlExtract: htmlNode,
  markdown: markdownNode,
  postgres: postgresNode,
  mySql: mysqlNode,
  executeCommand: commandNode,
  airtable: airtableNode,
  discord: discordNode,
  github: githubNode,
  gmail: gmailNode,
  googleSheets: googleSheetsNode,
  notion: notionNode,
  slack: slackNode,
  telegram: telegramNode,
}
