/** The contrast of all colours in the light and the dark palette, by WCAG 2.2 AA. */
import { describe, expect, it } from 'vitest'
import { STYLE } from '../../../src/auth/pages/style.ts'

type Palette = Readonly<Record<string, string>>

/** The colours of `:root` and their replacements for dark mode. */
function palettes(): { readonly light: Palette; readonly dark: Palette } {
  const [light = {}, dark = {}] = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
    Object.fromEntries(
      [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
    ),
  )
  return { light, dark }
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(palette: Palette, front: string, back: string): number {
  const [one, two] = [luminance(palette[front] ?? ''), luminance(palette[back] ?? '')]
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05)
}

const TEXT = [
  ['text', 'page'],
  ['text', 'card'],
  ['quiet', 'page'],
  ['quiet', 'card'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['warn-text', 'warn-back'],
  ['bad-text', 'bad-back'],
  ['good-text', 'good-back'],
] as const

/** Borders of fields and buttons, marks, and the focus ring. */
const PARTS = [
  ['control', 'page'],
  ['control', 'card'],
  ['accent', 'page'],
  ['accent', 'card'],
  ['bad-line', 'page'],
  ['bad-line', 'card'],
] as const

describe.each(Object.entries(palettes()))('the %s palette', (_, palette) => {
  it('defines all 18 colours', () => {
    expect(Object.keys(palette)).toHaveLength(18)
  })

  it.each(TEXT)('gives the text colour %s a contrast of 4.5 on %s', (front, back) => {
    expect(contrast(palette, front, back)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(PARTS)('gives the line colour %s a contrast of 3 on %s', (front, back) => {
    expect(contrast(palette, front, back)).toBeGreaterThanOrEqual(3)
  })
})
