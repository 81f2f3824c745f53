import { describe, expect, it } from 'vitest'
import { foldedLike } from '../../../src/main/store/sql/like.ts'

describe('like', () => {
  it('matches any run of characters with %, ignores case, and takes everything else literally', () => {
    const probes: readonly [string, string, 0 | 1][] = [
      ['sftp', 'SFTP', 1],
      ['sftp', 'sftp2', 0],
      ['%ft%', 'My SFTP server', 1],
      ['my%', 'My SFTP server', 1],
      ['%server', 'My SFTP server', 1],
      ['%serve', 'My SFTP server', 0],
      ['m%s%r', 'My SFTP server', 1],
      ['a%a', 'a', 0],
      ['a%a', 'aa', 1],
      ['a_c', 'abc', 0],
      ['a_c', 'A_C', 1],
      ['%', '', 1],
      ['', 'x', 0],
      ['%%%', 'x', 1],
      ['äpfel%', 'ÄPFEL UND BIRNEN', 1],
      ['\\%', '\\ and more', 1],
    ]
    expect(probes.map(([pattern, text]) => [pattern, text, foldedLike(pattern, text)])).toEqual(probes)
  })

  // Trying every combination would exceed the time limit of a test.
  it("doesn't backtrack", () => {
    expect(foldedLike('%a'.repeat(2_000) + 'b', 'a'.repeat(50_000))).toBe(0)
  })
})
