import { say } from '@millrace/jinja/said'
import { childOf, isRecord } from '../source/plain-json.ts'
import { refuse } from '../source/untranslatable.ts'
import { locate, serviceNode, type Take } from './service.ts'

const REPOSITORY: Readonly<Record<string, Take>> = {
  owner: (value) => ({ owner: locate(value, { url: /^https:\/\/github\.com\/([-\w]+)/ }).value }),
  repository: (value) => ({
    repo: locate(value, { url: /^https:\/\/github\.com\/[-\w]+\/([-.\w]+)/ }).value,
  }),
}

/** Reads the names in lists such as `[{label: "bug"}]`. */
const namesIn =
  (name: string, key: string): Take =>
  (value) =>
    Array.isArray(value)
      ? {
          [name]: value.map((one: unknown) =>
            isRecord(one) ? one[key] : refuse(say`uses an expression for "${name}"`),
          ),
        }
      : refuse(say`uses an expression for "${name}"`)

const labels = namesIn('labels', 'label')
const assignees = namesIn('assignees', 'assignee')

export const githubNode = serviceNode({
  connector: '675b3be3-2fbe-4e18-8c36-112866250e51',
  usual: { resource: 'issue', operation: { issue: 'create', repository: 'getIssues' } },
  actions: {
    'issue.create': {
      action: 'create_issue',
      takes: { ...REPOSITORY, title: 'title', body: 'body', labels, assignees },
      usual: { title: '', body: '', labels: [], assignees: [] },
    },
    'issue.createComment': {
      action: 'create_comment',
      takes: { ...REPOSITORY, issueNumber: 'number', body: 'body' },
    },
    'issue.edit': {
      action: 'update_issue',
      takes: {
        ...REPOSITORY,
        issueNumber: 'number',
        'editFields.title': 'title',
        'editFields.body': 'body',
        'editFields.state': 'state',
        'editFields.state_reason': 'state_reason',
        'editFields.labels': labels,
        'editFields.assignees': assignees,
      },
      check: ({ node }) =>
        Object.keys(childOf(node.parameters, 'editFields')).length === 0
          ? refuse(say`changes nothing`)
          : undefined,
    },
    'issue.get': { action: 'get_issue', takes: { ...REPOSITORY, issueNumber: 'number' } },
    'repository.get': { action: 'get_repository', takes: REPOSITORY },
  },
})
