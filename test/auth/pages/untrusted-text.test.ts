/** Untrusted text on pages. */
import { describe, expect, it } from 'vitest'
import { untrustedCode, untrustedName, untrustedText } from '../../../src/pages/untrusted-text.ts'

describe('untrustedText()', () => {
  it.each([
    ['plain text', 'Claude', 'Claude'],
    ['other scripts', 'ノート كلود Клод', 'ノート كلود Клод'],
    ['an emoji sequence, without its joiners', '👩‍💻 Dev', '👩💻 Dev'],
    ['line breaks and tabs, as one space', 'a\r\n\t b', 'a b'],
    ['a null character, as a replacement character', 'a\0b', 'a\uFFFDb'],
    ['an escape, as a replacement character', 'a\u001B[31mb', 'a\uFFFD[31mb'],
    [
      'a right-to-left override, as a replacement character',
      'evil\u202Etxt.exe',
      'evil\uFFFDtxt.exe',
    ],
    ['direction isolates, as replacement characters', '\u2067a\u2069', '\uFFFDa\uFFFD'],
    ['a line separator, as a replacement character', 'a\u2028b', 'a\uFFFDb'],
    ['a lone surrogate, as a replacement character', 'a\uD800b', 'a\uFFFDb'],
    ['a name without its zero-width space', 'Cla\u200Bude', 'Claude'],
    ['a name without its filler character', 'Cla\u3164ude', 'Claude'],
    ['a name without its soft hyphen', 'Cla\u00ADude', 'Claude'],
    ['two of fifty combining marks', `a${'\u0300'.repeat(50)}b`, 'a\u0300\u0300b'],
    ['a name without the spaces around it', '  Claude  ', 'Claude'],
  ])('shows %s', (_, text, shown) => {
    expect(untrustedText(text, 100)).toBe(shown)
  })

  it('cuts long text at whole characters and adds an ellipsis', () => {
    expect(untrustedText('😀😀😀😀', 3)).toBe('😀😀…')
    expect(untrustedText('abc', 3)).toBe('abc')
  })

  it('reads the first 4000 code units only', () => {
    expect(untrustedText(`${' '.repeat(4000)}x`, 10)).toBe('')
  })
})

describe('untrustedName()', () => {
  it('isolates the text direction of a name', () => {
    expect(`${untrustedName('كلود')}`).toBe('<bdi>كلود</bdi>')
  })
})

describe('untrustedCode()', () => {
  it('shows hosts and addresses from left to right', () => {
    expect(`${untrustedCode('claude.ai')}`).toBe('<bdi dir="ltr" class="code">claude.ai</bdi>')
  })
})
