/** Text from outside, made fit to be shown. */
import { describe, expect, it } from 'vitest'
import {
  untrustedCode,
  untrustedName,
  untrustedText,
} from '../../../src/auth/pages/untrusted-text.ts'

describe('outsideText()', () => {
  it.each([
    ['plain text', 'Claude', 'Claude'],
    ['other scripts', 'ノート كلود Клод', 'ノート كلود Клод'],
    ['an emoji made of several', '👩‍💻 Dev', '👩💻 Dev'],
    ['line breaks and tabs, as one space', 'a\r\n\t b', 'a b'],
    ['a null character, as a mark', 'a\0b', 'a\uFFFDb'],
    ['an escape, as a mark', 'a\u001B[31mb', 'a\uFFFD[31mb'],
    ['a right-to-left override, as a mark', 'evil\u202Etxt.exe', 'evil\uFFFDtxt.exe'],
    ['isolates, as marks', '\u2067a\u2069', '\uFFFDa\uFFFD'],
    ['a line separator, as a mark', 'a\u2028b', 'a\uFFFDb'],
    ['a lone surrogate, as a mark', 'a\uD800b', 'a\uFFFDb'],
    ['a zero-width space, not at all', 'Cla\u200Bude', 'Claude'],
    ['a filler, not at all', 'Cla\u3164ude', 'Claude'],
    ['a soft hyphen, not at all', 'Cla\u00ADude', 'Claude'],
    ['heaped marks, two of them', `a${'\u0300'.repeat(50)}b`, 'a\u0300\u0300b'],
    ['spaces around it, not at all', '  Claude  ', 'Claude'],
  ])('shows %s', (_, text, shown) => {
    expect(untrustedText(text, 100)).toBe(shown)
  })

  it('cuts at whole characters, and says so', () => {
    expect(untrustedText('😀😀😀😀', 3)).toBe('😀😀…')
    expect(untrustedText('abc', 3)).toBe('abc')
  })

  it('does not look at all of a very long text', () => {
    expect(untrustedText(`${' '.repeat(4000)}x`, 10)).toBe('')
  })
})

describe('isolation', () => {
  it('keeps the direction of a name to itself', () => {
    expect(`${untrustedName('كلود')}`).toBe('<bdi>كلود</bdi>')
  })

  it('shows hosts and addresses from left to right', () => {
    expect(`${untrustedCode('claude.ai')}`).toBe('<bdi dir="ltr" class="code">claude.ai</bdi>')
  })
})
