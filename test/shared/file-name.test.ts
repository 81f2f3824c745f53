import { expect, test } from 'vitest'
import { cleanFileName, fileNameIn } from '../../src/shared/file-name.ts'

test('a file gets the name in its header', () => {
  const names = [
    'attachment; filename="report.pdf"',
    'attachment; filename=report.pdf; size=3',
    'attachment; filename="a \\"b\\".txt"',
    `attachment; filename="x"; filename*=UTF-8''%C3%BCber.png`,
    'inline',
  ]
  expect(names.map(fileNameIn)).toEqual(['report.pdf', 'report.pdf', 'a "b".txt', 'über.png', null])
})

test('a name is one line that can be stored, wherever it is cut', () => {
  expect(cleanFileName(' a\r\nb\u0000.txt ')).toBe('ab.txt')
  expect(cleanFileName(`${'x'.repeat(254)}😀`)).toBe(`${'x'.repeat(254)}\ufffd`)
})
