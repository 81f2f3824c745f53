import { describe, expect, it } from 'vitest'
import type { StoredFile } from '../../../../../src/main/engine/flow/model/ports.ts'
import { runSteps } from '../../../../helpers/flow-run.ts'

const file = (content: string | Uint8Array, contentType = 'text/plain'): StoredFile => ({
  filename: 'it.txt',
  contentType,
  content: typeof content === 'string' ? Buffer.from(content) : content,
})
const FILES: Readonly<Record<string, StoredFile>> = {
  latin: file(Buffer.from('name;city\nZoë;Köln\n', 'latin1')),
  excel: file(Buffer.from('\ufeffname;city\r\nZoë;Köln\r\n', 'utf16le')),
  xml: file(
    Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>Köln</a>', 'latin1'),
    'application/xml',
  ),
}

async function run(type: string, config: Record<string, unknown>) {
  const readFile = (id: string) => FILES[id] ?? null
  const { results, error } = await runSteps([{ ref_id: 'it', type, config }], { ports: { readFile } })
  if (!error) return (results as { it: unknown }).it
  const { code, field, line, column, message } = error
  return { code, field, line, column, message }
}

describe('csv_parse', () => {
  it('names the values of each row by the first row, whatever its length', async () => {
    expect(await run('csv_parse', { text: 'id, name\r\n1,"A, ""B"""\n2\n3,x,y\n' })).toEqual([
      { id: '1', name: 'A, "B"' },
      { id: '2', name: null },
      { id: '3', name: 'x', column_3: 'y' },
    ])
  })

  it('keeps columns with the same name apart', async () => {
    expect(await run('csv_parse', { text: 'a,a, a ,a_2,\n1,2,3,4,5' })).toEqual([
      { a: '1', a_3: '2', a_4: '3', a_2: '4', column_5: '5' },
    ])
  })

  it('reads rows as lists, other delimiters, and files in their encoding', async () => {
    expect([
      await run('csv_parse', { text: 'a\tb\n', delimiter: 'tab', header: false }),
      await run('csv_parse', { text: 'a;b;c,d\n1;2;3,4', delimiter: 'auto', header: false }),
      await run('csv_parse', { file_id: 'latin', delimiter: ';', encoding: 'latin1' }),
      await run('csv_parse', { file_id: 'excel', delimiter: ';' }),
      await run('csv_parse', { text: '' }),
    ]).toEqual([
      [['a', 'b']],
      [
        ['a', 'b', 'c,d'],
        ['1', '2', '3,4'],
      ],
      [{ name: 'Zoë', city: 'Köln' }],
      [{ name: 'Zoë', city: 'Köln' }],
      [],
    ])
  })

  it('reports what is wrong and where', async () => {
    expect([
      await run('csv_parse', { text: 'a\n"b' }),
      await run('csv_parse', { text: 'a', delimiter: '::' }),
      await run('csv_parse', { file_id: 'nowhere' }),
      await run('csv_parse', { file_id: 'latin' }),
      await run('csv_parse', { file_id: 'latin', encoding: 'klingon' }),
    ]).toMatchObject([
      {
        field: 'config.text',
        line: 2,
        message: expect.stringContaining('a quoted field is not closed') as string,
      },
      { field: 'config.delimiter', message: expect.stringContaining('use one character') as string },
      { code: 'not_found', field: 'config.file_id', message: expect.stringContaining('"nowhere"') as string },
      { field: 'config.file_id', message: expect.stringContaining("isn't in the charset") as string },
      { field: 'config.file_id', message: expect.stringContaining('"klingon"') as string },
    ])
  })
})

describe('csv_write', () => {
  const rows = [{ id: 1, name: 'A, "B"' }, { id: 2.5, tags: ['x'] }, { id: null }]

  it('writes every key that occurs, or the configured ones', async () => {
    expect([
      await run('csv_write', { rows }),
      await run('csv_write', { rows, columns: ['tags', 'id'], delimiter: ';', header: false }),
      await run('csv_write', {
        rows: [
          [1, 'x'],
          ['a b', null],
        ],
      }),
    ]).toEqual([
      'id,name,tags\r\n1,"A, ""B""",\r\n2.5,,"[""x""]"\r\n,,\r\n',
      ';1\r\n"[""x""]";2.5\r\n;\r\n',
      '1,x\r\na b,\r\n',
    ])
  })

  it('writes what csv_parse reads', async () => {
    const text = await run('csv_write', { rows: [{ a: ' x\n"y"', b: '' }] })
    expect(await run('csv_parse', { text })).toEqual([{ a: ' x\n"y"', b: '' }])
    const narrow = await run('csv_write', { rows: [{ a: '' }, { a: 'x' }, { a: null }] })
    expect({ narrow, readAgain: await run('csv_parse', { text: narrow }) }).toEqual({
      narrow: 'a\r\n""\r\nx\r\n""\r\n',
      readAgain: [{ a: '' }, { a: 'x' }, { a: '' }],
    })
  })

  it('reports a row that is neither a list nor an object', async () => {
    expect(await run('csv_write', { rows: [5] })).toMatchObject({
      field: 'config.rows',
      message: 'Step "it": a row is 5; each must be an object or a list',
    })
  })
})

describe('xml_parse and xml_write', () => {
  it('read and write the same value', async () => {
    const value = { order: { '@id': '7', line: ['a', 'b'], note: null } }
    const text = await run('xml_write', { value, indent: 0, declaration: false })
    expect(text).toBe('<order id="7"><line>a</line><line>b</line><note/></order>')
    expect(await run('xml_parse', { text })).toEqual(value)
  })

  it('decode a file by its own declaration', async () => {
    expect(await run('xml_parse', { file_id: 'xml' })).toEqual({ a: 'Köln' })
  })

  it('report what is wrong and where', async () => {
    expect([
      await run('xml_parse', { text: '<a>\n<b></a>' }),
      await run('xml_parse', { text: '<!DOCTYPE a><a/>' }),
      await run('xml_write', { value: { a: 1, b: 2 } }),
    ]).toMatchObject([
      { code: 'validation', field: 'config.text', line: 2 },
      { code: 'validation', field: 'config.text', line: 1 },
      {
        code: 'validation',
        field: 'config.value',
        message: expect.stringContaining('XML has one root') as string,
      },
    ])
  })
})
