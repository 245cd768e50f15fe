/** Text from outside, made fit to stand beside text of ours: one line, bounded, in its own direction. */
import { html, type Markup } from './markup.ts'

/** Longer text is cut before anything else is done to it. */
const MAX_LENGTH = 4000

/** What changes the order or the lines of other text is shown as a mark, so that it is noticed. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** Zero-width and filling characters: in names they are as good as not there. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** More than two marks on one letter cover the lines above and below. */
const HEAPED_MARKS = /(\p{M}{2})\p{M}+/gu

/** For places that take text alone, such as the title. */
export function untrustedText(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, MAX_LENGTH)
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(CONTROLS, '\uFFFD')
    .replace(INVISIBLE, '')
    .replace(HEAPED_MARKS, '$1')
    .trim()
  const characters = [...line]
  if (characters.length <= maxCharacters) return line
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** A name, isolated: its direction does not reach the words around it. */
export function untrustedName(text: string): Markup {
  return html`<bdi>${untrustedText(text, 100)}</bdi>`
}

/** A host, an address or the name of a scope: always from left to right. */
export function untrustedCode(text: string): Markup {
  return html`<bdi dir="ltr" class="code">${untrustedText(text, 200)}</bdi>`
}
