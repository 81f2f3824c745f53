/** The files that a Git folder of flows gets for people, agents and editors. */
import { createFlowSchema } from '../../engine/flow-source/flow-schema.ts'

export interface InitFile {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly text: string
  /** Set if an existing file belongs to the user and is left alone. */
  readonly isOnce?: true
}

export function initFiles(): readonly InitFile[] {
  return [
    { path: 'AGENTS.md', text: `# Millrace flows\n\n${GUIDE}` },
    { path: '.claude/skills/millrace/SKILL.md', text: `${SKILL_HEAD}\n# Millrace flows\n\n${GUIDE}` },
    { path: SCHEMA_FILE, text: `${JSON.stringify(createFlowSchema(), null, 2)}\n` },
    { path: '.vscode/settings.json', text: `${JSON.stringify(EDITOR, null, 2)}\n`, isOnce: true },
  ]
}

const SCHEMA_FILE = 'flow.schema.json'

const EDITOR = {
  'yaml.schemas': { [`./${SCHEMA_FILE}`]: ['flows/*.yaml', 'flows/*.yml'] },
}

const SKILL_HEAD = `---
name: millrace
description: Write, check, test and push Millrace flows, the YAML files in flows/.
---
`

const GUIDE = `Each file in \`flows/\` is one flow of [Millrace](https://millrace.example): a list of steps that runs when a webhook, a schedule or another
trigger starts it. The app and these files show the same flows.

## Commands

Run them in this folder, next to \`flows/\`.

\`\`\`sh
millrace flow pull           # flows that changed in Millrace become files
millrace flow check          # where each problem is, why, and what fixes it
millrace flow check --fix    # make the safe fixes
millrace flow test           # play the tests of the flows; nothing is sent
millrace flow push --dry-run # what a push would change
millrace flow push           # files become flows
\`\`\`

With \`--json\`, each command prints JSON. \`millrace flow run NAME --input '{"key": "value"}' --steps\` runs a flow and prints what each step
returned: it can act on other systems, so ask first.

## A file

\`\`\`yaml
millrace_flow: 1
id: 7c9e6679-7425-40de-944b-e07fc1f90ae7
name: Greet
steps:
  - ref_id: hook
    type: webhook
    config:
      response_body: '{"text": {{ greeting.text }}}'
  - ref_id: greeting
    type: set
    config:
      values:
        text: Hello {{ hook.name | default('you') }}
\`\`\`

- \`id\` is a UUID that stays the same. Give a new flow a new one.
- \`ref_id\` is how templates read the result of a step: \`{{ greeting.text }}\`. It is unique in the flow.
- Strings are Jinja2 templates. A string that is one \`{{ expression }}\` keeps the type of its value. Steps in a loop read \`item\` and \`index\`.
- \`connector\` and \`auth\` name what exists in Millrace. Credentials are never in a file: \`{"$secret": "***"}\` marks one, and stays as it is.
- \`${SCHEMA_FILE}\` is the JSON Schema of these files: it has every step type with its fields and what they mean. Editors use it for completion.

## Before you finish

1. \`millrace flow check\` has no errors. Look at each fix that isn't safe before you make it.
2. \`millrace flow test\` passes.
3. \`millrace flow push --dry-run\` shows only the changes that you meant.
`
