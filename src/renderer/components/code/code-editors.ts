/** Both editors in one file, loaded when the first of them opens. */
export { CodeEditor } from './code-editor.tsx'
export { TemplateEditor } from './template-editor.tsx'
