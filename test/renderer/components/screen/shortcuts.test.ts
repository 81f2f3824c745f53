import { expect, test } from 'vitest'
import { printed } from '../../../../src/renderer/components/screen/shortcuts.tsx'

test('keys are printed by names that are readable, arrows as arrows', () => {
  expect(
    ['up', 'alt+left', 'shift+down', 'alt+right', 'esc', 'f6', 'mod+d', 'del', 'g'].map(printed),
  ).toEqual(['↑', 'Alt+←', 'Shift+↓', 'Alt+→', 'Esc', 'F6', 'Ctrl+D', 'Del', 'g'])
})
