import { describe, expect, test } from 'vitest'
import { htmlToMarkdown } from '../../../src/main/engine/html/html-to-markdown.ts'
import { markdownToHtml } from '../../../src/main/engine/html/markdown-to-html.ts'

describe('Markdown to HTML', () => {
  test('has headings, tables, code and lists', () => {
    expect(markdownToHtml('# Hi\n\n|a|b|\n|-|-|\n|1|~~2~~|\n\n```js\na < b\n```\n1. x')).toBe(
      '<h1>Hi</h1>\n<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n' +
        '<tbody><tr>\n<td>1</td>\n<td><del>2</del></td>\n</tr>\n</tbody></table>\n' +
        '<pre><code class="language-js">a &lt; b\n</code></pre>\n<ol>\n<li>x</li>\n</ol>\n',
    )
  })

  test('shows HTML as text', () => {
    expect(markdownToHtml('<script>alert(1)</script>\n\na <img src=x onerror=y> b')).toBe(
      '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>a &lt;img src=x onerror=y&gt; b</p>\n',
    )
  })

  test('keeps links to pages and email addresses', () => {
    expect(
      markdownToHtml('[a](https://a.b/?x=1&amp;y="2" "t<i>") [b](/c) [m](mailto:a@b.c) ![i](/i.png)'),
    ).toBe(
      '<p><a href="https://a.b/?x=1&amp;y=&quot;2&quot;" title="t&lt;i&gt;">a</a> <a href="/c">b</a> ' +
        '<a href="mailto:a@b.c">m</a> <img src="/i.png" alt="i"></p>\n',
    )
  })

  test.for([
    '[x](javascript:alert(1))',
    '[x](JavaScript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](java&NewLine;script:alert(1))',
    '[x](<java\tscript:alert(1)>)',
    '[x]( vbscript:a)',
    '[x](data:text/html,a)',
    '[x](file:///etc/passwd)',
    '[x][1]\n\n[1]: javascript:a',
    '<javascript:alert(1)>',
    '![x](javascript:a)',
    '![x](mailto:a@b.c)',
  ])('removes the link in %j', (markdown) => {
    expect(markdownToHtml(markdown)).not.toMatch(/<a|<img/)
  })

  test.for(['![" onerror="x](/a)', '[a](/x"onclick="y)', '[a](/x "\\" onclick=y")', '```a" onclick="x\n```'])(
    "doesn't let %j add an attribute",
    (markdown) => {
      expect(markdownToHtml(markdown).replaceAll(/"[^"]*"/g, '')).not.toMatch(/ on(?:error|click)/)
    },
  )
})

describe('HTML to Markdown', () => {
  test('has headings, lists, tables, code and links', () => {
    const html = `<h2>Hi <em>you</em></h2><p>a <b>b</b> <a href="https://a.b/c">c</a><br>d</p>
      <ul><li>x</li><li>y<ul><li>z</ul></ul><ol start=3><li>q</ol>
      <table><thead><tr><th>A<th>B|C</thead><tr><td>1<td>2<br>3</table>
      <table><tr><td>4<td></table><pre><code class="language-js">x\n  y</code></pre>`
    expect(htmlToMarkdown(html)).toBe(
      [
        '## Hi *you*\n\na **b** [c](https://a.b/c)  \nd',
        '-   x\n-   y\n    -   z\n\n3.  q',
        '| A | B\\|C |\n| --- | --- |\n| 1 | 2 3 |',
        '| 4 |  |\n| --- | --- |',
        '```js\nx\n  y\n```',
      ].join('\n\n'),
    )
  })

  test('leaves out scripts, styles, and links that run code', () => {
    const html = `<head><title>t</title></head><style>a{}</style><script>b</script>c
      <a href="javascript:x">d</a> <img src=/z alt=f> &lt;i&gt; *g*`
    expect(htmlToMarkdown(html)).toBe('c d ![f](/z) <i> \\*g\\*')
  })

  test('reads 2,000 nested elements', () => {
    expect(htmlToMarkdown(`${'<div>'.repeat(2_000)}deep`)).toBe('deep')
  })
})
