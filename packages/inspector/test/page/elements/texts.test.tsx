/** Texts of servers and clients, which cannot change the text around them, and figures. */
import { render, screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { clockOf, countOf, dateOf, durationOf, sizeOf } from '../../../page/elements/figures.ts'
import { OutsideLink } from '../../../page/elements/link.tsx'
import { Code, Text } from '../../../page/elements/text.tsx'

describe('a text of a server', () => {
  it.each([
    ['a\nb\tc', 'a\nb\tc'],
    ['\u202Egnp.exe', '\\u{202E}gnp.exe'],
    ['\u0000\u001B[1m', '\\u{0}\\u{1B}[1m'],
    ['a\u200Db', 'a\\u{200D}b'],
    ['👩\u200D🚀', '👩\u200D🚀'],
    ['❤\uFE0F\u200D🔥', '❤\uFE0F\u200D🔥'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['\uE000\u2800\uD800', '\\u{E000}\\u{2800}\\u{D800}'],
    ['é – 字', 'é – 字'],
  ])('%j is shown as %j', (text, shown) => {
    const { container } = render(<Text>{text}</Text>)
    expect(container.textContent).toBe(shown)
    expect(container.querySelector('bdi')).not.toBeNull()
  })

  it.each([
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
  ])('%j of at most %i is %j', (text, max, shown) => {
    const { container } = render(
      <>
        <Text max={max}>{text}</Text>
        <Code max={max}>{text}</Code>
      </>,
    )
    expect(container.textContent).toBe(shown + shown)
    expect(container.querySelector('.code')?.getAttribute('dir')).toBe('ltr')
  })

  it('is cut after 4,000 characters, and a name after 2,000', () => {
    const { container } = render(<Text>{'x'.repeat(4001)}</Text>)
    expect(container.textContent).toBe(`${'x'.repeat(3999)}…`)
    const name = render(<Code>{'x'.repeat(2001)}</Code>)
    expect(name.container.textContent).toBe(`${'x'.repeat(1999)}…`)
  })
})

describe('a link of a server', () => {
  it.each(['https://example.com/a', 'http://example.com', 'HTTPS://example.com'])(
    'to %s opens without access to the page',
    (url) => {
      render(<OutsideLink url={url} text="the clause" />)
      const link = screen.getByRole('link', { name: 'the clause' })
      expect(link.getAttribute('href')).toBe(url)
      expect(link.getAttribute('rel')).toBe('noopener noreferrer')
      expect(link.getAttribute('target')).toBe('_blank')
    },
  )

  it.each(['javascript:alert(1)', ' https://a', 'ftp://a', 'https://', 'xhttps://a', ''])(
    'to %j is text',
    (url) => {
      const { container } = render(<OutsideLink url={url} />)
      expect(screen.queryByRole('link')).toBeNull()
      expect(container.textContent).toBe(url)
    },
  )

  it('has its address as its text where it has no other', () => {
    render(<OutsideLink url="https://example.com/a" />)
    expect(screen.getByRole('link', { name: 'https://example.com/a' })).toBeTruthy()
  })
})

describe('figures', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '0 ms'],
    [999, '999 ms'],
    [1000, '1.00 s'],
    [9999, '10.00 s'],
    [10_000, '10.0 s'],
    [59_949, '59.9 s'],
    [60_000, '1 min 0 s'],
    [125_400, '2 min 5 s'],
  ])('say %d ms as %s', (ms, text) => {
    expect(durationOf(ms)).toBe(text)
  })

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [1024 * 1024, '1.0 MiB'],
    [1024 * 1024 * 2.5, '2.5 MiB'],
  ])('say %d bytes as %s', (bytes, text) => {
    expect(sizeOf(bytes)).toBe(text)
  })

  it.each([
    [0, '0 steps'],
    [1, '1 step'],
    [2, '2 steps'],
  ])('count %i as %s', (count, text) => {
    expect(countOf(count, 'step')).toBe(text)
  })

  it('say a time of day to the millisecond, and a day by its name', () => {
    const at = new Date(2026, 10, 2, 3, 4, 5, 67).getTime()
    expect(clockOf(at)).toBe('03:04:05.067')
    expect(dateOf(at)).toBe('2 Nov 2026, 03:04:05')
  })
})
