import { expect, test } from 'vitest'
import { importText, takeImportFile } from '../../../../src/renderer/components/imports/import-text.ts'

test('a file in UTF-16, as PowerShell writes it, is read like one in UTF-8', async () => {
  const text = '{"name": "Größe"}'
  const little = Buffer.from(`\ufeff${text}`, 'utf16le')
  const texts = []
  for (const bytes of [Buffer.from(text), little, Buffer.from(little).swap16()]) {
    await takeImportFile(new File([new Uint8Array(bytes)], 'flow.json'))
    texts.push(importText.getState().text)
  }
  expect(texts).toEqual([text, text, text])
})
